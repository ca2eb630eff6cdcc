#include <CLI/CLI.hpp>
#include <filesystem>

#include "models/base/error.h"
#include "sim/cli/output/progress.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/hold_signals.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/reproduce/recorded.h"
#include "sim/reproduce/reproduction_text.h"

namespace servecast {
namespace {

class ReproduceCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("systems", ids_, "Published systems, by the names of their sections: S9, MoE-Infinity, ...")
        ->type_name("SYSTEM");
    app.add_flag("--all", all_, "Every system");
    app.add_flag("--quick", quick_, "Leave out the figures that take longest");
    add_path(app, "--traces", traces_, "DIR",
             "Where public traces lie, in the folder or in one below; figures on others wait");
    add_path(app, "--recorded", recorded_, "FILE", "Show the figures of this file instead of simulating");
    add_path(app, "--record", record_, "FILE", "Write our figures into this file; those of other systems stay");
    add_path(app, "--compare", compare_, "FILE",
             "Exit with 1 where a figure is not as in this file, or its band is newly missed");
    add_choice(app, "--format", format_, "format", {"text", "markdown", "overview", "json"},
               "How to write it (text)");
    app.add_option("--jobs", jobs_, "Simulations at a time (one per processor)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    progress_.declare(app);
    app.footer(
        "Examples:\n  servecast reproduce S17\n  servecast reproduce --all --traces ~/traces\n"
        "  servecast reproduce S9 --recorded docs/reproductions.json --format markdown");
  }

  int run(Console& console) override {
    refuse_what_would_be_ignored();
    std::vector<PaperSystem> systems = all_ ? paper_systems() : systems_called(ids_);
    if (quick_) systems = quick_rows(std::move(systems));
    if (!recorded_.empty()) return show(recorded(recorded_, systems), console);
    std::vector<ReproducedSystem> found;
    try {
      found = simulate(systems, console);
    } catch (const Stopped&) {
      return cut_short;
    }
    if (!record_.empty()) record(record_, found);
    show(found, console);
    return compare_.empty() ? 0 : compare(found, console);
  }

 private:
  void refuse_what_would_be_ignored() const {
    if (all_ && !ids_.empty()) throw UserError("--all names every system; leave out '" + ids_.front() + "' or --all");
    if (!all_ && ids_.empty()) throw UserError("which systems? Name some, S9 say, or give --all");
    if (!recorded_.empty() && (!record_.empty() || !compare_.empty()))
      throw UserError("--recorded simulates nothing, so that there is nothing to record or to compare");
    if (!traces_.empty() && !std::filesystem::is_directory(traces_)) throw UserError({traces_}, "is no folder");
  }

  std::vector<ReproducedSystem> simulate(const std::vector<PaperSystem>& systems, const Console& console) const {
    const HoldSignals signals;
    ProgressView view(progress_.style(console), console.err);
    RunsProgress last;
    const auto found = reproduce(systems, {.traces = traces_,
                                           .at_a_time = jobs_ > 0 ? static_cast<std::size_t>(jobs_) : processors(),
                                           .progress =
                                               [&](const RunsProgress& progress) {
                                                 last = progress;
                                                 view.show(progress);
                                               },
                                           .stop = [&] { return signals.pending(); }});
    view.finish(last);
    return found;
  }

  int show(const std::vector<ReproducedSystem>& found, Console& console) const {
    console.out << (format_ == "json"       ? reproduction_json(found)
                    : format_ == "markdown" ? reproduction_markdown(found)
                    : format_ == "overview" ? reproduction_overview(found)
                                            : reproduction_text(found));
    return 0;
  }

  int compare(const std::vector<ReproducedSystem>& found, const Console& console) const {
    const std::vector<std::string> lines = differences(compare_, found);
    for (const std::string& line : lines) console.err << line << "\n";
    return lines.empty() ? 0 : 1;
  }

  std::vector<std::string> ids_;
  bool all_ = false;
  bool quick_ = false;
  std::string traces_;
  std::string recorded_;
  std::string record_;
  std::string compare_;
  std::string format_ = "text";
  std::int64_t jobs_ = 0;
  ProgressArguments progress_;
};

}  // namespace

std::unique_ptr<Command> make_reproduce_command() { return std::make_unique<ReproduceCommand>(); }

}  // namespace servecast
