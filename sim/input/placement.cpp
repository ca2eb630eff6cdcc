#include "sim/input/placement.h"

#include <cassert>

namespace servecast {

std::optional<ReplicaPlace> Placer::place(std::int64_t tensor_parallel, std::int64_t pipeline_parallel) {
  assert(tensor_parallel <= gpus_per_node_);
  ReplicaPlace place;
  for (std::int64_t stage = 0; stage < pipeline_parallel; ++stage) {
    if (next_.gpu + tensor_parallel > gpus_per_node_) next_ = {.node = next_.node + 1};
    if (next_.node >= nodes_) return std::nullopt;
    for (std::int64_t rank = 0; rank < tensor_parallel; ++rank)
      place.gpus.push_back({.node = next_.node, .gpu = next_.gpu++});
  }
  return place;
}

}  // namespace servecast
