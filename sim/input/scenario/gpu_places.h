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
class GpuAllocator {
 public:
  /// Of nodes with numbers from `first_node` up to `end_node`.
  GpuAllocator(std::int64_t first_node, std::int64_t end_node, std::int64_t gpus_per_node)
      : end_node_(end_node), gpus_per_node_(gpus_per_node), next_{.node = first_node} {}

  /// None where they have no room left. Requires gpus_per_stage <= gpus per node, or a multiple of it.
  std::optional<ReplicaPlace> place(std::int64_t gpus_per_stage, std::int64_t stages);

 private:
  std::int64_t end_node_;
  std::int64_t gpus_per_node_;
  GpuPlace next_;
};

}  // namespace servecast
