#include "sim/input/scenario/gpu_places.h"

#include <cassert>

namespace servecast {

std::optional<ReplicaPlace> GpuAllocator::place(std::int64_t gpus_per_stage, std::int64_t stages) {
  assert(gpus_per_stage <= gpus_per_node_ || gpus_per_stage % gpus_per_node_ == 0);
  ReplicaPlace place;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    if (next_.gpu > 0 && next_.gpu + gpus_per_stage > gpus_per_node_) next_ = {.node = next_.node + 1};
    if (next_.node + (gpus_per_stage - 1) / gpus_per_node_ >= end_node_) return std::nullopt;
    for (std::int64_t rank = 0; rank < gpus_per_stage; ++rank) {
      if (next_.gpu == gpus_per_node_) next_ = {.node = next_.node + 1};
      place.gpus.push_back({.node = next_.node, .gpu = next_.gpu++});
    }
  }
  return place;
}

}  // namespace servecast
