#include "sim/input/resolve/balance_experts.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/policy/experts/expert_ranks.h"
#include "models/policy/experts/routing_statistics.h"
#include "sim/input/resolve/load_experts.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

constexpr std::int64_t tokens_per_request = 64;

void check(const Pool& pool, const Place& named) {
  if (pool.spec.expert_parallel == 1)
    throw UserError(named, "says how evenly GPUs share the experts; give expert_parallel, or leave it out");
  if (!pool.llm.experts) throw UserError(named, fmt::format("'{}' has no experts to spread", pool.llm.name));
  if (pool.llm.experts->count > RoutingTrace::most_experts)
    throw UserError(named, fmt::format("'{}' has {} experts in a layer; of at most {} is the routing modelled",
                                       pool.llm.name, pool.llm.experts->count, RoutingTrace::most_experts));
  if (pool.spec.expert_balance->placement == "in_order" && pool.spec.expert_exchange.redundant_experts > 0)
    throw UserError(named, "placement in_order makes no copies; take eplb, or leave out redundant_experts");
}

}  // namespace

RankLoads balance_experts(const Pool& pool, const Node& node, std::uint64_t seed, const std::string& folder,
                          const Place& named) {
  check(pool, named);
  const ExpertBalanceSpec& spec = *pool.spec.expert_balance;
  const ExpertShape shape = expert_shape(pool.llm);
  const auto routing = spec.routing.make();
  const RoutingData data = routing_data(*routing, shape, folder, named);
  Rng structure(seed, "expert routing/" + pool.spec.name);
  routing->resize(shape, data, structure);
  Rng tokens(seed, "expert profile/" + pool.spec.name);
  const RoutingTrace recording =
      record_routing(*routing, shape, 2 * (spec.profile_tokens / tokens_per_request), tokens_per_request, tokens);
  Rng batches(seed, "expert balance/" + pool.spec.name);
  return fullest_ranks(recording,
                       {.ranks = pool.spec.expert_parallel,
                        .node_ranks = std::min(pool.spec.expert_parallel, node.gpus),
                        .redundant = pool.spec.expert_exchange.redundant_experts,
                        .balanced = spec.placement == "eplb"},
                       pool.spec.batcher.make()->max_step_tokens(), batches);
}

RankLoads loads_by_chance(const Pool& pool, const Node& node) {
  const Shape shape = pool.shape();
  if (!pool.llm.experts || shape.expert_parallel == 1) return {};
  Experts experts = *pool.llm.experts;
  experts.count += shape.redundant_experts;
  const std::int64_t slices = std::max<std::int64_t>(1, shape.expert_slices());
  const std::int64_t in_node = std::max<std::int64_t>(1, node.gpus / slices);
  RankLoads loads = chosen_by_chance(
      experts, {.groups = shape.expert_parallel, .node_groups = std::min(shape.expert_parallel, in_node)});
  return experts.even_loads || shape.redundant_experts > 0 ? loads : std::move(loads).as_trained();
}

}  // namespace servecast
