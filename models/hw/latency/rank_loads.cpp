#include "models/hw/latency/rank_loads.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/base/normal_quantile.h"
#include "models/base/stable_math.h"

namespace servecast {
namespace {

constexpr int knots = 21;  // up to 2^20 tokens, of which chance hardly makes one GPU's share larger

/// Visits of the fullest of so many parts, over the mean.
double fullest(const Experts& experts, std::int64_t parts, double tokens) {
  if (parts == 1) return 1;
  const double active = real(experts.active), count = real(experts.count), g = real(parts);
  const double mean = tokens * active / g;
  const double variance = mean * (1 - 1 / g) * (count - active) / std::max(1.0, count - 1);
  const double most = mean + std::sqrt(variance) * normal_quantile((g - 0.375) / (g + 0.25));
  return std::min(most, tokens * std::min(active, count / g)) / mean;
}

/// Of its experts, or where these are more of its visits, those that are touched.
double touched_fraction(double experts, double visits) {
  const double touched = experts * (1 - stable::pow(1 - 1 / experts, visits));
  return std::min(1.0, touched / std::min(experts, visits));
}

}  // namespace

RankLoads chosen_by_chance(const Experts& experts, const ExpertGroups& layout) {
  std::vector<RankLoad> loads;
  for (int knot = 0; knot < knots; ++knot) {
    const double tokens = std::ldexp(1.0, knot);
    const double visits = fullest(experts, layout.groups, tokens);
    const double g = real(layout.groups);
    loads.push_back(
        {.visits = visits,
         .node_visits = fullest(experts, layout.groups / layout.node_groups, tokens),
         .touched_fraction = touched_fraction(real(experts.count) / g, visits * tokens * real(experts.active) / g)});
  }
  return RankLoads(std::move(loads));
}

}  // namespace servecast
