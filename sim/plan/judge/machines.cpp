#include "sim/plan/judge/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/base/counts.h"
#include "models/hw/power_cost/cost.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/input/scenario/node_use.h"
#include "sim/plan/study/study_spec.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

/// None: no pool is on it.
std::optional<NodeCount> node_count(const SizedScenario& sized, std::size_t number) {
  const NodeGroup& group = sized.groups[number];
  NodeCount count{.group = sized.groups.several() ? group.name : "",
                  .spare_nodes = group.spares,
                  .gpus_per_node = group.node.gpus};
  std::set<std::int64_t> nodes;
  for (const Pool& pool : sized.pools) {
    if (pool.group != number) continue;
    count.gpus_in_use += pool.gpus();
    count.kinds.push_back(pool.spec.gpu);
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus) nodes.insert(gpu.node);
  }
  count.nodes = static_cast<std::int64_t>(nodes.size());
  return count.kinds.empty() ? std::nullopt : std::optional(count);
}

/// GPUs of a pool that are held at any time: the fewest replicas, but that some may be broken.
std::optional<std::int64_t> always_held(const SizedScenario& sized, const Pool& pool) {
  if (!pool.spec.scales()) return std::nullopt;
  if (sized.spec.failures) return 0;
  const ScalingSpec scaling = pool.spec.scaling.value_or(ScalingSpec{});
  return std::min(scaling.min_replicas, scaling.start_replicas.value_or(scaling.min_replicas)) *
         pool.gpus_per_replica();
}

PoolCount pool_count(const SizedScenario& sized, const Pool& pool) {
  return {.pool = pool.spec.name,
          .gpu = pool.spec.gpu,
          .gpus = pool.gpus(),
          .gpus_per_replica = pool.gpus_per_replica(),
          .always = always_held(sized, pool),
          .usd_per_gpu_hour = pool.usd_per_gpu_hour()};
}

std::vector<TierCount> tiers_of(const SizedScenario& sized) {
  std::map<std::string, double> bytes;
  for (const Pool& pool : sized.pools)
    for (const KvTierSpec& level : pool.spec.kv_tiers.levels)
      bytes[level.kind] += level.capacity_bytes * (level.kind == "shared" ? 1 : real(pool.spec.replicas));
  std::vector<TierCount> tiers;
  for (const auto& [kind, sum] : bytes) tiers.push_back({.kind = kind, .bytes = sum});
  return tiers;
}

/// GPUs that no pool uses of nodes that are rented whole.
std::vector<UnusedCount> unused_of(const SizedScenario& sized) {
  std::map<std::int64_t, bool> standing;  // by node: a pool that does not scale is on it
  for (const Pool& pool : sized.pools)
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus) standing[gpu.node] = standing[gpu.node] || !pool.spec.scales();
  std::vector<UnusedCount> all;
  for (const auto& [number, use] : node_uses(sized.pools)) {
    const NodeGroup& group = sized.groups[use.group];
    if (group.rented_whole && use.gpus < group.node.gpus)
      all.push_back({.group = sized.groups.several() ? group.name : "",
                     .gpus = group.node.gpus - use.gpus,
                     .comes_and_goes = !standing[number],
                     .usd_per_gpu_hour = use.usd_per_gpu_hour});
  }
  return all;
}

/// What nodes draw beside the GPUs in use; spares with all of theirs idle, others with those that nothing uses.
double beside_w(const SizedScenario& sized, std::size_t number, const NodeCount& count,
                const std::vector<UnusedCount>& unused) {
  const NodeGroup& group = sized.groups[number];
  const double idle_w = std::ranges::find(sized.pools, number, &Pool::group)->gpu.power.idle_w;
  const double spare_w = group.node.overhead_w + real(group.node.gpus) * idle_w;
  double watts = group.node.overhead_w * real(count.nodes) + spare_w * real(count.spare_nodes);
  for (const UnusedCount& one : unused)
    if (one.group.empty() || one.group == group.name) watts += real(one.gpus) * idle_w;
  return watts;
}

}  // namespace

std::int64_t Machines::gpu_count() const {
  std::int64_t sum = 0;
  for (const GpuCount& kind : gpus) sum += kind.count;
  return sum;
}

std::int64_t Machines::nodes() const {
  std::int64_t sum = 0;
  for (const NodeCount& group : groups) sum += group.nodes;
  return sum;
}

std::int64_t Machines::spare_nodes() const {
  std::int64_t sum = 0;
  for (const NodeCount& group : groups) sum += group.spare_nodes;
  return sum;
}

std::string Machines::words() const {
  if (gpus.empty()) return "outside APIs alone";
  std::string text;
  for (const GpuCount& kind : gpus)
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", kind.count, kind.title);
  text += fmt::format(" on {} node{}", nodes(), nodes() == 1 ? "" : "s");
  if (spare_nodes() > 0) text += fmt::format(" and {} spare", spare_nodes());
  std::int64_t idle = 0;
  for (const UnusedCount& one : unused) idle += one.gpus;
  return idle > 0 ? text + fmt::format(" ({} of {} GPUs unused)", idle, nodes() == 1 ? "its" : "their") : text;
}

bool Machines::scales() const {
  return std::ranges::any_of(pools, [](const PoolCount& pool) { return pool.always.has_value(); });
}

Machines machines_of(const SizedScenario& sized, const std::optional<AvailabilitySpec>& availability) {
  Machines m{.tiers = tiers_of(sized), .unused = unused_of(sized)};
  std::map<std::string, GpuCount> kinds;
  for (const Pool& pool : sized.pools) {
    m.pools.push_back(pool_count(sized, pool));
    GpuCount& kind = kinds[pool.spec.gpu];
    kind.gpu = pool.spec.gpu;
    kind.title = pool.gpu.title;
    kind.count += pool.gpus();
    m.least_w += pool.gpu.power.idle_w * real(m.pools.back().always.value_or(pool.gpus()));
    m.most_w += pool.power_cap_w() * real(pool.gpus());
  }
  for (const auto& [name, kind] : kinds) m.gpus.push_back(kind);
  for (std::size_t i = 0; i < sized.groups.size(); ++i)
    if (const auto group = node_count(sized, i)) {
      m.groups.push_back(*group);
      const double beside_gpus_w = beside_w(sized, i, *group, m.unused);
      m.least_w += m.scales() ? 0 : beside_gpus_w;
      m.most_w += beside_gpus_w;
    }
  if (availability)
    for (NodeCount& group : m.groups)
      group.spare_nodes =
          std::max(group.spare_nodes,
                   spare_machines(group.nodes, available_fraction(availability->mtbf_s, availability->mttr_s),
                                  availability->target_fraction));
  if (sized.spec.account) {
    m.usd_per_kwh = sized.spec.account->usd_per_kwh;
    m.pue = sized.spec.account->pue;
  }
  return m;
}

std::optional<std::string> over_budget(const Machines& machines, const BudgetSpec& budgets, double usd_per_hour) {
  if (budgets.usd_per_hour && usd_per_hour > *budgets.usd_per_hour)
    return fmt::format("costs {}/h of at most {}", human::usd(usd_per_hour), human::usd(*budgets.usd_per_hour));
  if (budgets.power_w && machines.most_w > *budgets.power_w)
    return fmt::format("may draw {} of at most {}", human::watts(machines.most_w), human::watts(*budgets.power_w));
  for (const GpuBudgetSpec& budget : budgets.gpus)
    for (const GpuCount& kind : machines.gpus)
      if (kind.gpu == budget.gpu && kind.count > budget.at_hand)
        return fmt::format("takes {} x {} of {} at hand", kind.count, kind.gpu, budget.at_hand);
  return std::nullopt;
}

}  // namespace servecast
