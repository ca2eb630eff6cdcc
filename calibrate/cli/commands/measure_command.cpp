#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/measuring/measure_serve.h"
#include "calibrate/cli/measuring/measure_step.h"
#include "calibrate/measure/measure.h"
#include "models/base/error.h"
#include "models/base/escaped.h"
#include "servecast_version.h"
#include "sim/cli/output/progress.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"

namespace servecast {
namespace {

constexpr int no_measurement = 3;

class MeasureCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--gpu", arguments_.gpu,
                   "What this GPU is: a bundled name or a YAML file; the samples carry its name")
        ->required();
    CLI::Option* budget = app.add_option("--budget", arguments_.budget_s, "Seconds that it may take")
                              ->type_name("SECONDS")
                              ->check(not_above_zero, above_zero)
                              ->capture_default_str();
    add_path(app, "--out", arguments_.out, "FILE",
             "Where to write the samples; goes on with a file it has begun. With --serve: a folder")
        ->required();
    step_.declare(app);
    serve_.declare(app);
    step_.option()->excludes(serve_.option());
    budget->excludes(serve_.option());
    app.add_option("--profile", profile_,
                   "With --step and --serve: compare with what this profile says, a bundled name or a YAML file");
    progress_.declare(app);
    app.footer(
        "Each sample is in the file as soon as it is measured. Clocks, power limits and MIG are left as they are.\n"
        "Exit status 3: the GPU cannot be measured.\n"
        "Examples:\n  servecast-calibrate measure --gpu h100_sxm_80g --budget 300 --out samples.csv\n"
        "  servecast-calibrate measure --gpu h100_sxm_80g --step llama-3.1-8b --layers 4 --profile mine.yaml --out "
        "steps.csv\n"
        "  servecast-calibrate measure --gpu h100_sxm_80g --serve llama-3.1-8b --trace chat.csv --profile mine.yaml "
        "--out served");
  }

  int run(Console& console) override {
    if (!profile_.empty() && !step_.wanted() && !serve_.wanted())
      throw UserError("--profile is compared with whole steps: add --step or --serve, or leave it out");
    try {
      if (serve_.wanted())
        serve_.run(arguments_, profile_, console);
      else
        take_samples(console);
      return 0;
    } catch (const DeviceError& error) {
      console.err << "servecast-calibrate measure: " << visible(error.what()) << "\n";
      return no_measurement;
    }
  }

 private:
  void take_samples(Console& console) {
    if (!profile_.empty()) load_profile(profile_, {});  // its mistakes are reported before anything is measured
    ProgressView view(progress_.style(console), console.err);
    const auto show = [&](const MeasureProgress& p) { view.show(shown(p)); };
    const MeasureProgress done = step_.wanted() ? step_.run(arguments_, show) : measure_kernels(show);
    view.finish(shown(done));
    print(console, done);
    for (const std::string& note : notes_) console.err << visible(note) << "\n";
    if (step_.wanted() && !profile_.empty()) step_.compare(arguments_, profile_, console);
  }

  MeasureProgress measure_kernels(const ShowProgress& show) {
    const MeasureRequest request{.gpu = load_gpu(arguments_.gpu, {}).name,
                                 .version = version,
                                 .out = arguments_.out,
                                 .budget_s = arguments_.budget_s,
                                 .series = standard_series()};
    const std::unique_ptr<GpuBench> bench = open_gpu_bench();
    MeasureProgress done = measure(request, *bench, show);
    notes_ = bench->notes();
    return done;
  }

  BudgetProgress shown(const MeasureProgress& p) const {
    return {.spent_s = p.spent_s,
            .budget_s = arguments_.budget_s,
            .words = fmt::format("{} samples", p.found + p.samples)};
  }

  void print(Console& console, const MeasureProgress& done) const {
    fmt::print(console.out, "{} samples in {}", done.samples, visible(arguments_.out));
    if (done.found > 0) fmt::print(console.out, " beside {} that were there", done.found);
    if (done.throttled > 0) fmt::print(console.out, "; {} left out: the GPU throttled", done.throttled);
    if (done.skipped > 0) fmt::print(console.out, "; {} do not fit or cannot run here", done.skipped);
    fmt::print(console.out, "\n");
    if (done.clocks.targets() > 0) fmt::print(console.out, "{}\n", done.clocks.text());
  }

  MeasureArguments arguments_;
  MeasureStep step_;
  MeasureServe serve_;
  std::string profile_;
  std::vector<std::string> notes_;  // what could not be looked at here
  ProgressArguments progress_;
};

}  // namespace

std::unique_ptr<Command> make_measure_command() { return std::make_unique<MeasureCommand>(); }

}  // namespace servecast
