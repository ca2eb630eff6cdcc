#include "sim/engine/weight_loads.h"

namespace servecast {

std::int64_t add_weight_loads(const Scenario& scenario, const Wiring& wiring, Network& network,
                              WeightsLoaded loaded) {
  std::int64_t count = 0;
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    const Pool& p = scenario.pools[pool];
    if (p.spec.start != "cold") continue;
    for (std::size_t replica = 0; replica < p.places.size(); ++replica, ++count) {
      std::vector<Transfer> shards;
      for (const GpuPlace& gpu : p.places[replica].gpus)
        shards.push_back({.kind = "weight_load",
                          .from = "storage",
                          .to = Wiring::name(gpu),
                          .path = wiring.load_path(gpu),
                          .bytes = p.memory.weight_bytes});
      network.add(std::move(shards), [loaded, pool, replica](const std::vector<FinishedTransfer>& transfers) {
        loaded(pool, replica, transfers);
      });
    }
  }
  return count;
}

}  // namespace servecast
