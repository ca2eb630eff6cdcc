#pragma once
#include <cstdint>

#include "models/hw/latency/kernel_time.h"
#include "models/hw/latency/rank_loads.h"
#include "models/hw/llm/shape.h"

namespace servecast {

/// What all GPUs over which the experts of a layer are spread get together, and how much the fullest one does.
struct SpreadTokens {
  std::int64_t tokens = 0;
  RankLoad load{};
};

/// Products of experts on the fullest of shape.expert_parallel groups of GPUs, from the GPU's own constants:
/// experts_time() of the visits that it is paid, `load.visits` times the mean, and of the experts that these touch.
StageTime fullest_gpu_time(const GemmFit& fit, DataType weights, const Llm& llm, const Shape& shape,
                           const SpreadTokens& spread);

}  // namespace servecast
