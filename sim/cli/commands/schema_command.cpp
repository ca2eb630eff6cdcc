#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sim/cli/listing/figures_text.h"
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
    "an error. `servecast schema` prints this on the terminal and, with `--format json`, for programs;\n"
    "`servecast check FILE` says what is wrong with a file.\n";
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
    rows.push_back({{"feature", row.refused->name},
                    {"with", row.with->name},
                    {"obstacle", name(row.obstacle)},
                    {"reason", row.reason},
                    {"remedy", row.remedy}});
  return rows.dump(2) + "\n";
}

/// Those of the scenario that may stand in a study have a page of their own.
std::vector<Setting> study_settings() {
  std::vector<Setting> settings = describe_settings<StudySpec>();
  std::erase_if(settings, [](const Setting& s) { return s.path.starts_with("base."); });
  return settings;
}

class SchemaCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "--of", of_, "page", {"scenario", "study", "combinations", "figures"},
               "Which file's keys, what a scenario cannot combine, or the figures of a report (scenario)");
    add_choice(app, "--format", format_, "format", {"text", "json", "markdown"}, "How to write it (text)");
    app.footer("Examples:\n  servecast schema\n  servecast schema --of study\n  servecast schema --format json");
  }
  int run(Console& console) override {
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
    const std::vector<Setting> settings = study ? study_settings() : describe_settings<ScenarioSpec>();
    console.out << (format_ == "json"       ? schema_json(settings)
                    : format_ == "markdown" ? schema_markdown(study ? study_head : scenario_head, settings)
                                            : schema_plain(settings));
    return 0;
  }

 private:
  std::string of_ = "scenario";
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_schema_command() { return std::make_unique<SchemaCommand>(); }

}  // namespace servecast
