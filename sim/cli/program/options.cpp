#include "sim/cli/program/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/cli/program/atomic_file.h"
#include "sim/input/files/unsaved_text.h"
#include "sim/input/library/library.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/figures/figures.h"

namespace servecast {

Override parse_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UserError("'" + word + "' sets nothing; write path=value, e.g. pools[0].replicas=8");
  return {.path = word.substr(0, equals), .value = word.substr(equals + 1)};
}

std::vector<Override> parse_overrides(const std::vector<std::string>& words) {
  std::vector<Override> overrides;
  for (const std::string& word : words) overrides.push_back(parse_override(word));
  return overrides;
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
                        const std::vector<std::string>& words, const std::string& help) {
  const auto unknown = [kind, words](const std::string& word) {
    return std::ranges::find(words, word) == words.end() ? unknown_name(kind, word, words) : std::string();
  };
  return app.add_option(name, value, help)->check(CLI::Validator(unknown, ""))->type_name(join(words, "|"));
}

CLI::Option* add_figures(CLI::App& app, std::vector<std::string>& keys) {
  const auto unknown = [](const std::string& key) -> std::string {
    try {
      return figure(key), "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  return app
      .add_option("--figures", keys, "Figures to list, e.g. ttft_s.p90,pools[0].busy_fraction (those one plans with)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(unknown, ""))
      ->type_name("KEY,...");
}

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path, const std::string& type,
                      const std::string& help) {
  const auto nameless = [](const std::string& word) { return word.empty() ? "the name is empty" : ""; };
  return app.add_option(name, path, help)->check(CLI::Validator(nameless, ""))->type_name(type);
}

std::string not_above_zero(const std::string& word) {
  double value = 0;
  const bool right = CLI::detail::lexical_cast(word, value) && std::isfinite(value) && value > 0;
  return right ? "" : "'" + word + "' is no number above 0";
}

CLI::Option* add_scenario(CLI::App& app, const std::string& name, std::string& file, const std::string& help,
                          bool or_study) {
  const auto look_up = [or_study](std::string& word) {
    for (const LibraryFolder* folder : {&scenario_folder, &study_folder}) {
      if (is_path(*folder, word) || is_there(word) || (folder == &study_folder && !or_study)) continue;
      if (const std::string found = library_path(*folder, word); is_there(found)) word = found;
    }
    return std::string();
  };
  return add_path(app, name, file, "FILE", help)->transform(CLI::Validator(look_up, ""));
}

void add_plugins(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("--plugin", files, "Load a library of policies first; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void ScenarioArguments::declare(CLI::App& app, bool or_study) {
  add_scenario(app, "SCENARIO", file, "The scenario, a YAML file; or the name of one in a library", or_study)
      ->required();
  app.add_option("--set", set, "Replace a setting, e.g. pools[0].router.policy=random; may be given several times")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

void ScenarioArguments::declare_text(CLI::App& app) {
  add_path(app, "--text", text, "FILE",
           "Read the scenario's text from FILE (-: standard input), as if SCENARIO held it");
}

std::unique_ptr<UnsavedText> ScenarioArguments::unsaved() const {
  if (text.empty()) return nullptr;
  return std::make_unique<UnsavedText>(file, read_whole(text == "-" ? "/dev/stdin" : text, settings_mib));
}

Scenario ScenarioArguments::load() const { return load_scenario(file, parse_overrides(set)); }

}  // namespace servecast
