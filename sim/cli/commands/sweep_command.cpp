#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "models/base/error.h"
#include "sim/cli/output/output_checks.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/plan/compare/sweep_page.h"
#include "sim/plan/compare/sweep_table.h"
#include "sim/plan/emit/slurm.h"
#include "sim/plan/search/shard.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

class SweepCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    scenario_.declare(app);
    app.add_option("--over", over_, "A setting and its values, e.g. pools[0].replicas=1,2,4; several make a grid")
        ->required()
        ->type_name("PATH=VALUE,...")
        ->allow_extra_args(false);
    app.add_option("--replicates", replicates_, "Other seeds and draws of the calibration's error per point (0)")
        ->check(CLI::Range(0, 10000))
        ->type_name("N");
    add_path(app, "--csv", csv_, "FILE", "Write the table with every figure");
    add_figures(app, figures_);
    add_choice(app, "--format", format_, "format", {"text", "json", "markdown"}, "How to write the table (text)");
    app.add_option("--across", across_, "With --format markdown: this setting's values are columns, not rows")
        ->type_name("PATH");
    app.add_option("--shard", shard_, "Only the k-th of n shares of the points")->type_name("K/N");
    add_choice(app, "--emit", emit_, "output", {"slurm"}, "Print a job array that does this instead of doing it");
    app.add_option("--shards", shards_, "Shares of the job array (8)")->check(CLI::Range(1, 100000))->type_name("N");
    runs_.declare(app);
    app.footer(
        "Examples:\n"
        "  servecast sweep chat.yaml --over pools[0].replicas=1,2,4 --over workload.trace.rate_scale=4,8\n"
        "  servecast sweep chat.yaml --over pools[0].router.policy=random,least_loaded --replicates 20 --out study");
  }

  int run(Console& console) override {
    SweepTable table{.figures = figure_columns(figures_)};
    for (const std::string& word : over_) table.dimensions.push_back(parse_axis(word));
    table.points = grid(table.dimensions);
    refuse_across_of_nothing();
    parse_overrides(scenario_.set);
    if (!emit_.empty()) return emit(console);
    if (!shard_.empty())
      std::erase_if(table.points, [shard = parse_shard(shard_)](const std::vector<std::string>& point) {
        return !shard.takes(point);
      });
    int status = 0;
    try {
      status = simulate(table, console);
    } catch (const Stopped&) {
      return cut_short;
    }
    if (!csv_.empty()) write_sweep_csv(csv_, table);
    if (!runs_.out.empty()) {
      write_sweep_csv(runs_.file("sweep.csv"), table);
      write_text(runs_.file("sweep.json"), text_of(sweep_json(table)));
    }
    console.out << (format_ == "json"       ? text_of(sweep_json(table))
                    : format_ == "markdown" ? sweep_markdown(table, across_)
                                            : sweep_text(table));
    return status;
  }

 private:
  void refuse_across_of_nothing() const {
    if (across_.empty()) return;
    if (format_ != "markdown") throw UserError("--across would be ignored: it goes with --format markdown");
    if (std::ranges::none_of(over_, [&](const std::string& word) { return parse_axis(word).path == across_; }))
      throw UserError("--across '" + across_ + "' is none of the settings of --over; name one of them");
  }

  /// The exit status.
  int simulate(SweepTable& table, const Console& console) const {
    std::vector<RunRequest> requests;
    for (const std::vector<std::string>& point : table.points) {
      requests.push_back({.scenario = scenario_.file, .set = scenario_.set});
      requests.back().set.insert(requests.back().set.end(), point.begin(), point.end());
    }
    if (!csv_.empty()) refuse_to_replace_input("--csv", csv_, {scenario_.file});
    ManyRuns runs(runs_, requests.size() * (1 + static_cast<std::size_t>(replicates_)), console);
    table.results = evaluate_replicated(runs.evaluator(), requests, replicates_);
    const int status = runs.finish();
    if (status == 0) refuse_if_nothing_ran(table);
    return status;
  }

  /// A point that cannot be is a row of the table; where no point can, something is wrong with what all share.
  static void refuse_if_nothing_ran(const SweepTable& table) {
    if (table.results.empty() ||
        std::ranges::any_of(table.results, [](const Replicated& d) { return d.best.has_value(); }))
      return;
    throw UserError("no point of the sweep can run; the first: " + table.results.front().failure);
  }

  int emit(Console& console) const {
    if (runs_.out.empty())
      throw UserError("--emit slurm needs a folder that all nodes see; say which with --out DIR");
    std::vector<std::string> words{"sweep", scenario_.file};
    const auto add = [&](const char* option, const std::vector<std::string>& values) {
      for (const std::string& value : values) words.insert(words.end(), {option, value});
    };
    add("--set", scenario_.set);
    add("--over", over_);
    add("--figures", figures_);
    if (replicates_ > 0) add("--replicates", {std::to_string(replicates_)});
    console.out << slurm_array(
        {.program = sibling_program("servecast"), .words = words, .out = runs_.out, .shards = shards_});
    return 0;
  }

  ScenarioArguments scenario_;
  ManyRunsArguments runs_;
  std::vector<std::string> over_;
  std::int64_t replicates_ = 0;
  std::string csv_;
  std::vector<std::string> figures_;
  std::string format_ = "text";
  std::string across_;
  std::string shard_;
  std::string emit_;
  std::int64_t shards_ = 8;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace servecast
