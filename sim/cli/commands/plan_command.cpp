#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/carry_out.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/cli/runs/plan_emit.h"
#include "sim/cli/runs/plan_study.h"
#include "sim/cli/runs/sizing_arguments.h"
#include "sim/plan/emit/slurm.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Numbers of a new study without any: they show what to write.
constexpr const char* example_model = "llama-3.1-8b";
constexpr double example_rate_per_s = 10;
constexpr double example_ttft_p99_s = 1;
constexpr double example_tpot_p99_s = 0.05;

constexpr const char* no_set = "--set goes with --emit vllm or kubernetes; a study has its own 'set'";

class PlanCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_path(app, "STUDY", scenario_.file, "FILE",
             "The study, a YAML file; with --emit a scenario or the folder of a plan; with --new the study to be "
             "written, or a scenario to write one for");  // absent before a command
    app.add_flag("--new", new_, "Write the study first: for a scenario, or for --model and what arrives");
    sizing_.declare(app);
    app.add_option("--set", scenario_.set, "With --emit: replace a setting; may be given several times")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    add_choice(app, "--emit", emit_, "output", {emit_vllm, emit_kubernetes, emit_slurm},
               "Simulate nothing: command lines (vllm) or manifest (kubernetes) of a scenario or of a plan's answer; "
               "a job array that carries out the study (slurm)");
    app.add_option("--shard", shard_, "Only the k-th of n shares of the work, for plan merge")->type_name("K/N");
    app.add_option("--shards", shards_, "Shares of the job array (8)")->check(CLI::Range(1, 100000))->type_name("N");
    app.add_flag("--bounds-only", bounds_only_,
                 "Simulate nothing: what memory, budgets and bounds say of every design");
    add_choice(app, "--format", format_, "format", {"text", "json"}, "Answer on the terminal (text)");
    runs_.declare(app);
    app_ = &app;
    app.footer(
        "Examples:\n"
        "  servecast plan study.yaml --out plan\n"
        "  servecast plan --new chat.yaml --gpus h100,a100\n"
        "  servecast plan --new mine.yaml --model llama-3.1-70b --rate 12 --ttft-p99 1 --tpot-p99 0.05\n"
        "  servecast plan --emit vllm plan\n"
        "  servecast plan --emit kubernetes chat.yaml\n"
        "  servecast plan study.yaml --out /shared/plan --emit slurm --shards 8 > array.sh\n"
        "  servecast plan merge /shared/plan/shard-* --out /shared/plan");
  }

  int run(Console& console) override {
    if (scenario_.file.empty())
      throw UserError("say what to do: plan STUDY, plan --emit vllm SCENARIO, or plan merge DIR... --out DIR");
    refuse_unused();
    if (emit_ == emit_slurm) return emit_array(console);
    if (!emit_.empty()) {
      console.out << emitted(emit_, to_emit().load());
      return 0;
    }
    if (!scenario_.set.empty()) throw UserError(no_set);
    if (new_) write_study(console);
    if (bounds_only_) {
      print_plan(size_up_study(scenario_.file), format_, console);
      return 0;
    }
    try {
      return shard_.empty() ? carry_out(scenario_.file, runs_, format_, console) : share(console);
    } catch (const Stopped&) {
      return cut_short;
    }
  }

 private:
  /// No option is ignored: each thing that this command does says which it has no use for.
  void refuse_unused() const {
    const auto refuse = [&](const std::string& beside, std::initializer_list<const char*> unused) {
      for (const char* option : unused)
        if (app_->count(option) > 0) throw UserError(std::string(option) + " changes nothing beside " + beside);
    };
    if (emit_ == emit_slurm)
      refuse("--emit slurm", {"--bounds-only", "--format", "--shard", "--jobs"});
    else if (!emit_.empty())
      refuse("--emit " + emit_, {"--bounds-only", "--format", "--shard", "--shards", "--jobs", "--out"});
    else if (bounds_only_)
      refuse("--bounds-only", {"--shard", "--shards", "--jobs", "--out"});
    else if (!shard_.empty())
      refuse("--shard", {"--shards", "--format"});
    else if (app_->count("--shards") > 0)
      throw UserError("--shards goes with --emit slurm");
    if (!new_ && sizing_.given())
      throw UserError("--model, --rate, --gpus and their like go with --new; a study has its own");
    if (new_ && !emit_.empty()) throw UserError("--new changes nothing beside --emit " + emit_);
  }

  /// The scenario, or the answer of the plan whose folder was given: its base with the design's settings.
  ScenarioArguments to_emit() const {
    if (!is_folder(scenario_.file)) return scenario_;
    const PlanReport report = read_plan_tables((fs::path(scenario_.file) / results_name).string());
    const auto best = std::ranges::find_if(
        report.designs, [](const PlanDesign& d) { return d.verdict == "chosen" || d.verdict == "front"; });
    if (best == report.designs.end()) throw UserError({scenario_.file}, "no design of this plan keeps its promises");
    ScenarioArguments answer{.file = report.scenario_file, .set = best->set};
    answer.set.insert(answer.set.end(), scenario_.set.begin(), scenario_.set.end());
    return answer;
  }

  /// Into the file that was named; for a scenario into a file beside it that is called after it, in this folder.
  void write_study(Console& console) {
    SizingArguments sizing = sizing_;
    std::string file = scenario_.file;
    if (is_there(file)) {
      if (is_study(file)) throw UserError({file}, "is a study; carry it out without --new");
      sizing.scenario = file;
      file = fs::path(file).stem().string() + ".study.yaml";
      if (!sizing_.model.empty()) throw UserError("--model changes nothing beside a scenario, which has its own");
    } else if (!sizing_.given()) {
      sizing.model = example_model;
      sizing.rate_per_s = example_rate_per_s;
      sizing.ttft_p99_s = example_ttft_p99_s;
      sizing.tpot_p99_s = example_tpot_p99_s;
      console.err << "servecast: model, rate and promises of this study are examples; change them in the file\n";
    }
    if (is_there(file)) throw UserError({file}, "is there already; carry it out without --new, or name another file");
    write_text(file, sizing.study_text(file));
    console.err << "servecast: wrote " << file << "\n";
    scenario_.file = file;
  }

  int emit_array(Console& console) const {
    if (!scenario_.set.empty()) throw UserError(no_set);
    if (runs_.out.empty())
      throw UserError("--emit slurm needs a folder that all nodes see; say which with --out DIR");
    load_study(scenario_.file);  // a mistake is reported now, not by every task
    console.out << slurm_array({.program = sibling_program("servecast"),
                                .words = {"plan", scenario_.file},
                                .out = runs_.out,
                                .shards = shards_});
    return 0;
  }

  int share(Console& console) const {
    const Shard share = parse_shard(shard_);
    if (runs_.out.empty())
      throw UserError("--shard needs a folder of its own for its results; say which with --out DIR");
    ManyRuns runs(runs_, 0, console);
    const std::string done = simulate_share(scenario_.file, share, runs.evaluator());
    const int status = runs.finish();
    console.out << done;
    return status;
  }

  const CLI::App* app_ = nullptr;
  ScenarioArguments scenario_;
  SizingArguments sizing_;
  bool new_ = false;
  ManyRunsArguments runs_;
  std::string emit_;
  std::string format_ = "text";
  std::string shard_;
  std::int64_t shards_ = 8;
  bool bounds_only_ = false;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace servecast
