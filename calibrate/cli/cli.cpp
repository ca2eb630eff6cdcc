#include "calibrate/cli/cli.h"

#include <array>

#include "calibrate/cli/commands/commands.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/program.h"

namespace servecast {
namespace {

// In the order of --help.
constexpr std::array<CommandEntry, 9> entries{{
    {"", "import", "Turn measured tables of other projects into samples.csv", make_import_command},
    {"", "measure", "Time kernels and copies on the GPU of this machine", make_measure_command},
    {"", "steps", "Measured steps beside what a profile says of them", make_steps_command},
    {"", "fit", "Fit a profile of a GPU and an engine to samples", make_fit_command},
    {"", "report", "How far profiles and forecasts can be trusted", make_report_command},
    {"", "residuals", "Every measured shape beside its fitted time", make_residuals_command},
    {"", "engine", "Fit an engine's terms to its own servers", make_engine_command},
    {"", "errors", "How far forecasts of an engine are off, from measured servers", make_errors_command},
    {"", "diff", "Compare two profiles operator by operator", make_diff_command},
}};

constexpr const char* footer =
    "Examples:\n"
    "  servecast-calibrate import --gpu h100_sxm_80g --out samples.csv.gz gemm_perf.csv.gz moe_perf.csv.gz\n"
    "  servecast-calibrate measure --gpu h100_sxm_80g --budget 300 --out samples.csv\n"
    "  servecast-calibrate fit --gpu h100_sxm_80g --engine vllm --out h100.yaml samples.csv.gz\n"
    "  servecast-calibrate report h100_sxm_80g.vllm\n"
    "Exit status: 0 fine, 2 a mistake in the input, 3 a GPU that cannot be measured, 1 a fault of the program.";

}  // namespace

int run_calibrate(const std::vector<std::string>& arguments, Console& console) {
  const Program program{.name = "servecast-calibrate",
                        .help = "Learns the times of GPU kernels from measurements",
                        .group_help = "",
                        .footer = footer,
                        .commands = entries};
  return run_program(program, arguments, console);
}

}  // namespace servecast
