#include "sim/engine/weight_loads.h"

#include "sim/engine/flows.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {

std::vector<Transfer> weight_shards(const Pool& pool, const ReplicaPlace& place, const Wiring& wiring) {
  std::vector<Transfer> shards;
  for (const GpuPlace& gpu : place.gpus)
    shards.push_back({.kind = "weight_load",
                      .from = "storage",
                      .to = Wiring::name(gpu),
                      .path = wiring.load_path(gpu),
                      .bytes = pool.memory.weight_bytes});
  return shards;
}

void start_weight_loads(const Scenario& scenario, const Wiring& wiring, Flows& flows, const WeightsLoaded& loaded) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    const Pool& p = scenario.pools[pool];
    if (p.spec.start != "cold") continue;
    for (std::size_t replica = 0; replica < p.places.size(); ++replica) {
      flows.start(weight_shards(p, p.places[replica], wiring), 0,
                  [=](double now_s) { loaded(pool, replica, now_s); });
    }
  }
}

}  // namespace servecast
