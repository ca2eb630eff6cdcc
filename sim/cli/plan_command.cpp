#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "models/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/hold_signals.h"
#include "sim/cli/options.h"
#include "sim/cli/plan_emit.h"
#include "sim/cli/plan_study.h"
#include "sim/cli/scenario_simulator.h"
#include "sim/plan/forked_evaluator.h"
#include "sim/report/text_file.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

constexpr int cut_short = 130;  // where whoever started us keeps the signal from ending us

/// The file is the old one or the new one, never something between.
void write_whole(const fs::path& file, const std::string& text) {
  fs::path partial = file;
  partial += ".partial";
  write_text(partial.string(), text);
  fs::rename(partial, file);
}

class PlanCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_path(app, "STUDY", study_, "FILE", "The study, a YAML file; with --emit a scenario or the folder of a plan");
    add_path(app, "-o,--out", out_, "DIR",
             "Write plan.json and plan.sqlite into this folder; what it has already is not simulated again");
    app.add_flag("--bounds-only", bounds_only_, "Simulate nothing: what memory, budgets and bounds say of every design");
    add_choice(app, "--format", format_, "format", {"text", "json"}, "Answer on the terminal (text)");
    add_choice(app, "--emit", emit_, "what", {emit_vllm, emit_kubernetes},
               "Simulate nothing. vllm: command lines of a scenario or of a plan's answer; kubernetes: a manifest");
    app.add_option("--set", set_, "With --emit: replace a setting; may be given several times")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    app.footer(
        "Examples:\n"
        "  servecast plan study.yaml --out plan\n"
        "  servecast plan --emit vllm plan\n"
        "  servecast plan --emit kubernetes chat.yaml\n"
        "  servecast plan merge study/shard-* --out study");
  }

  int run(Console& console) override {
    if (study_.empty()) throw UserError("plan: a study is missing; give the path of a YAML file");
    if (!emit_.empty()) {
      console.out << emitted(emit_, to_emit().load());
      return 0;
    }
    if (!set_.empty()) throw UserError("--set: goes with --emit; in a study settings are dimensions or part of the base");
    if (bounds_only_) {
      print(size_up_study(study_), console);
      return 0;
    }
    const std::optional<ScratchFolder> scratch = out_.empty() ? std::make_optional<ScratchFolder>() : std::nullopt;
    const fs::path folder = out_.empty() ? *scratch / "" : fs::path(out_);
    fs::create_directories(folder);
    try {
      const PlanReport report = plan(folder, console);
      if (!out_.empty()) {
        write_plan_tables((folder / "plan.sqlite").string(), report);
        write_whole(folder / "plan.json", to_json(report));
      }
      refuse_without_answer(report);
      print(report, console);
    } catch (const Stopped&) {
      return cut_short;
    }
    return 0;
  }

 private:
  /// A scenario, or the answer of a plan whose folder was given: its base with the design's settings.
  ScenarioArguments to_emit() const {
    if (!fs::is_directory(study_)) return {.file = study_, .set = set_};
    const PlanReport report = read_plan_tables((fs::path(study_) / "plan.sqlite").string());
    const auto best = std::ranges::find_if(
        report.designs, [](const PlanDesign& d) { return d.verdict == "chosen" || d.verdict == "front"; });
    if (best == report.designs.end()) throw UserError({study_}, "no design of this plan keeps its promises");
    ScenarioArguments scenario{.file = report.scenario_file, .set = best->set};
    scenario.set.insert(scenario.set.end(), set_.begin(), set_.end());
    return scenario;
  }

  void print(const PlanReport& report, Console& console) const {
    console.out << (format_ == "json" ? to_json(report)
                                      : plan_text(report, static_cast<std::size_t>(console.text.width)));
  }

  PlanReport plan(const fs::path& folder, const Console& console) const {
    const HoldSignals signals;  // until what is half-written is either complete or gone
    ScenarioSimulator simulator;
    ResultsFile known((folder / "plan.sqlite").string());
    ForkedEvaluator evaluator(simulator, &known, {.stop = [&] { return signals.pending(); }});
    PlanReport report = plan_study(study_, folder.string(), evaluator);
    console.err << evaluator.simulated() << " runs simulated\n";
    return report;
  }

  std::string study_;
  std::string out_;
  std::string format_ = "text";
  std::string emit_;
  std::vector<std::string> set_;
  bool bounds_only_ = false;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace servecast
