#pragma once
#include <string>

namespace servecast {

struct Console;
struct ManyRunsArguments;
struct PlanReport;

/// Carries out a study, keeps the answer in the folder of --out and prints it. The command's exit status. Throws
/// UserError where no design keeps its promises, and Stopped.
int carry_out(const std::string& study, const ManyRunsArguments& runs, const std::string& format, Console& console);

/// The answer on the terminal.
void print_plan(const PlanReport& report, const std::string& format, Console& console);

}  // namespace servecast
