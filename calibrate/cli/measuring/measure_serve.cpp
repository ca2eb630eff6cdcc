#include "calibrate/cli/measuring/measure_serve.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/measuring/measure_step.h"
#include "calibrate/measure/step_bench.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

void print_figure(std::ostream& out, const char* figure, const std::optional<Statistics>& measured,
                  const std::optional<Statistics>& forecast) {
  if (!measured || !forecast) return;
  const auto line = [&](const char* which, double a, double b) {
    fmt::print(out, "| {} {} | {} | {} | {:+.1f} |\n", figure, which, human::seconds(a), human::seconds(b),
               100 * (b / a - 1));
  };
  line("mean", measured->mean, forecast->mean);
  line("p50", measured->p50, forecast->p50);
  line("p99", measured->p99, forecast->p99);
}

}  // namespace

void print_beside(std::ostream& out, const ServedBeside& both) {
  fmt::print(out, "{} requests served\n\n| | measured | forecast | error, % |\n|---|--:|--:|--:|\n",
             both.measured.requests.completed);
  print_figure(out, "TTFT", both.measured.latencies.ttft_s, both.forecast.latencies.ttft_s);
  print_figure(out, "TPOT", both.measured.latencies.tpot_s, both.forecast.latencies.tpot_s);
}

void MeasureServe::declare(CLI::App& app) {
  option_ = app.add_option("--serve", run_.llm,
                           "Serve a trace with this model on the GPU, and forecast the same run: a bundled name or a "
                           "config.json");
  CLI::Option* trace = add_path(app, "--trace", run_.trace, "FILE", "With --serve: the trace")->needs(option_);
  app.add_option("--requests", run_.requests, "With --serve: so many of its requests")
      ->check(not_above_zero, above_zero)
      ->capture_default_str()
      ->needs(option_);
  option_->needs(trace);
}

void MeasureServe::run(const MeasureArguments& arguments, const std::string& profile, Console& console) const {
  ServeRun run = run_;
  run.gpu = arguments.gpu;
  run.profile = profile;
  run.folder = arguments.out;
  print_beside(console.out, serve_beside_forecast(run, open_step_executor));
}

}  // namespace servecast
