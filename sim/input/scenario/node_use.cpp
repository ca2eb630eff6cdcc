#include "sim/input/scenario/node_use.h"

#include <algorithm>

#include "sim/input/scenario/scenario.h"

namespace servecast {

std::map<std::int64_t, NodeUse> node_uses(const std::vector<Pool>& pools) {
  std::map<std::int64_t, NodeUse> uses;
  for (const Pool& pool : pools)
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus) {
        NodeUse& use = uses[gpu.node];
        use.group = pool.group;
        ++use.gpus;
        double& usd = use.usd_per_gpu_hour[pool.spec.gpu];
        usd = std::max(usd, pool.usd_per_gpu_hour());
      }
  return uses;
}

}  // namespace servecast
