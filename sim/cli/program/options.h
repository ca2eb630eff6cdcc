#pragma once
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace servecast {

struct Override;
struct Scenario;
class UnsavedText;

/// "path=value" -> {path, value}. Throws UserError where there is no '=' or no path.
Override parse_override(const std::string& word);
std::vector<Override> parse_overrides(const std::vector<std::string>& words);

/// An option whose value is one of these words; `kind` is what a message calls it. Help and completion list them.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
                        const std::vector<std::string>& words, const std::string& help);

/// `--figures`: which figures of a report a table has, by their keys (sim/report/figures/figures.h).
CLI::Option* add_figures(CLI::App& app, std::vector<std::string>& keys);

/// An option that names a file or a folder; an empty name (an unset variable of a shell, say) is a mistake.
CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path, const std::string& type,
                      const std::string& help);

/// What is wrong with a word that is to be a finite number above 0; empty: nothing. For `check`, with the
/// description.
std::string not_above_zero(const std::string& word);
inline constexpr const char* above_zero = "POSITIVE";

/// An option that names a scenario (or, where `or_study`, a study): a file, or a name of one in a library.
CLI::Option* add_scenario(CLI::App& app, const std::string& name, std::string& file, const std::string& help,
                          bool or_study = false);

/// `--plugin`: libraries of policies, loaded before the command runs.
void add_plugins(CLI::App& app, std::vector<std::string>& files);

/// What every command that reads a scenario takes: the file, and settings that replace those in it.
struct ScenarioArguments {
  std::string file;
  std::vector<std::string> set;
  std::string text{};  // a file; empty: that of the scenario

  void declare(CLI::App& app, bool or_study = false);
  /// And `--text`.
  void declare_text(CLI::App& app);
  /// What `--text` gave, for as long as the scenario is read; null without it.
  std::unique_ptr<UnsavedText> unsaved() const;
  Scenario load() const;
};

}  // namespace servecast
