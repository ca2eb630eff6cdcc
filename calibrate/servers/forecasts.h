#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/servers/measured_server.h"
#include "sim/report/figures/replicates.h"
#include "sim/report/summary/summary.h"

namespace servecast {

/// How servers are forecast: `servecast run` as a child for each.
struct ForecastOptions {
  std::string program{};                // path of servecast
  std::string engine{};                 // in place of each server's own: a bundled name or the path of a file
  std::vector<std::string> settings{};  // more of `--set`
  std::int64_t replicates = 0;          // 0: no intervals
  std::size_t interval_servers = 0;     // of each system, evenly spaced, that have intervals; 0: all
  std::size_t at_a_time = 1;
};

struct Forecast {
  std::optional<Summary> summary{};    // of the first draw of the load
  std::vector<Summary> others{};       // of the other draws
  std::optional<Interval> interval{};  // where replicates were asked for
  std::optional<double> highest_rate{};  // where the server has limits, see rate_search.h
  std::string complaint{};               // why there is none
};

/// One forecast per server, in order.
std::vector<Forecast> forecast(std::span<const MeasuredServer> servers, const ForecastOptions& options);

/// A figure of one stage; nothing where the run has no such class or nothing got so far.
std::optional<double> figure_of(const Summary& summary, const MeasuredStage& stage, ServerFigure figure);

/// The same in the mean of all draws that have one.
std::optional<double> mean_figure_of(const Forecast& forecast, const MeasuredStage& stage, ServerFigure figure);

/// Share of a stage's mean TTFT that lies before the first step of its requests, less the `way_in_s` of each.
double queue_fraction_of(const Summary& summary, const MeasuredStage& stage, double way_in_s);

/// The range that it falls into nine times out of ten, from and to.
struct FigureInterval {
  std::optional<double> p05{};
  std::optional<double> p95{};
};
FigureInterval interval_of(const Interval& interval, const MeasuredStage& stage, ServerFigure figure);

}  // namespace servecast
