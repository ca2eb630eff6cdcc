#pragma once
#include <memory>

namespace CLI {
class App;
}

namespace servecast {

struct Console;

/// One word after `servecast`. It declares its options, which are its members, and runs once they are filled in.
class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(CLI::App& app) = 0;
  /// Returns the exit status; throws UserError for what the user did wrong.
  virtual int run(Console& console) = 0;
};

std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_whatif_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_plan_merge_command();
std::unique_ptr<Command> make_size_command();
std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_schema_command();
std::unique_ptr<Command> make_set_command();
std::unique_ptr<Command> make_contract_command();
std::unique_ptr<Command> make_claims_command();
std::unique_ptr<Command> make_reproduce_command();
std::unique_ptr<Command> make_trace_info_command();
std::unique_ptr<Command> make_trace_convert_command();
std::unique_ptr<Command> make_trace_make_command();
std::unique_ptr<Command> make_trace_cache_command();
std::unique_ptr<Command> make_trace_experts_command();
std::unique_ptr<Command> make_completion_command();

}  // namespace servecast
