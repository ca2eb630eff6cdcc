#include "sim/engine/adapter_loads.h"

#include "sim/engine/dispatcher.h"
#include "sim/engine/flows.h"
#include "sim/engine/replica_access.h"
#include "sim/engine/replica_numbers.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {

AdapterLoads::AdapterLoads(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher)
    : scenario_(scenario), wiring_(wiring), dispatcher_(dispatcher), first_(first_replicas(scenario)) {}

std::uint64_t AdapterLoads::life(const ReplicaAt& at) const { return dispatcher_.pools()[at.pool].life(at.replica); }

std::vector<Transfer> AdapterLoads::transfers(const ReplicaAt& to, std::int64_t adapters) const {
  const Pool& pool = scenario_.pools[to.pool];
  std::vector<Transfer> all;
  for (const GpuPlace& gpu : pool.places[to.replica].gpus) {
    const Part source{.kind = Part::Kind::host, .place = gpu};
    const Part target{.kind = Part::Kind::gpu, .place = gpu};
    const double bytes = static_cast<double>(adapters) * pool.adapters.gpu_bytes;
    all.push_back(wiring_.transfer("adapter_load", source, target, bytes));
  }
  return all;
}

void AdapterLoads::load(PoolId pool, ReplicaId to, std::size_t lane, std::int64_t adapters, double at_s) {
  const ReplicaAt at{index(pool), index(to) - first_[index(pool)]};
  const std::uint64_t asked_by = life(at);
  dispatcher_.flows().start(transfers(at, adapters), at_s, [=, this](double done_s) {
    if (life(at) == asked_by) dispatcher_.adapters_loaded(at, lane, done_s);
  });
}

}  // namespace servecast
