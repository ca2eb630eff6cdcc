#include <CLI/CLI.hpp>
#include <optional>

#include "models/base/error.h"
#include "servecast_version.h"
#include "sim/cli/output/added_files.h"
#include "sim/cli/output/detail.h"
#include "sim/cli/output/output_checks.h"
#include "sim/cli/output/progress.h"
#include "sim/cli/output/settings_text.h"
#include "sim/cli/output/trace_output.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/hold_signals.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/engine/run/run.h"
#include "sim/input/files/files_read.h"
#include "sim/input/files/unsaved_text.h"
#include "sim/input/scenario/scenario.h"
#include "sim/plan/compare/replicated.h"
#include "sim/plan/runs/run_key.h"
#include "sim/report/csv/csv_reports.h"
#include "sim/report/figures/replicates.h"
#include "sim/report/files/output_folder.h"
#include "sim/report/files/text_file.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {
namespace {

struct Report {
  Summary summary;
  std::vector<SeriesRow> series;
  std::optional<Interval> interval{};

  std::string json() const { return interval ? to_json(summary, *interval) : to_json(summary); }
};

std::vector<std::string> pool_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Pool& pool : scenario.pools) names.push_back(pool.spec.name);
  return names;
}

Progress at_the_end(const Summary& s) {
  return {.simulated_s = s.duration_s,
          .fraction_read = 1,
          .arrived = s.requests.arrived,
          .finished = s.requests.completed + s.requests.rejected};
}

class RunCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    scenario_.declare(app);
    scenario_.declare_text(app);
    add_path(app, "-o,--out", out_, "DIR", "Write summary.json, requests.csv and series.csv into this folder");
    add_choice(app, "--format", format_, "format", {"text", "json"}, "Report on the terminal (text)");
    app.add_option("--detail", detail_,
                   "More files for DIR: replicas,links,flows,gateway,steps[@FROM:TO], times in s")
        ->type_name("WORDS");
    app.add_option("--replicates", replicates_,
                   "Repeat with other seeds and draws of the calibration's error, for 90 % intervals (0)")
        ->check(CLI::Range(0, 10000))
        ->type_name("N");
    add_path(app, "--trace", trace_, "FILE", "Write a trace for ui.perfetto.dev");
    progress_.declare(app);
    app.add_flag("--step-by-step", step_by_step_, "Put every step before the engine: slow, and gives the same bytes");
    app.footer(
        "Examples:\n"
        "  servecast run chat.yaml\n"
        "  servecast run chat.yaml --set pools[0].replicas=8 --set workload.trace.rate_scale=2\n"
        "  servecast run chat.yaml --out report --detail replicas,steps@10:20");
  }

  int run(Console& console) override {
    const auto unsaved = scenario_.unsaved();  // replicates read it, too, in their own processes
    const DetailChoice detail = parse_detail(detail_);
    if (detail.any() && out_.empty()) throw UserError("--detail writes files; say where with --out DIR");
    std::vector<AddedFile> added;
    Scenario scenario = load(added);
    const HoldSignals signals;  // until all that is half-written is either complete or gone
    try {
      const std::optional<Interval> interval = simulate_replicates(console);
      return forecast(scenario, std::move(added), interval, detail, signals, console) ? 0 : cut_short;
    } catch (const Stopped&) {
      return cut_short;
    } catch (const CutShort&) {
      return cut_short;
    }
  }

 private:
  /// Throws UserError where the trace would replace what is read, or be lost with the folder's old report.
  Scenario load(std::vector<AddedFile>& added) const {
    if (!trace_.empty() && !out_.empty()) refuse_in_report("--trace", trace_, out_);
    const FilesRead read;
    Scenario scenario = scenario_.load();
    if (!trace_.empty()) refuse_to_replace_input("--trace", trace_, read.files());
    FileDigests digests;
    added = added_files(read.files(), digests);
    return scenario;
  }

  /// In child processes, and so before this one runs the engine. None where the user asked for none.
  std::optional<Interval> simulate_replicates(const Console& console) const {
    if (replicates_ == 0) return std::nullopt;
    ManyRuns runs({.progress = progress_}, static_cast<std::size_t>(replicates_) + 1, console);
    const RunRequest request{.scenario = scenario_.file, .set = scenario_.set};
    const Replicated replicated = evaluate_replicated(runs.evaluator(), std::span(&request, 1), replicates_).front();
    if (!replicated.failure.empty()) runs.refuse("replicates failed: " + replicated.failure);
    runs.finish();
    return replicated.interval();
  }

  /// False: cut short by a signal.
  bool forecast(Scenario& scenario, std::vector<AddedFile> added, const std::optional<Interval>& interval,
                const DetailChoice& detail, const HoldSignals& signals, Console& console) const {
    const std::vector<std::string> pools = pool_names(scenario);
    std::optional<OutputFolder> folder;
    if (!out_.empty()) folder.emplace(out_);
    std::optional<TraceOutput> trace;
    if (!trace_.empty()) trace.emplace(trace_, pools);
    DetailWriter details(detail, folder ? &*folder : nullptr, trace ? &trace->events() : nullptr, pools);
    Recorder recorder(scenario.pools.size(), {.records = folder || trace});
    ProgressView progress(progress_.style(console), console.err);

    RunFacts facts = servecast::run(scenario, recorder,
                                    {.progress = [&](const Progress& p) { progress.show(p); },
                                     .stop = [&] { return signals.pending(); },
                                     .detail = detail.any() || trace ? &details : nullptr,
                                     .step_by_step = step_by_step_});
    if (signals.pending()) return false;
    facts.version = version;
    facts.settings = settings_text(scenario.spec);
    facts.added_files = std::move(added);
    const Report report{
        .summary = summarise(recorder, facts), .series = make_series(recorder, facts), .interval = interval};
    details.close();
    if (folder) write_files(*folder, report, recorder, facts);
    if (trace)
      for (const RequestRecord& request : recorder.requests()) trace->events().request(request);
    if (signals.pending()) return false;
    if (trace) trace->commit();
    if (folder) folder->commit();
    progress.finish(at_the_end(report.summary));
    console.out << (format_ == "json" ? report.json()
                                      : text_report(report.summary, report.series, console.text, report.interval));
    return true;
  }

  static void write_files(const OutputFolder& folder, const Report& report, const Recorder& recorder,
                          const RunFacts& facts) {
    write_text(folder.file("summary.json"), report.json());
    write_requests_csv(folder.file("requests.csv"), recorder.requests(), facts, recorder.gateway_requests());
    write_series_csv(folder.file("series.csv"), report.series, facts);
  }

  ScenarioArguments scenario_;
  std::string out_;
  std::string format_ = "text";
  std::string detail_;
  std::string trace_;
  ProgressArguments progress_;
  bool step_by_step_ = false;
  std::int64_t replicates_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace servecast
