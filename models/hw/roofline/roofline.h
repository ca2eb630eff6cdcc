#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/engine_terms.h"
#include "models/hw/latency/pipeline_stage.h"
#include "models/hw/latency/rank_loads.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/data_type.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

struct RooflineInputs {
  const Gpu& gpu;  // with kernels; read while building, not kept
  const Llm& llm;
  WeightTypes weights{};
  DataType kv = DataType::bf16;
  Shape shape{};
  std::int64_t max_step_tokens = 2048;  // larger steps are answered too, slowly
  std::int64_t max_sequences = 256;
  StageLink stage_link{};            // needed with pipeline_parallel above 1
  std::int64_t node_gpus = 1 << 20;  // of a tensor-parallel group, at most so many share a node
  EngineTerms engine{};
  RankLoads rank_loads{};  // with shape.expert_parallel above 1
};

/// Step time as a sum over operators, each a soft maximum of launch, arithmetic and memory time:
///   every layer: linear layers (experts: those that are touched), decode attention, prefill attention, two
///   all-reduces, elementwise traffic, small kernels;
///   first stage: embedding all-reduce; last stage: LM head and sampler of the emitting sequences; between stages:
///   hidden state and residual over the link; host time of the engine on the first stage: added, or where the engine
///   works ahead, the longer of both.
/// Experts that are spread whole over the GPUs of one rank take what those of the fullest GPU do (fullest_gpu.h); of
/// several ranks there are no measurements of how these send tokens to experts, so shape.ranks() is 1.
/// Constants: the GPU file. Formulas, ranges, errors and what is left out: docs/models.md.
/// Requires cannot_compute(gpu, weights) to be empty.
std::unique_ptr<StepLatency> make_roofline(const RooflineInputs& inputs);

}  // namespace servecast
