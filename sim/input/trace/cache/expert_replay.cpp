#include "sim/input/trace/cache/expert_replay.h"

#include <numeric>

#include "models/policy/experts/expert_balance.h"
#include "models/policy/experts/expert_slots.h"

namespace servecast {
namespace {

std::vector<std::uint64_t> layer_uses(const std::vector<std::uint64_t>& uses, const ExpertShape& shape,
                                      std::int64_t layer) {
  const auto first = uses.begin() + layer * shape.experts;
  return {first, first + shape.experts};
}

/// The next use of the expert at each place of one generation and layer, counted in places.
std::vector<std::uint64_t> next_uses(const RoutingTrace& trace, std::size_t generation, std::int64_t layer) {
  const std::int64_t first = trace.first_token[generation];
  const std::int64_t active = trace.shape.active;
  const std::int64_t places = (trace.first_token[generation + 1] - first) * active;
  std::vector<std::uint64_t> next(static_cast<std::size_t>(places));
  std::vector<std::uint64_t> coming(static_cast<std::size_t>(trace.shape.experts), CacheUse::never_again);
  for (std::int64_t place = places - 1; place >= 0; --place) {
    const std::size_t at = trace.at(first + place / active, layer) + static_cast<std::size_t>(place % active);
    std::uint64_t& of_expert = coming[trace.experts[at]];
    next[static_cast<std::size_t>(place)] = of_expert;
    of_expert = static_cast<std::uint64_t>(place);
  }
  return next;
}

std::int64_t replay_layer(const RoutingTrace& trace, std::int64_t layer, const ExpertCache& policy,
                          ExpertSlots& slots) {
  std::int64_t hits = 0;
  const auto active = static_cast<std::size_t>(trace.shape.active);
  std::vector<std::uint64_t> next;
  for (std::size_t g = 0; g + 1 < trace.first_token.size(); ++g) {
    slots.clear();
    if (policy.starts_full()) slots.fill();
    if (policy.clairvoyant()) next = next_uses(trace, g, layer);
    for (std::int64_t token = trace.first_token[g]; token < trace.first_token[g + 1]; ++token)
      for (std::size_t rank = 0; rank < active; ++rank) {
        const CacheEntry expert{trace.experts[trace.at(token, layer) + rank]};
        const std::size_t place = static_cast<std::size_t>(token - trace.first_token[g]) * active + rank;
        hits += slots.use(expert, next.empty() ? CacheUse::never_again : next[place]) ? 1 : 0;
      }
  }
  return hits;
}

void balance_ranks(const std::vector<std::uint64_t>& uses, ExpertReplayReport& report) {
  for (std::int64_t layer = 0; layer < report.shape.layers; ++layer) {
    const auto counted = layer_uses(uses, report.shape, layer);
    const std::vector<double> loads(counted.begin(), counted.end());
    const auto layers = static_cast<double>(report.shape.layers);
    report.rank_load_in_order += place_in_order(loads, report.spec.ranks).max_over_mean / layers;
    report.rank_load_balanced +=
        place_experts(loads, report.spec.ranks, report.spec.redundant).max_over_mean / layers;
  }
}

}  // namespace

double ExpertReplayReport::fraction(const ExpertCacheResult& result) const {
  const auto hits = static_cast<double>(std::accumulate(result.hits.begin(), result.hits.end(), std::int64_t{0}));
  return hits / (uses_per_layer() * static_cast<double>(shape.layers));
}

ExpertReplayReport replay_experts(const RoutingTrace& trace, const ExpertReplaySpec& spec) {
  ExpertReplayReport report{
      .shape = trace.shape, .tokens = trace.tokens(), .generations = trace.generations(), .spec = spec};
  Rng rng(1, "routing statistics");
  report.statistics = describe_routing(trace, rng);
  const std::vector<std::uint64_t> uses = count_uses(trace);
  if (spec.ranks > 0) balance_ranks(uses, report);
  for (const std::string& name : spec.policies)
    for (const std::int64_t size : spec.slots) {
      const auto policy = Registry<ExpertCache>::all().at(name).prepare()->make();
      report.results.push_back({.policy = name, .slots = size});
      for (std::int64_t layer = 0; layer < trace.shape.layers; ++layer) {
        ExpertSlots slots(size, *policy, layer_uses(uses, trace.shape, layer));
        report.results.back().hits.push_back(replay_layer(trace, layer, *policy, slots));
      }
    }
  return report;
}

}  // namespace servecast
