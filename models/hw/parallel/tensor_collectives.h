#pragma once
#include <memory>

#include "models/hw/latency/engine_terms.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/parallel/expert_exchange.h"

namespace servecast {

struct TensorCollectivesInputs {
  const Llm& llm;
  Shape shape{};  // a stage's tensor-parallel group shares a node, or takes several whole ones
  NodeLink link{};
  EngineTerms terms{};  // of a group that takes several nodes: `inside` is without host time then
};

/// What a tensor-parallel group sends in a step. All-reduces are done in each node first; `inside` counts their time.
/// Of that, a GPU's link to its peers sends
///   (2 L + 1) 2 (g - 1) / g x bytes / link rate,
/// g GPUs of a node, L layers of a pipeline stage, 1 for the embeddings in the first, as a ring does. Where the group
/// takes n nodes, every GPU then all-reduces its share of the vector over its own port, which the step takes longer
/// for:
///   (2 L + 1) (2 (n - 1) / n x bytes / g / port rate + 2 ceil(log2 n) x latency),
/// as NCCL's rings over rails do; no part is hidden. An all-gather, which ranks with requests of their own have
/// in place of a second all-reduce in layers with experts, counts as half of one. Leaves out: NCCL's trees and their
/// pipelining; sums made in the switch (NVLS), which send half as much inside a node.
std::unique_ptr<StepLatency> make_tensor_collectives(std::unique_ptr<StepLatency> inside,
                                                     const TensorCollectivesInputs& inputs);

}  // namespace servecast
