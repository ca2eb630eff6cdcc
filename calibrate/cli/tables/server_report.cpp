#include "calibrate/cli/tables/server_report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "calibrate/servers/comparison.h"
#include "calibrate/servers/held_out.h"
#include "calibrate/servers/page/accuracy_page.h"
#include "calibrate/servers/page/picture.h"
#include "calibrate/servers/page/rows_csv.h"
#include "calibrate/servers/rate_search.h"
#include "calibrate/servers/read/left_out.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

/// The terms of each fit, for readers of the page.
std::string fits_text(const std::vector<HeldOutFit>& fits) {
  std::string text =
      "Forecasts of vLLM's open loop use terms of vLLM 0.15 that are fitted anew for each model, on the servers of "
      "the others alone:\n\n| left out | fitted figures | request path | front end per sequence | wait at an "
      "all-reduce | sampler per logit | launch of an operation | median error on them, before and after |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const HeldOutFit& f : fits) {
    const EngineProfile& e = f.fit.engine;
    text +=
        fmt::format("| {} | {} | {:.2f} ms | {:.1f} µs | {:.2f} µs | {:.3f} ns | {:.0f} µs | {:.1f} %, {:.1f} % |\n",
                    f.model, f.fit.figures, 1e3 * e.request_path_s, 1e6 * e.frontend_sequence_s,
                    1e6 * e.step.all_reduce_wait_s, 1e9 * e.step.sampler_s_per_logit, 1e6 * e.step.eager_operation_s,
                    100 * f.fit.median_error_before, 100 * f.fit.median_error_after);
  }
  return text;
}

}  // namespace

void ServerReport::declare(CLI::App& app) {
  add_path(app, "--servers", servers, "DIR", "Hold forecasts against the measured servers of this folder instead");
  add_path(app, "-o,--out", out, "FILE", "Write the summary into this file");
  add_path(app, "--pages", pages, "DIR",
           "Write pages into this folder: of each regime, the split, rows without a forecast; and pictures");
  add_path(app, "--rows", rows, "FILE", "Write every row into this file, as a CSV");
  app.add_option("--set", how.settings, "Replace a setting in every server's scenario")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--replicates", how.replicates, "Draws behind every 90 % interval (0: none)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  app.add_option("--interval-servers", how.interval_servers,
                 "Servers of each system, evenly spaced, that have intervals (0: all)")
      ->type_name("N");
  app.add_flag("--held-out", held_out,
               "Fit the terms of vllm-0.15 anew for every model on the servers of the others");
}

void ServerReport::run(Console& console) {
  how.program = sibling_program("servecast");
  how.at_a_time = processors();
  ReadServers read = all_servers(servers);
  std::vector<MeasuredServer>& all = read.servers;
  std::string fitted_on = "Forecasts use the bundled engine profiles; each says in its file what it was fitted on.\n";
  std::vector<Forecast> forecasts;
  if (held_out) {
    const std::vector<MeasuredServer> open = open_loop_servers(servers + "/vllm_h100_open_loop.csv").servers;
    HeldOut held = forecast_held_out(all, open, load_engine("vllm-0.15", {}), how);
    for (MeasuredServer& server : all)
      if (held.left_out(server)) server.fitting = false;
    fitted_on = fits_text(held.fits);
    forecasts = std::move(held.forecasts);
  } else {
    forecasts = forecast(all, how);
  }
  add_highest_rates(all, how, forecasts);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!forecasts[i].complaint.empty()) console.err << all[i].name << ": " << forecasts[i].complaint << "\n";
  if (!read.left_out.empty())
    console.err << "No forecast can be made of " << read.left_out.size() << " rows:\n"
                << left_out_text(read.left_out);
  const std::vector<ComparedFigure> figures = compare(all, forecasts);
  write(console, {.figures = figures, .left_out = read.left_out, .fitted_on = fitted_on});
}

void ServerReport::write(Console& console, const AccuracyInput& input) const {
  const std::string split = split_page(input);
  const std::string no_forecast = no_forecast_page(input);
  std::string summary = accuracy_summary(input);
  if (pages.empty())
    for (const std::string& page : {split, no_forecast})
      if (!page.empty()) summary += "\n#" + page;
  if (out.empty())
    console.out << summary;
  else
    write_text(out, summary);
  if (!rows.empty()) write_text(rows, rows_csv(input.figures));
  if (pages.empty()) return;
  std::filesystem::create_directories(pages);
  const auto write_page = [&](const std::string& file, const std::string& text) {
    if (!text.empty()) write_text(std::filesystem::path(pages) / file, text);
  };
  write_page("split.md", split);
  write_page("no_forecast.md", no_forecast);
  for (const RegimeFacts& regime : regimes)
    write_page(std::string(regime.key) + ".md", regime_page(regime.regime, input.figures));
  write_page("tpot.svg", accuracy_picture(ServerFigure::tpot_mean, input.figures));
  write_page("ttft.svg", accuracy_picture(ServerFigure::ttft_mean, input.figures));
  write_page("tokens_per_s.svg", accuracy_picture(ServerFigure::output_tokens_per_s, input.figures));
}

}  // namespace servecast
