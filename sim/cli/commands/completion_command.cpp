#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "sim/cli/completion/completion_script.h"
#include "sim/cli/output/detail.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/yaml/schema.h"

namespace servecast {
namespace {

/// What a setting can be, where that is a short list of words.
std::vector<std::string> value_words(const Setting& setting) {
  const std::map<std::string, std::vector<std::string>> bundled{{"pools[].llm", list_llms()},
                                                                {"pools[].gpu", list_gpus()},
                                                                {"cluster.node", list_nodes()},
                                                                {"cluster.fabric", list_fabrics()},
                                                                {"cluster.groups[].node", list_nodes()},
                                                                {"cluster.groups[].fabric", list_fabrics()},
                                                                {"cluster.groups[].gpu", list_gpus()}};
  if (const auto names = bundled.find(setting.path); names != bundled.end()) return names->second;
  if (setting.type == SettingType::boolean) return {"true", "false"};
  return setting.choices;
}

/// "pools[].gpu" -> "pools[0].gpu": the first entry stands for all.
std::string first_entry(std::string path) {
  for (std::size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]", at)) path.insert(at + 1, "0");
  return path;
}

/// "gpus.<name>.hbm_bytes_per_s" once for each GPU that is bundled.
std::vector<std::string> all_paths(const std::string& path) {
  static const std::map<std::string, std::vector<std::string>> bundled{
      {"gpus", list_gpus()},
      {"nodes", list_nodes()},
      {"fabrics", list_fabrics()},
      {"exchange_rates", {"EUR", "GBP", "CNY", "JPY"}}};
  const std::size_t at = path.find(any_name);
  if (at == std::string::npos) return {first_entry(path)};
  std::vector<std::string> paths;
  for (const std::string& name : bundled.at(path.substr(0, at - 1)))
    paths.push_back(path.substr(0, at) + name + path.substr(at + any_name.size()));
  return paths;
}

/// Every "path=" of a scenario, and "path=value" where the values are known.
std::vector<std::string> setting_words() {
  std::set<std::string> words;  // two policies may have a setting of the same name
  for (const Setting& setting : describe_settings<ScenarioSpec>()) {
    if (setting.type == SettingType::map || setting.type == SettingType::list) continue;
    for (const std::string& path : all_paths(setting.path)) {
      words.insert(path + "=");
      for (const std::string& value : value_words(setting)) words.insert(fmt::format("{}={}", path, value));
    }
  }
  return {words.begin(), words.end()};
}

class CompletionCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "SHELL", shell_, "shell", {"bash", "zsh", "fish"}, "Which shell")->required();
    app.footer(
        "Examples:\n"
        "  servecast completion bash > ~/.local/share/bash-completion/completions/servecast\n"
        "  servecast completion fish > ~/.config/fish/completions/servecast.fish");
    root_ = app.get_parent();
  }
  int run(Console& console) override {
    const auto commands = completed_commands(*root_, {{"PATH=VALUE", setting_words()},
                                                      {"PATH=VALUE,...", setting_words()},
                                                      {"WORDS", {detail_words.begin(), detail_words.end()}}});
    const std::map<std::string, std::string (*)(std::span<const CompletedCommand>)> scripts{
        {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
    console.out << scripts.at(shell_)(commands);
    return 0;
  }

 private:
  std::string shell_;
  const CLI::App* root_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() { return std::make_unique<CompletionCommand>(); }

}  // namespace servecast
