#include "sim/engine/unused_gpus.h"

#include <algorithm>

#include "sim/engine/scaling.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

constexpr double rounding_gpus = 1e-9;  // what sums of times may leave where all are used

/// GPUs of a node over the time for which it is rented, less those that replicas hold. Replicas that come and go keep
/// their places; others may have moved to a spare, and are paid for where they stood at first.
double unused_gpu_s(const Scenario& scenario, const Scaling* scaling, double duration_s, std::int64_t node) {
  const NodeUse& use = scenario.node_uses.at(node);
  std::int64_t always = use.gpus;
  double held_s = 0;
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    if (!scenario.pools[pool].spec.scales()) continue;
    const std::vector<ReplicaPlace>& places = scenario.pools[pool].places;
    for (std::size_t replica = 0; replica < places.size(); ++replica) {
      const auto gpus = std::ranges::count(places[replica].gpus, node, &GpuPlace::node);
      always -= gpus;
      held_s += static_cast<double>(gpus) * scaling->rented_s({pool, replica});
    }
  }
  const double rented_s = always > 0 ? duration_s : scaling->node_rented_s(node);
  const double all = static_cast<double>(scenario.groups[use.group].node.gpus) * rented_s;
  return all - static_cast<double>(always) * duration_s - held_s;
}

double dearest(const NodeUse& use) {
  double usd = 0;
  for (const auto& [gpu, price] : use.usd_per_gpu_hour) usd = std::max(usd, price);
  return usd;
}

}  // namespace

std::vector<UnusedGpus> unused_gpus(const Scenario& scenario, const Scaling* scaling, double duration_s) {
  if (duration_s <= 0) return {};
  std::vector<UnusedGpus> by_group(scenario.groups.size());
  for (const auto& [node, use] : scenario.node_uses) {
    const NodeGroup& group = scenario.groups[use.group];
    if (!group.rented_whole) continue;
    const double gpus = unused_gpu_s(scenario, scaling, duration_s, node) / duration_s;
    if (scenario.groups.several()) by_group[use.group].group = group.name;
    by_group[use.group].gpus += gpus;
    by_group[use.group].usd_per_hour += gpus * dearest(use);
  }
  std::erase_if(by_group, [](const UnusedGpus& unused) { return unused.gpus < rounding_gpus; });
  return by_group;
}

}  // namespace servecast
