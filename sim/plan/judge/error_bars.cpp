#include "sim/plan/judge/error_bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "models/base/rng.h"
#include "models/base/stable_math.h"
#include "sim/plan/study/objective.h"

namespace servecast {
namespace {

constexpr double normal_90 = 1.645;  // half of a 90 % interval, in standard deviations

/// Half of the interval that held, or would have held, 90 % of the measured values, and half of the one that is
/// drawn. All from the tables of docs/accuracy.md.
struct ErrorBar {
  std::string_view metric;  // empty: every latency
  std::int64_t from_percentile;
  bool derived;  // only on GPUs whose kernels are derived
  double held;
  double drawn;

  /// Standard deviation of what the draws lack.
  double lacking() const { return std::sqrt(held * held - drawn * drawn) / normal_90; }
};
constexpr std::array<ErrorBar, 3> error_bars{{
    {"ttft_s", 90, false, 0.318, 0.089},  // TTFT P99 of all stages: off by 31.8 % at the 90th percentile
    {"ttft_s", 0, false, 0.170, 0.147},   // TTFT mean: 84.4 % were held
    {"", 0, true, 0.293, 0.200},  // rows of derived kernels: off by 29.3 %; 12 % more spread is drawn for them
}};

bool is_about(const ErrorBar& bar, const Promise& promise) {
  return promise.is_latency() && (bar.metric.empty() || bar.metric == promise.metric) &&
         promise.percentile >= bar.from_percentile;
}

}  // namespace

double measured_factor(const Promise& promise, bool derived, std::int64_t draw) {
  if (draw == 0) return 1;  // the best estimate
  double factor = 1;
  bool own = false;  // the first row about a metric is the one that counts
  for (const ErrorBar& bar : error_bars) {
    if (!is_about(bar, promise) || (bar.derived ? !derived : own)) continue;
    own = own || !bar.derived;
    const std::string_view stream = bar.derived ? "measured error of derived kernels" : "measured error of TTFT";
    factor *= Rng(static_cast<std::uint64_t>(draw), stream).lognormal(0, bar.lacking());
  }
  return factor;
}

double least_measured_factor(const std::vector<Promise>& promises, bool derived, std::int64_t draw) {
  double least = 1;
  for (const Promise& promise : promises) least = std::min(least, measured_factor(promise, derived, draw));
  return least;
}

OffBy off_by() { return {.derived = error_bars.back().held, .measured = 0.090}; }

double extrapolated_widening(double share) {
  const OffBy off = off_by();
  return std::sqrt(off.measured * off.measured +
                   share * share * (off.derived * off.derived - off.measured * off.measured)) /
         off.measured;
}

double derived_widening() { return error_bars.back().held / error_bars.back().drawn; }

}  // namespace servecast
