#include "sim/cli/cli.h"

#include <algorithm>
#include <array>
#include <exception>
#include <map>

#include "models/base/error.h"
#include "servecast_version.h"
#include "sim/cli/command.h"
#include "sim/cli/usage.h"

namespace servecast {
namespace {

constexpr int fine = 0;
constexpr int our_mistake = 1;
constexpr int users_mistake = 2;

struct Entry {
  const char* group;  // "trace" for `servecast trace info`; empty at the top
  const char* name;
  const char* help;
  std::unique_ptr<Command> (*make)();
};

// In the order of --help.
constexpr std::array<Entry, 10> entries{{
    {"", "run", "Simulate a scenario and print the forecast", make_run_command},
    {"", "check", "Check a scenario without running it: every mistake, with its place", make_check_command},
    {"", "list", "What a scenario can name: models, GPUs, policies, ...", make_list_command},
    {"", "schema", "Every key of a scenario: type, unit, default, range, help", make_schema_command},
    {"", "set", "Change settings in a scenario file; its comments stay", make_set_command},
    {"trace", "info", "What is in a trace: rows, span, rate, lengths", make_trace_info_command},
    {"trace", "convert", "Write a trace in our own format, sliced or sped up", make_trace_convert_command},
    {"trace", "make", "Generate a trace", make_trace_make_command},
    {"trace", "cache", "Replay a trace through prefix caches, without time", make_trace_cache_command},
    {"", "completion", "Print a completion script for your shell", make_completion_command},
}};

constexpr const char* footer =
    "Examples:\n"
    "  servecast run scenarios/chat.yaml\n"
    "  servecast run scenarios/chat.yaml --set pools[0].replicas=8 --out report\n"
    "  servecast list gpus\n"
    "Exit status: 0 fine, 2 a mistake in the input, 1 a fault of the program.";

using Commands = std::map<const CLI::App*, std::unique_ptr<Command>>;

CLI::App& group(CLI::App& root, const std::string& name) {
  if (name.empty()) return root;
  for (CLI::App* there : root.get_subcommands([](const CLI::App*) { return true; }))
    if (there->get_name() == name) return *there;
  CLI::App* made = root.add_subcommand(name, "Look at, convert and generate traces of requests");
  made->require_subcommand(1);
  return *made;
}

Commands declare(CLI::App& root) {
  root.set_version_flag("--version", "servecast " + std::string(version), "Print the version and exit");
  root.set_help_flag("-h,--help", "Print this help and exit");
  root.require_subcommand(1);
  root.footer(footer);
  root.get_formatter()->column_width(34);
  Commands commands;
  for (const Entry& entry : entries) {
    CLI::App* app = group(root, entry.group).add_subcommand(entry.name, entry.help);
    commands[app] = entry.make();
    commands[app]->declare(*app);
  }
  return commands;
}

void print_problems(const UserError& error, std::ostream& err) {
  for (const Problem& problem : error.problems())
    err << (problem.place.file.empty() ? "servecast: " : "") << to_string(problem) << "\n";
}

int parse_and_run(const std::vector<std::string>& arguments, Console& console) {
  CLI::App root("Forecasts LLM serving before anyone buys a GPU", "servecast");
  const Commands commands = declare(root);
  std::vector<std::string> last_first(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    root.parse(last_first);
  } catch (const CLI::Success& asked) {  // --help, --version
    root.exit(asked, console.out, console.err);
    return fine;
  } catch (const CLI::ParseError& error) {
    console.err << usage_message(root, error) << "\n";
    return users_mistake;
  }
  return commands.at(&chosen_command(root))->run(console);
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, Console& console) {
  try {
    const int status = parse_and_run(arguments, console);
    console.out.flush();
    if (!console.out) throw UserError("the output cannot be written; is the disk full?");
    return status;
  } catch (const UserError& error) {
    print_problems(error, console.err);
    return users_mistake;
  } catch (const std::exception& error) {
    console.err << "servecast: internal error: " << error.what() << "\n";
    return our_mistake;
  }
}

}  // namespace servecast
