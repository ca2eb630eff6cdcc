#include "models/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/plan_emit.h"

namespace servecast {
namespace {

class PlanCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_path(app, "SCENARIO", scenario_.file, "FILE", "The scenario, a YAML file");  // absent where a command follows
    app.add_option("--set", scenario_.set, "Replace a setting; may be given several times")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    add_choice(app, "--emit", emit_, "what", {emit_vllm, emit_kubernetes},
               "vllm: the engine's command lines; kubernetes: a manifest");
    app.footer(
        "Examples:\n"
        "  servecast plan --emit vllm chat.yaml\n"
        "  servecast plan merge study/shard-* --out study");
  }

  int run(Console& console) override {
    if (scenario_.file.empty() || emit_.empty())
      throw UserError("say what to do: plan --emit vllm SCENARIO, or plan merge DIR... --out DIR");
    console.out << emitted(emit_, scenario_.load());
    return 0;
  }

 private:
  ScenarioArguments scenario_;
  std::string emit_;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace servecast
