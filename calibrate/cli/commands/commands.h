#pragma once
#include <memory>

namespace servecast {

class Command;

std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_measure_command();
std::unique_ptr<Command> make_steps_command();
std::unique_ptr<Command> make_fit_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_residuals_command();
std::unique_ptr<Command> make_diff_command();
std::unique_ptr<Command> make_engine_command();
std::unique_ptr<Command> make_errors_command();

}  // namespace servecast
