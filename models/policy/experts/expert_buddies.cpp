#include "models/policy/experts/expert_buddies.h"

#include <algorithm>

#include "models/policy/experts/routing_statistics.h"

namespace servecast {
namespace {

/// Tokens that chose both, by layer, expert and expert.
std::vector<double> chosen_together(const RoutingTrace& profile) {
  const auto experts = static_cast<std::size_t>(profile.shape.experts);
  const auto active = static_cast<std::size_t>(profile.shape.active);
  std::vector<double> counts(static_cast<std::size_t>(profile.shape.layers) * experts * experts, 0);
  for (std::int64_t token = 0; token < profile.tokens(); ++token)
    for (std::int64_t layer = 0; layer < profile.shape.layers; ++layer) {
      const auto chosen = std::span(profile.experts).subspan(profile.at(token, layer), active);
      for (const std::uint8_t i : chosen)
        for (const std::uint8_t j : chosen)
          if (i != j) counts[(static_cast<std::size_t>(layer) * experts + i) * experts + j] += 1;
    }
  return counts;
}

std::vector<ExpertBuddy> shortest_list(std::span<const double> row, std::size_t self,
                                       const ExpertBuddies::Limits& limits) {
  std::vector<ExpertBuddy> list;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (j != self && row[j] > 0) list.push_back({.expert = ExpertId{static_cast<std::uint16_t>(j)}, .q = row[j]});
  std::ranges::stable_sort(list, std::greater<>(), &ExpertBuddy::q);
  double sum = 0;
  std::size_t size = 0;
  while (size < list.size() && size < static_cast<std::size_t>(limits.k_max) && sum < limits.alpha)
    sum += list[size++].q;
  list.resize(size);
  return list;
}

}  // namespace

ExpertBuddies::ExpertBuddies(const RoutingTrace& profile, const Limits& limits)
    : experts_(static_cast<std::size_t>(profile.shape.experts)), q_(chosen_together(profile)) {
  for (std::size_t row = 0; row < q_.size() / experts_; ++row) {
    const std::span<double> of_row = std::span(q_).subspan(row * experts_, experts_);
    double sum = 0;
    for (std::size_t j = 0; j < experts_; ++j) {
      if (j != row % experts_) of_row[j] += limits.laplace;
      sum += of_row[j];
    }
    for (double& q : of_row) q = sum > 0 ? q / sum : 0;
    lists_.push_back(shortest_list(of_row, row % experts_, limits));
  }
}

std::vector<double> entropy_percentiles(const RoutingTrace& profile, double percentile, double temperature) {
  std::vector<double> bounds;
  const auto active = static_cast<std::size_t>(profile.shape.active);
  std::vector<ExpertChoice> choices(active);
  for (std::int64_t layer = 0; layer < profile.shape.layers; ++layer) {
    std::vector<double> entropies;
    for (std::int64_t token = 0; token < profile.tokens(); ++token) {
      for (std::size_t i = 0; i < active; ++i) choices[i].gate = profile.gates[profile.at(token, layer) + i];
      entropies.push_back(token_entropy(choices, temperature));
    }
    std::ranges::sort(entropies);
    const auto at = static_cast<std::size_t>(percentile / 100 * static_cast<double>(entropies.size()));
    bounds.push_back(entropies[std::min(at, entropies.size() - 1)]);
  }
  return bounds;
}

}  // namespace servecast
