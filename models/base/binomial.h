#pragma once
#include <algorithm>
#include <cstdint>

#include "models/base/stable_math.h"

namespace servecast {

/// Chance that at least `least` of `trials` succeed, each by itself with chance `success`; 0 < success < 1, or 1.
inline double binomial_at_least(std::int64_t least, std::int64_t trials, double success) {
  if (least <= 0 || success >= 1) return least <= trials ? 1 : 0;
  const double log_success = stable::log(success);
  const double log_failure = stable::log(1 - success);
  double chance = 0;
  double log_ways = 0;  // of choosing the `hits` that succeed, from all downwards
  for (std::int64_t hits = trials; hits >= least; --hits) {
    const auto misses = static_cast<double>(trials - hits);
    chance += stable::exp(log_ways + static_cast<double>(hits) * log_success + misses * log_failure);
    log_ways += stable::log(static_cast<double>(std::max<std::int64_t>(hits, 1))) - stable::log(misses + 1);
  }
  return std::min(chance, 1.0);
}

/// Chance that at most `most` of them do.
inline double binomial_at_most(std::int64_t most, std::int64_t trials, double success) {
  return most >= trials ? 1 : binomial_at_least(trials - most, trials, 1 - success);
}

}  // namespace servecast
