#include <filesystem>
#include <memory>
#include <optional>

#include "models/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/hold_signals.h"
#include "sim/cli/options.h"
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
    add_path(app, "STUDY", study_, "FILE", "The study, a YAML file")->required();
    add_path(app, "-o,--out", out_, "DIR",
             "Write plan.json and plan.sqlite into this folder; what it has already is not simulated again");
    app.add_flag("--bounds-only", bounds_only_, "Simulate nothing: what memory, budgets and bounds say of every design");
    add_choice(app, "--format", format_, "format", {"text", "json"}, "Answer on the terminal (text)");
    app.footer("Examples:\n  servecast plan study.yaml --out plan\n  servecast plan study.yaml --format json");
  }

  int run(Console& console) override {
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
  bool bounds_only_ = false;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace servecast
