#include <fmt/format.h>
#include <fmt/ostream.h>

#include "calibrate/cli/commands.h"
#include "calibrate/measure/measure.h"
#include "servecast_version.h"
#include "sim/cli/options.h"
#include "sim/cli/progress.h"
#include "sim/input/hardware.h"

namespace servecast {
namespace {

constexpr int no_measurement = 3;

class MeasureCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--gpu", gpu_, "What this GPU is: a bundled name or a YAML file; the samples carry its name")
        ->required();
    app.add_option("--budget", budget_s_, "Seconds that it may take")
        ->type_name("SECONDS")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    add_path(app, "--out", out_, "FILE", "Where to write the samples; goes on with a file it has begun")->required();
    progress_.declare(app);
    app.footer(
        "Each sample is in the file as soon as it is measured. Clocks, power limits and MIG are left as they are.\n"
        "Exit status 3: the GPU cannot be measured.\n"
        "Example:\n  servecast-calibrate measure --gpu h100_sxm_80g --budget 300 --out samples.csv");
  }

  int run(Console& console) override {
    const MeasureRequest request{.gpu = load_gpu(gpu_, {}).name,
                                 .version = version,
                                 .out = out_,
                                 .budget_s = budget_s_,
                                 .series = standard_series()};
    ProgressView view(progress_.style(console), console.err);
    try {
      const std::unique_ptr<GpuBench> bench = open_gpu_bench();
      const MeasureProgress done = measure(request, *bench, [&](const MeasureProgress& p) { view.show(shown(p)); });
      view.finish(shown(done));
      print(console, done);
      for (const std::string& note : bench->notes()) console.err << note << "\n";
      return 0;
    } catch (const DeviceError& error) {
      console.err << "servecast-calibrate measure: " << error.what() << "\n";
      return no_measurement;
    }
  }

 private:
  BudgetProgress shown(const MeasureProgress& p) const {
    return {.spent_s = p.spent_s, .budget_s = budget_s_, .words = fmt::format("{} samples", p.found + p.samples)};
  }

  void print(Console& console, const MeasureProgress& done) const {
    fmt::print(console.out, "{} samples in {}", done.samples, out_);
    if (done.found > 0) fmt::print(console.out, " beside {} that were there", done.found);
    if (done.throttled > 0) fmt::print(console.out, "; {} left out: the card throttled", done.throttled);
    if (done.skipped > 0) fmt::print(console.out, "; {} do not fit or cannot run here", done.skipped);
    fmt::print(console.out, "\n");
    if (done.clocks.targets() > 0) fmt::print(console.out, "{}\n", done.clocks.text());
  }

  std::string gpu_;
  double budget_s_ = 300;
  std::string out_;
  ProgressArguments progress_;
};

}  // namespace

std::unique_ptr<Command> make_measure_command() { return std::make_unique<MeasureCommand>(); }

}  // namespace servecast
