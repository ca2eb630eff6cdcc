#include "sim/engine/facts/unused_gpus.h"

#include <algorithm>
#include <iterator>

#include "sim/engine/cluster/replica_lifecycle.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

constexpr double rounding_gpus = 1e-9;  // what sums of times may leave where all are used

double rented_s(const ReplicaLifecycle::Rents& rents) {
  double seconds = 0;
  for (const auto& [from_s, to_s] : rents) seconds += to_s - from_s;
  return seconds;
}

/// GPUs of a node over the time for which it is rented, less those that replicas hold. Replicas that come and go keep
/// their places; others may have moved to a spare, and are paid for where they stood at first.
double unused_gpu_s(const Scenario& scenario, const ReplicaLifecycle& lifecycle, double duration_s,
                    std::int64_t node) {
  const NodeUse& use = scenario.node_uses.at(node);
  std::int64_t always = use.gpus;
  double held_s = 0;
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    if (!scenario.pools[pool].spec.scales()) continue;
    const std::vector<ReplicaPlace>& places = scenario.pools[pool].places;
    for (std::size_t replica = 0; replica < places.size(); ++replica) {
      const auto gpus = std::ranges::count(places[replica].gpus, node, &GpuPlace::node);
      always -= gpus;
      held_s += static_cast<double>(gpus) * rented_s(lifecycle.rents({pool, replica}));
    }
  }
  const double node_s = always > 0 ? duration_s : node_rented_s(scenario, lifecycle, node);
  const double all = static_cast<double>(scenario.groups[use.group].node.gpus) * node_s;
  return all - static_cast<double>(always) * duration_s - held_s;
}

double dearest(const NodeUse& use) {
  double usd = 0;
  for (const auto& [gpu, price] : use.usd_per_gpu_hour) usd = std::max(usd, price);
  return usd;
}

}  // namespace

double idle_w(const Scenario& scenario, std::size_t group) {
  return std::ranges::find(scenario.pools, group, &Pool::group)->gpu.power.idle_w;
}

double node_rented_s(const Scenario& scenario, const ReplicaLifecycle& lifecycle, std::int64_t node) {
  ReplicaLifecycle::Rents rents;
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool)
    for (std::size_t i = 0; i < scenario.pools[pool].places.size(); ++i) {
      const std::vector<GpuPlace>& gpus = scenario.pools[pool].places[i].gpus;
      if (std::ranges::find(gpus, node, &GpuPlace::node) != gpus.end())
        std::ranges::copy(lifecycle.rents({pool, i}), std::back_inserter(rents));
    }
  std::ranges::sort(rents);
  double seconds = 0;
  double until_s = 0;
  for (const auto& [from_s, to_s] : rents) {
    seconds += std::max(0.0, to_s - std::max(from_s, until_s));
    until_s = std::max(until_s, to_s);
  }
  return seconds;
}

double unused_idle_j(const Scenario& scenario, const ReplicaLifecycle& lifecycle, double duration_s) {
  double joules = 0;
  for (const auto& [node, use] : scenario.node_uses)
    if (scenario.groups[use.group].rented_whole)
      joules += unused_gpu_s(scenario, lifecycle, duration_s, node) * idle_w(scenario, use.group);
  return joules;
}

std::vector<UnusedGpus> unused_gpus(const Scenario& scenario, const ReplicaLifecycle& lifecycle, double duration_s) {
  if (duration_s <= 0) return {};
  std::vector<UnusedGpus> by_group(scenario.groups.size());
  for (const auto& [node, use] : scenario.node_uses) {
    const NodeGroup& group = scenario.groups[use.group];
    if (!group.rented_whole) continue;
    const double gpus = unused_gpu_s(scenario, lifecycle, duration_s, node) / duration_s;
    if (scenario.groups.several()) by_group[use.group].group = group.name;
    by_group[use.group].gpus += gpus;
    by_group[use.group].usd_per_hour += gpus * dearest(use);
  }
  std::erase_if(by_group, [](const UnusedGpus& unused) { return unused.gpus < rounding_gpus; });
  return by_group;
}

}  // namespace servecast
