#pragma once
#include <optional>
#include <string>

#include "models/hw/latency/pipeline_stage.h"
#include "models/hw/llm/shape.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/parallel/expert_exchange.h"
#include "sim/input/scenario/gpu_places.h"
#include "sim/input/scenario/node_groups.h"
#include "sim/input/specs/pool_spec.h"

namespace servecast {

inline Shape shape(const PoolSpec& spec) {
  return {.tensor_parallel = spec.tensor_parallel,
          .pipeline_parallel = spec.pipeline_parallel,
          .expert_parallel = spec.expert_parallel,
          .redundant_experts = spec.expert_parallel > 1 ? spec.expert_exchange.redundant_experts : 0,
          .data_parallel = spec.data_parallel};
}

/// Layers of a model on its GPUs and on the host's processor.
struct LayerSplit {
  LayerRange gpu{};
  LayerRange host{};
};
inline LayerSplit split_layers(std::int64_t layers, const HostLayersSpec& host) {
  if (host.which == "first") return {.gpu = {host.layers, layers}, .host = {0, host.layers}};
  return {.gpu = {0, layers - host.layers}, .host = {layers - host.layers, layers}};
}

/// A setting that is wrong, and why.
struct ShapeProblem {
  std::string key;
  std::string message;
};
/// What of a pool's parallel shape nodes like this or the other settings of the pool do not allow.
std::optional<ShapeProblem> shape_problem(const PoolSpec& spec, const Node& node);

/// From a replica's first stage to its second.
StageLink stage_link(const Shape& shape, const ReplicaPlace& place, const TransferLaws& copies,
                     const NodeGroup& group);
/// Between the nodes that the first stage takes, for each GPU: its port, or with fewer ports than GPUs its share of
/// them; less where the nodes lie below several leaf switches whose uplinks cannot carry as much.
NodeLink node_link(const Shape& shape, const ReplicaPlace& place, const Gpu& gpu, const TransferLaws& copies,
                   const NodeGroup& group);

}  // namespace servecast
