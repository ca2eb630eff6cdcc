#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/cli/listing/figures_text.h"
#include "sim/cli/listing/schema_markdown.h"
#include "sim/cli/listing/schema_text.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/rules/combinations.h"
#include "sim/input/yaml/schema.h"
#include "sim/plan/study/study_spec.h"

namespace servecast {
namespace {

constexpr std::string_view scenario_head =
    "# What a scenario can say\n\n"
    "<!-- Written by `servecast schema --format markdown`. Change the `fields()` of the code, not this file. -->\n\n"
    "Every key of a scenario file. A key left out takes its default; one that is required has none. An unknown key "
    "is\n"
    "an error. `servecast schema` prints this on the terminal, `servecast schema pools[].router` a part of it, and\n"
    "`--format json` is for programs; `servecast check FILE` says what is wrong with a file.\n";
constexpr std::string_view study_head =
    "# What a study can say\n\n"
    "<!-- Written by `servecast schema --of study --format markdown`. Change the `fields()` of the code, not this "
    "file. -->\n\n"
    "Every key of a study, the file that `servecast plan` reads; [plan.md](plan.md) says how they go together. Below "
    "`base`\n"
    "are the keys of a [scenario](scenario.md). `servecast check FILE` says what is wrong with a study, too.\n";

std::string combinations_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Combination& row : refused_combinations())
    rows.push_back(
        {{"feature", row.refused->name}, {"with", row.with->name}, {"reason", row.reason}, {"remedy", row.remedy}});
  return rows.dump(2) + "\n";
}

/// Those of the scenario that may stand in a study have a page of their own.
std::vector<Setting> study_settings() {
  std::vector<Setting> settings = describe_settings<StudySpec>();
  std::erase_if(settings, [](const Setting& s) { return s.path.starts_with("base."); });
  return settings;
}

/// "pools[0].router" and "pools.router" -> "pools[].router": as a schema writes it, without the entries' signs.
std::string without_entries(const std::string& path) {
  std::string bare;
  bool inside = false;
  for (const char c : path) {
    inside = inside || c == '[';
    if (!inside) bare += c;
    inside = inside && c != ']';
  }
  return bare;
}

/// What is at `path` and below it.
std::vector<Setting> part_of(std::vector<Setting> settings, const std::string& path) {
  const std::string wanted = without_entries(path);
  const std::string above = wanted.substr(0, wanted.rfind('.') == std::string::npos ? 0 : wanted.rfind('.'));
  std::vector<std::string> beside;
  for (const Setting& s : settings)
    if (without_entries(s.map()) == above && std::ranges::find(beside, s.path) == beside.end())
      beside.push_back(s.path);
  std::erase_if(settings, [&](const Setting& s) {
    const std::string bare = without_entries(s.path);
    return bare != wanted && !bare.starts_with(wanted + ".");
  });
  if (settings.empty()) throw UserError(unknown_name("key", path, beside));
  return settings;
}

class SchemaCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "--of", of_, "page", {"scenario", "study", "combinations", "figures"},
               "Which file's keys, what a scenario cannot combine, or the figures of a report (scenario)");
    add_choice(app, "--format", format_, "format", {"text", "json", "markdown"}, "How to write it (text)");
    app.add_option("PATH", path_, "Only this key and what is below it, e.g. pools[].router; left out: all keys");
    app.footer(
        "Examples:\n  servecast schema\n  servecast schema pools[].router\n  servecast schema --of study\n"
        "  servecast schema --format json");
  }
  int run(Console& console) override {
    if (!path_.empty() && (of_ == "combinations" || of_ == "figures"))
      throw UserError("a PATH is a key of a scenario or study; --of " + of_ + " has none");
    if (of_ == "combinations") {
      console.out << (format_ == "json" ? combinations_json() : combinations_markdown());
      return 0;
    }
    if (of_ == "figures") {
      console.out << (format_ == "json"       ? figures_json()
                      : format_ == "markdown" ? figures_markdown()
                                              : figures_plain());
      return 0;
    }
    const bool study = of_ == "study";
    std::vector<Setting> settings = study ? study_settings() : describe_settings<ScenarioSpec>();
    if (!path_.empty()) settings = part_of(std::move(settings), path_);
    console.out << (format_ == "json"       ? schema_json(settings)
                    : format_ != "markdown" ? schema_plain(settings)
                    : !path_.empty()        ? schema_part_markdown(settings)
                                            : schema_markdown(study ? study_head : scenario_head, settings));
    return 0;
  }

 private:
  std::string path_;
  std::string of_ = "scenario";
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_schema_command() { return std::make_unique<SchemaCommand>(); }

}  // namespace servecast
