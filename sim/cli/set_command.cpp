#include <CLI/CLI.hpp>

#include "models/base/error.h"
#include "sim/cli/atomic_file.h"
#include "sim/cli/command.h"
#include "sim/cli/console.h"
#include "sim/cli/options.h"
#include "sim/input/scenario.h"
#include "sim/input/yaml_edit.h"

namespace servecast {
namespace {

class SetCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SCENARIO", file_, "The scenario, a YAML file")->required()->type_name("FILE");
    app.add_option("SETTING", settings_, "What to change, e.g. seed=7 or pools[0].router.policy=random")
        ->required()
        ->type_name("PATH=VALUE");
    app.add_flag("--dry-run", dry_run_, "Print the changed file instead of writing it");
    app.footer(
        "Examples:\n"
        "  servecast set chat.yaml seed=7\n"
        "  servecast set chat.yaml pools[0].replicas=8 'pools[0].router={policy: random}' --dry-run");
  }
  int run(Console& console) override {
    const std::vector<Override> overrides = parse_overrides(settings_);
    std::string text = read_file(file_);
    load_scenario(file_, overrides);  // a change that makes the scenario wrong is refused
    for (const Override& change : overrides) text = edit_yaml(file_, text, change.path, change.value);
    if (dry_run_)
      console.out << text;
    else
      replace_file(file_, text);
    return 0;
  }

 private:
  std::string file_;
  std::vector<std::string> settings_;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_set_command() { return std::make_unique<SetCommand>(); }

}  // namespace servecast
