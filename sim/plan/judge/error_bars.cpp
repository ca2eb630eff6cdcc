#include "sim/plan/judge/error_bars.h"

#include <algorithm>
#include <cmath>

#include "models/base/rng.h"
#include "models/base/stable_math.h"
#include "sim/plan/study/objective.h"

namespace servecast {
namespace {

constexpr double normal_90 = 1.645;  // half of a 90 % interval, in standard deviations

// docs/accuracy/offline.md, 35 rows of A100 PCIe, whose kernels are derived: off by 25 to 39 % at the 90th
// percentile, by rows 31 %; intervals of 70B models are 15.6 % to either side.
constexpr double derived_held = 0.31;
constexpr double derived_drawn = 0.156;
// docs/accuracy.md, TPOT of dense models with vLLM on Hopper: intervals are 19 % to either side.
constexpr double measured_drawn = 0.19;

/// Standard deviation of what the draws lack.
double lacking() { return std::sqrt(derived_held * derived_held - derived_drawn * derived_drawn) / normal_90; }

}  // namespace

double measured_factor(const Promise& promise, bool derived, std::int64_t draw) {
  const bool best_estimate = draw == 0;
  if (best_estimate || !derived || !promise.is_latency()) return 1;
  return Rng(static_cast<std::uint64_t>(draw), "measured error of derived kernels").lognormal(0, lacking());
}

double least_measured_factor(const std::vector<Promise>& promises, bool derived, std::int64_t draw) {
  double least = 1;
  for (const Promise& promise : promises) least = std::min(least, measured_factor(promise, derived, draw));
  return least;
}

OffBy off_by() { return {.derived = derived_held, .measured = measured_drawn}; }

double extrapolated_widening(double share) {
  const OffBy off = off_by();
  return std::sqrt(off.measured * off.measured +
                   share * share * (off.derived * off.derived - off.measured * off.measured)) /
         off.measured;
}

double derived_widening() { return derived_held / derived_drawn; }

}  // namespace servecast
