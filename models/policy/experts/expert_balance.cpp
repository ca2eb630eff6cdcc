#include "models/policy/experts/expert_balance.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace servecast {
namespace {

double per_copy(std::span<const double> loads, const ExpertPlacement& p, std::size_t expert) {
  return loads[expert] / static_cast<double>(p.copies[expert]);
}

void weigh(std::span<const double> loads, ExpertPlacement& p) {
  double total = 0;
  double fullest = 0;
  for (const auto& experts : p.on) {
    double load = 0;
    for (const std::size_t expert : experts) load += per_copy(loads, p, expert);
    total += load;
    fullest = std::max(fullest, load);
  }
  p.max_over_mean = total > 0 ? fullest * static_cast<double>(p.on.size()) / total : 1;
}

}  // namespace

ExpertPlacement place_experts(std::span<const double> loads, std::int64_t ranks, std::int64_t redundant) {
  assert((static_cast<std::int64_t>(loads.size()) + redundant) % ranks == 0);
  ExpertPlacement p{.copies = std::vector<std::int64_t>(loads.size(), 1), .on = {}};
  p.on.resize(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> copies(loads.size());
  std::iota(copies.begin(), copies.end(), 0);
  const std::vector<std::size_t> experts = copies;
  const auto carries = [&](std::size_t expert) { return per_copy(loads, p, expert); };
  for (std::int64_t i = 0; i < redundant; ++i) {
    const std::size_t heaviest = *std::ranges::max_element(experts, {}, carries);
    p.copies[heaviest] += 1;
    copies.push_back(heaviest);
  }
  std::ranges::stable_sort(copies, std::greater<>(), carries);
  const std::size_t places = copies.size() / p.on.size();
  std::vector<double> load(p.on.size(), 0);
  for (const std::size_t expert : copies) {
    std::size_t best = p.on.size();
    for (std::size_t rank = 0; rank < p.on.size(); ++rank)
      if (p.on[rank].size() < places && (best == p.on.size() || load[rank] < load[best])) best = rank;
    p.on[best].push_back(expert);
    load[best] += carries(expert);
  }
  weigh(loads, p);
  return p;
}

ExpertPlacement place_in_order(std::span<const double> loads, std::int64_t ranks) {
  assert(static_cast<std::int64_t>(loads.size()) % ranks == 0);
  ExpertPlacement p{.copies = std::vector<std::int64_t>(loads.size(), 1), .on = {}};
  p.on.resize(static_cast<std::size_t>(ranks));
  const std::size_t places = loads.size() / p.on.size();
  for (std::size_t expert = 0; expert < loads.size(); ++expert) p.on[expert / places].push_back(expert);
  weigh(loads, p);
  return p;
}

}  // namespace servecast
