#include "calibrate/servers/comparison.h"

#include <algorithm>
#include <cmath>

#include "calibrate/servers/forecasts.h"
#include "models/base/quantile.h"
#include "sim/input/library/hardware.h"
#include "sim/report/figures/replicates.h"

namespace servecast {
namespace {

constexpr double most_queue = 0.5;  // of the forecast's TTFT, below the knee
constexpr double most_growth = 3;   // of a stage's TTFT over the least of its server's stages, likewise

/// The stage's measured TTFT, its mean or else its median.
std::optional<double> measured_ttft(const MeasuredStage& stage) {
  for (const ServerFigure figure : {ServerFigure::ttft_mean, ServerFigure::ttft_p50}) {
    const auto found = std::ranges::find(stage.measured, figure, &Measurement::figure);
    if (found != stage.measured.end()) return found->value;
  }
  return std::nullopt;
}

std::optional<double> least_ttft(const MeasuredServer& server) {
  std::optional<double> least;
  for (const MeasuredStage& stage : server.stages)
    if (const auto ttft = measured_ttft(stage)) least = std::min(least.value_or(*ttft), *ttft);
  return least;
}

/// An open load's alone: in a closed loop clients bound the queue.
void say_queue(ComparedFigure& out, const MeasuredServer& server, const MeasuredStage& stage,
               const Summary& summary) {
  if (std::string_view(server.load) != "open") return;
  const double way_in_s = load_engine(server.engine, {}).inbound_s(stage.prompt_tokens);
  out.queue_fraction = queue_fraction_of(summary, stage, way_in_s);
  const auto ttft = measured_ttft(stage);
  out.beyond_knee = out.queue_fraction > most_queue || (ttft && *ttft > most_growth * *least_ttft(server));
}

ComparedFigure compared(const MeasuredServer& server, const MeasuredStage& stage, const Measurement& m,
                        const Forecast& forecast) {
  ComparedFigure out{.regime = stage.regime,
                     .system = stage.system,
                     .fitting = server.fitting,
                     .error_fit = server.error_fit,
                     .server = server.name,
                     .stage = stage.title,
                     .model = server.model,
                     .engine = server.engine,
                     .gpu = server.gpu,
                     .experts = server.experts,
                     .layout = server.layout,
                     .load = server.load,
                     .figure = m.figure,
                     .warm = stage.warm,
                     .saturated = stage.saturated,
                     .measured = m.value};
  if (!forecast.summary) return out;
  out.said_saturated = forecast.summary->saturated;
  out.spread = wider_by(*forecast.summary);
  say_queue(out, server, stage, *forecast.summary);
  out.forecast =
      m.figure == ServerFigure::highest_rate ? forecast.highest_rate : mean_figure_of(forecast, stage, m.figure);
  if (!forecast.interval) return out;
  const FigureInterval interval = interval_of(*forecast.interval, stage, m.figure);
  out.p05 = interval.p05;
  out.p95 = interval.p95;
  return out;
}

}  // namespace

std::optional<double> ComparedFigure::error() const {
  if (!forecast) return std::nullopt;
  return *forecast / measured - 1;
}

std::vector<ComparedFigure> compare(std::span<const MeasuredServer> servers, std::span<const Forecast> forecasts) {
  std::vector<ComparedFigure> all;
  for (std::size_t i = 0; i < servers.size(); ++i)
    for (const MeasuredStage& stage : servers[i].stages)
      for (const Measurement& m : stage.measured) all.push_back(compared(servers[i], stage, m, forecasts[i]));
  return all;
}

ErrorSummary summarise_errors(std::span<const ComparedFigure> figures) {
  ErrorSummary summary;
  std::vector<double> signed_errors;
  std::vector<double> errors;
  for (const ComparedFigure& figure : figures) {
    const auto error = figure.error();
    if (!error) {
      ++summary.without_forecast;
      continue;
    }
    signed_errors.push_back(*error);
    errors.push_back(std::abs(*error));
  }
  summary.rows = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return summary;
  summary.median = quantile(errors, 0.5);
  summary.p90 = quantile(errors, 0.9);
  summary.bias = quantile(signed_errors, 0.5);
  return summary;
}

Coverage coverage_of(std::span<const ComparedFigure> figures) {
  Coverage coverage;
  std::vector<double> half_widths;
  for (const ComparedFigure& figure : figures) {
    if (!figure.p05 || !figure.p95 || !figure.forecast) continue;
    ++coverage.rows;
    coverage.held += figure.held() ? 1 : 0;
    half_widths.push_back((*figure.p95 - *figure.p05) / 2 / *figure.forecast);
  }
  if (!half_widths.empty()) coverage.median_half_width = quantile(half_widths, 0.5);
  return coverage;
}

}  // namespace servecast
