#include "models/hw/latency/fullest_gpu.h"

#include <cmath>

#include "models/base/counts.h"

namespace servecast {

StageTime fullest_gpu_time(const GemmFit& fit, DataType weights, const Llm& llm, const Shape& shape,
                           const SpreadTokens& spread) {
  const double gpus = real(shape.expert_parallel);
  const RankLoad& load = spread.load;
  Experts all = llm.experts.value();
  all.count += shape.redundant_experts;
  const double visits = load.visits * real(spread.tokens * all.active) / gpus;
  const auto touching = static_cast<std::int64_t>(std::llround(load.visits * real(spread.tokens)));
  const double touched = load.touched_fraction * touched_experts(all, touching) / gpus;
  return experts_time(fit, weights, llm, shape.expert_slices(), visits, touched);
}

}  // namespace servecast
