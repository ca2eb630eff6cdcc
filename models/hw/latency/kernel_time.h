#pragma once
#include <cstdint>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/kernels.h"

namespace servecast {

/// Adds operators that run one after the other.
inline StageTime& operator+=(StageTime& sum, const StageTime& next) {
  sum.seconds += next.seconds;
  sum.compute_s += next.compute_s;
  sum.extrapolated |= next.extrapolated;
  return sum;
}
inline StageTime operator*(double times, StageTime one) {
  one.seconds *= times;
  one.compute_s *= times;
  return one;
}

/// A weight matrix on one GPU.
struct GemmShape {
  std::int64_t columns = 0;  // n
  std::int64_t depth = 0;    // k
};

/// y[rows x columns] = x[rows x depth] w[depth x columns]: launch + ((2 m n k / flop rate)^p + (bytes /
/// rate)^p)^(1/p), bytes = weights + inputs + bf16 outputs. The arithmetic's share of the time, launch apart, is c^p
/// / (c^p + b^p). Leaves out: tile and wave quantisation (7 to 12 % mean error against the measurements it was fitted
/// on).
StageTime gemm_time(const GemmFit& fit, DataType weights, const GemmShape& shape, std::int64_t rows);

/// Experts of one layer that `tokens` tokens touch when each picks `active` of `count` evenly and independently:
/// count (1 - (1 - active / count)^tokens).
double touched_experts(const Experts& experts, std::int64_t tokens);

/// Both grouped products of a layer's routed experts on one of `tensor_parallel` GPUs: the formula of gemm_time with
/// 2 x matrices x hidden x width x tokens x active flop and the weights of the touched experts.
/// Leaves out: uneven routing, tile sizes.
StageTime experts_time(const GemmFit& fit, DataType weights, const Llm& llm, std::int64_t tensor_parallel,
                       std::int64_t tokens);
/// The same where it is known how many experts are touched and how many visits tokens pay them, all together.
StageTime experts_time(const GemmFit& fit, DataType weights, const Llm& llm, std::int64_t tensor_parallel,
                       double visits, double touched);
/// Weights of one expert, its gate and up matrices where it has both.
double expert_weight_bytes(const Llm& llm, DataType weights);

/// Sum of `bytes` over `ranks` GPUs of one node: measured points, straight lines between them in log bytes and log
/// seconds; constant below the smallest, proportional to bytes above the largest. A number of ranks between the
/// measured 2, 4 and 8 takes the next larger; above 8 it takes 8 and says so in `extrapolated`.
/// Outside a CUDA graph it takes at least eager_floor_s.
StageTime all_reduce_time(const AllReduceFit& fit, std::int64_t ranks, double bytes, bool in_graph);

}  // namespace servecast
