#include "models/hw/latency/kernel_time.h"

#include <algorithm>
#include <cassert>

#include "models/base/counts.h"
#include "models/base/stable_math.h"

namespace servecast {
namespace {

/// launch + (c^p + b^p)^(1/p), with the share of c.
StageTime soft_roofline(const GemmFit& fit, double flop, double bytes) {
  const double c = flop / fit.flop_per_s;
  const double b = bytes / fit.bytes_per_s;
  const double larger = std::max(c, b);
  if (larger == 0) return {};
  const double c_power = stable::pow(c / larger, fit.sharpness);  // divided by the larger: no underflow
  const double b_power = stable::pow(b / larger, fit.sharpness);
  const double body_s = larger * stable::pow(c_power + b_power, 1 / fit.sharpness);
  return {.seconds = fit.launch_s + body_s, .compute_s = body_s * c_power / (c_power + b_power)};
}

bool inside(const GemmFit& fit, double width) { return width >= real(fit.min_width) && width <= real(fit.max_width); }

}  // namespace

StageTime gemm_time(const GemmFit& fit, DataType weights, const GemmShape& shape, std::int64_t rows) {
  if (rows == 0) return {};
  const double m = real(rows);
  const double n = real(shape.columns);
  const double k = real(shape.depth);
  const double bytes =
      n * k * facts(weights).bytes + m * k * facts(weights).activation_bytes + m * n * facts(DataType::bf16).bytes;
  StageTime time = soft_roofline(fit, 2 * m * n * k, bytes);
  time.extrapolated = rows > fit.max_rows || !inside(fit, n) || !inside(fit, k);
  return time;
}

double touched_experts(const Experts& experts, std::int64_t tokens) {
  const double count = real(experts.count);
  const double missed = 1 - real(experts.active) / count;  // chance that one token leaves an expert alone
  return count * (1 - stable::pow(missed, real(tokens)));
}

StageTime experts_time(const GemmFit& fit, DataType weights, const Llm& llm, std::int64_t tensor_parallel,
                       double visits, double touched) {
  if (visits == 0) return {};
  const Experts& experts = llm.experts.value();
  const double h = real(llm.hidden);
  const double width = real(experts.intermediate) / real(tensor_parallel);
  const double matrices = llm.gated_mlp ? 3 : 2;
  const double weight_bytes = touched * matrices * h * width * facts(weights).bytes;
  const double activation_bytes = visits * (2 * h + matrices * width) * facts(weights).activation_bytes;
  StageTime time = soft_roofline(fit, 2 * matrices * h * width * visits, weight_bytes + activation_bytes);
  time.extrapolated = visits > real(fit.max_rows * experts.active) || !inside(fit, h) || !inside(fit, width);
  return time;
}

StageTime experts_time(const GemmFit& fit, DataType weights, const Llm& llm, std::int64_t tensor_parallel,
                       std::int64_t tokens) {
  const Experts& experts = llm.experts.value();
  return experts_time(fit, weights, llm, tensor_parallel, real(tokens * experts.active),
                      touched_experts(experts, tokens));
}

double expert_weight_bytes(const Llm& llm, DataType weights) {
  const double matrices = llm.gated_mlp ? 3 : 2;
  return matrices * real(llm.hidden) * real(llm.experts.value().intermediate) * facts(weights).bytes;
}

StageTime all_reduce_time(const AllReduceFit& fit, std::int64_t ranks, double bytes, bool in_graph) {
  if (ranks <= 1) return {};
  assert(!fit.points.empty());
  const auto column = ranks <= 2   ? &AllReducePoint::ranks_2_s
                      : ranks <= 4 ? &AllReducePoint::ranks_4_s
                                   : &AllReducePoint::ranks_8_s;
  const auto& points = fit.points;
  const auto above = std::ranges::lower_bound(points, bytes, {}, &AllReducePoint::bytes);
  double seconds = points.front().*column;
  if (above == points.end()) {
    seconds = points.back().*column * bytes / points.back().bytes;
  } else if (above != points.begin()) {
    const AllReducePoint& low = *(above - 1);
    const AllReducePoint& high = *above;
    const double part = stable::log(bytes / low.bytes) / stable::log(high.bytes / low.bytes);
    seconds = low.*column * stable::pow(high.*column / low.*column, part);
  }
  if (!in_graph) seconds = std::max(seconds, fit.eager_floor_s);
  return {.seconds = seconds, .extrapolated = ranks > 8 || bytes > points.back().bytes};
}

}  // namespace servecast
