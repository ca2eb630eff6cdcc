#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/servers/measured_server.h"

namespace servecast {

struct Forecast;

/// One measured figure against its forecast.
struct ComparedFigure {
  Regime regime{};
  std::string system{};
  bool fitting = false;    // terms may have been fitted on it
  bool error_fit = false;  // the errors of engines were
  std::string server{};
  std::string stage{};
  std::string model{};
  std::string engine{};
  std::string gpu{};
  bool experts = false;
  const char* layout = "one";
  const char* load = "closed";
  ServerFigure figure{};
  bool warm = true;
  bool saturated = false;
  double measured = 0;
  std::optional<double> forecast{};  // none: the scenario was refused, or nothing got so far
  std::optional<double> p05{};
  std::optional<double> p95{};
  bool said_saturated = false;  // by the forecast
  double spread = 1;            // how much wider draws are for that (wider_by())
  double queue_fraction = 0;    // of the stage's mean TTFT, before the first step, by the forecast
  bool beyond_knee = false;     // an open load whose queue grows, by the forecast or by what was measured

  /// forecast / measured - 1
  std::optional<double> error() const;
  bool held() const { return p05 && p95 && *p05 <= measured && measured <= *p95; }
};

/// Every measured figure, in the order of the servers.
std::vector<ComparedFigure> compare(std::span<const MeasuredServer> servers, std::span<const Forecast> forecasts);

/// How far off a set of figures is.
struct ErrorSummary {
  std::int64_t rows = 0;
  std::int64_t without_forecast = 0;
  double median = 0;  // of the absolute relative errors
  double p90 = 0;
  double bias = 0;  // median of the relative errors with their signs
};
ErrorSummary summarise_errors(std::span<const ComparedFigure> figures);

/// How good the 90 % intervals are.
struct Coverage {
  std::int64_t rows = 0;  // with an interval
  std::int64_t held = 0;
  double median_half_width = 0;  // relative to the forecast

  double fraction() const { return rows > 0 ? static_cast<double>(held) / static_cast<double>(rows) : 0; }
};
Coverage coverage_of(std::span<const ComparedFigure> figures);

}  // namespace servecast
