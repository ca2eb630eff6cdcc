#include <CLI/CLI.hpp>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "sim/cli/program/atomic_file.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/files/unsaved_text.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/input/yaml/yaml_edit.h"

namespace servecast {
namespace {

class SetCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SCENARIO", scenario_.file, "The scenario, a YAML file")->required()->type_name("FILE");
    app.add_option("SETTING", scenario_.set, "What to change, e.g. seed=7 or pools[0].router.policy=random")
        ->required()
        ->type_name("PATH=VALUE");
    scenario_.declare_text(app);
    app.add_flag("--dry-run", dry_run_, "Print the changed file instead of writing it");
    app.footer(
        "Examples:\n"
        "  servecast set chat.yaml seed=7\n"
        "  servecast set chat.yaml pools[0].replicas=8 'pools[0].router={policy: random}' --dry-run");
  }
  int run(Console& console) override {
    const std::vector<Override> overrides = parse_overrides(scenario_.set);
    const std::string& file = scenario_.file;
    const auto unsaved = scenario_.unsaved();
    std::string text = unsaved ? unsaved->text() : read_whole(file, settings_mib);
    scenario_.load();  // a change that makes the scenario wrong is refused
    for (const Override& change : overrides) text = edit_yaml(file, text, change.path, change.value);
    if (dry_run_)
      console.out << text;
    else
      replace_file(file, text);
    return 0;
  }

 private:
  ScenarioArguments scenario_;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_set_command() { return std::make_unique<SetCommand>(); }

}  // namespace servecast
