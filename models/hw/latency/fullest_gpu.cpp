#include "models/hw/latency/fullest_gpu.h"

#include <algorithm>

#include "models/base/counts.h"

namespace servecast {

StageTime fullest_gpu_time(const GemmFit& fit, DataType weights, const Llm& llm, const Shape& shape,
                           const SpreadTokens& spread) {
  const double gpus = real(shape.expert_parallel);
  const RankLoad& load = spread.load;
  Experts all = llm.experts.value();
  all.count += shape.redundant_experts;
  const double visits = load.visits * real(spread.tokens * all.active) / gpus;
  const double touched = load.touched_fraction * std::min(visits, real(all.count) / gpus);
  return experts_time(fit, weights, llm, shape.expert_slices(), visits, touched);
}

}  // namespace servecast
