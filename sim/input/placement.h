#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace servecast {

/// One GPU of the cluster.
struct GpuPlace {
  std::int64_t node = 0;
  std::int64_t gpu = 0;  // within the node
};

/// Where one replica runs: its GPUs stage by stage, rank by rank.
struct ReplicaPlace {
  std::vector<GpuPlace> gpus;
};

/// Hands out GPUs in order, node by node. The GPUs of one pipeline stage share a node, since they talk in every
/// layer, or take whole nodes.
class Placer {
 public:
  Placer(std::int64_t nodes, std::int64_t gpus_per_node) : nodes_(nodes), gpus_per_node_(gpus_per_node) {}

  /// None where the cluster has no room left. Requires gpus_per_stage <= gpus per node, or a multiple of it.
  std::optional<ReplicaPlace> place(std::int64_t gpus_per_stage, std::int64_t stages);

 private:
  std::int64_t nodes_;
  std::int64_t gpus_per_node_;
  GpuPlace next_{};
};

}  // namespace servecast
