#pragma once
#include <memory>

#include "models/hw/engine_terms.h"
#include "models/hw/expert_exchange.h"
#include "models/hw/llm.h"
#include "models/hw/shape.h"
#include "models/hw/step_latency.h"

namespace servecast {

struct TensorsAcrossNodes {
  const Llm& llm;
  Shape shape{};  // each stage over several whole nodes
  NodeLink link{};
  EngineTerms terms{};
};

/// Step time where a tensor-parallel group takes several nodes: all-reduces are done in each node first (`inside`
/// counts those, without host time), and then between nodes, every GPU with its share of the vector over its own
/// port:
///   (2 L + 1) (2 (n - 1) / n x bytes / (GPUs of a node) / port rate + 2 ceil(log2 n) x latency),
/// n nodes, L layers of a pipeline stage, 1 for the embeddings in the first, as NCCL's rings over rails do; nothing
/// of it is hidden. An all-gather, which ranks with requests of their own have in place of a second all-reduce in
/// layers with experts, counts as half of one. Leaves out: NCCL's own trees and their pipelining.
std::unique_ptr<StepLatency> make_across_nodes(std::unique_ptr<StepLatency> inside, const TensorsAcrossNodes& across);

}  // namespace servecast
