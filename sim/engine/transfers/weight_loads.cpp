#include "sim/engine/transfers/weight_loads.h"

#include <algorithm>

#include "sim/engine/links/flows.h"
#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

// The image holds the program that asks for the weights.
void WeightLoads::start(const ReplicaAt& at, double now_s, std::function<void(double now_s)> loaded) {
  const auto& scaling = scenario_.pools[at.pool].spec.scaling;
  const auto load_weights = [this, at, now_s, loaded = std::move(loaded)](double there_s) {
    image_s_[at] = there_s - now_s;
    groups_[at] = flows_.start(weights(at), there_s, loaded);
  };
  if (!scaling || scaling->image_bytes == 0) return load_weights(now_s);
  const double unpacked_s =
      scaling->image_bytes_per_s ? now_s + scaling->image_bytes / *scaling->image_bytes_per_s : now_s;
  groups_[at] = flows_.start({image(at)}, now_s, [load_weights, unpacked_s](double fetched_s) {
    load_weights(std::max(fetched_s, unpacked_s));
  });
}

void WeightLoads::cancel(const ReplicaAt& at, double now_s) { flows_.cancel(groups_.at(at), now_s); }

Transfer WeightLoads::image(const ReplicaAt& at) const {
  const Pool& pool = scenario_.pools[at.pool];
  const GpuPlace& place = pool.places[at.replica].gpus.front();
  const bool has_network = scenario_.group_of(pool).node.nics > 0;
  const Part storage{.kind = has_network ? Part::Kind::storage : Part::Kind::disk, .place = place};
  return wiring_.transfer("image_load", storage, {.kind = Part::Kind::host, .place = place},
                          {.bytes = pool.spec.scaling->image_bytes});
}

std::vector<Transfer> WeightLoads::weights(const ReplicaAt& at) const {
  const Pool& pool = scenario_.pools[at.pool];
  const auto& scaling = pool.spec.scaling;
  const bool snapshot = scaling && scaling->snapshot;
  const double gpus = static_cast<double>(pool.gpus_per_replica());
  const double gpu_bytes = snapshot ? scaling->snapshot->bytes / gpus : pool.memory.weight_bytes;
  std::vector<Transfer> shards;
  for (const GpuPlace& gpu : pool.places[at.replica].gpus)
    shards.push_back(wiring_.transfer("weight_load", {.kind = Part::Kind::storage},
                                      {.kind = Part::Kind::gpu, .place = gpu}, {.bytes = gpu_bytes}));
  return shards;
}

}  // namespace servecast
