#include "sim/cli/cli.h"

#include <array>

#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/program.h"

namespace servecast {
namespace {

// In the order of --help.
constexpr std::array<CommandEntry, 20> entries{{
    {"", "run", "Simulate a scenario and print the forecast", make_run_command, true},
    {"", "sweep", "Simulate a grid of settings: one table", make_sweep_command, true},
    {"", "whatif", "Simulate a scenario and a changed one: what differs, and how surely", make_whatif_command, true},
    {"", "compare", "Compare reports and scenarios: what differs, and how surely", make_compare_command, true},
    {"", "plan", "Find the cheapest design that keeps its promises, and what rules out cheaper ones",
     make_plan_command, true},
    {"", "size", "How many GPUs a model or a scenario needs, of which kind, and what they cost", make_size_command,
     true},
    {"plan", "merge", "Join the results of shares (--shard) into one file", make_plan_merge_command, true},
    {"", "check", "Check a scenario without running it: every mistake, with its place", make_check_command, true},
    {"", "list", "What a scenario can name: models, GPUs, policies, ...", make_list_command, true},
    {"", "schema", "Every key of a scenario: type, unit, default, range, help", make_schema_command, true},
    {"", "set", "Change settings in a scenario file; its comments stay", make_set_command, true},
    {"", "contract", "Check that policies keep what their interfaces promise", make_contract_command, true},
    {"", "claims", "What is said about LLM serving beside what the models compute", make_claims_command},
    {"", "reproduce", "Redo figures of published systems: ours beside theirs", make_reproduce_command},
    {"trace", "info", "What is in a trace: rows, span, rate, lengths", make_trace_info_command},
    {"trace", "convert", "Write a trace in our own format, sliced or sped up", make_trace_convert_command},
    {"trace", "make", "Generate a trace", make_trace_make_command},
    {"trace", "cache", "Replay a trace through prefix caches, without time", make_trace_cache_command},
    {"trace", "experts", "Describe a routing trace and replay it through expert caches", make_trace_experts_command},
    {"", "completion", "Print a completion script for your shell", make_completion_command},
}};

constexpr const char* footer =
    "Examples:\n"
    "  servecast run scenarios/chat.yaml\n"
    "  servecast run scenarios/chat.yaml --set pools[0].replicas=8 --out report\n"
    "  servecast list gpus\n"
    "Exit status: 0 fine, 2 a mistake in the input, 1 a fault of the program.";

}  // namespace

int run_cli(const std::vector<std::string>& arguments, Console& console) {
  const Program program{.name = "servecast",
                        .help = "Forecasts LLM serving before you buy a GPU",
                        .group_help = "Look at, convert and generate traces of requests",
                        .footer = footer,
                        .commands = entries};
  return run_program(program, arguments, console);
}

}  // namespace servecast
