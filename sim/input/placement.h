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

/// Where one replica runs: its GPUs stage by stage, tensor-parallel rank by rank.
struct ReplicaPlace {
  std::vector<GpuPlace> gpus;
};

/// Hands out GPUs in order, node by node. The GPUs of one pipeline stage share a node, since they talk in every
/// layer.
class Placer {
 public:
  Placer(std::int64_t nodes, std::int64_t gpus_per_node) : nodes_(nodes), gpus_per_node_(gpus_per_node) {}

  /// None where the cluster has no room left. Requires tensor_parallel <= gpus per node.
  std::optional<ReplicaPlace> place(std::int64_t tensor_parallel, std::int64_t pipeline_parallel);

 private:
  std::int64_t nodes_;
  std::int64_t gpus_per_node_;
  GpuPlace next_{};
};

}  // namespace servecast
