#include "models/hw/profile_layer.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/base/stable_math.h"
#include "models/hw/cuda_graph.h"

namespace servecast {
namespace {

/// From so many tokens on balanced benchmarks touch as many experts as random routing does.
constexpr std::int64_t all_experts_touched = 64;

StageTime stage_time(const KernelTime& time) {
  return {.seconds = time.seconds, .compute_s = time.compute_s, .extrapolated = time.extrapolated};
}

/// Engines all-reduce with kernels of their own while messages are short and with NCCL above: whichever is faster.
KernelTime faster(const KernelTime& own, const std::optional<KernelTime>& nccl) {
  return nccl && nccl->seconds < own.seconds ? *nccl : own;
}

/// Experts that random routing touches over those that balanced routing does.
double touched_share(const Experts& experts, std::int64_t tokens) {
  if (tokens >= all_experts_touched) return 1;
  return touched_experts(experts, tokens) / real(std::min(experts.count, experts.active * tokens));
}

}  // namespace

ProfileLayer::ProfileLayer(const ProfileInputs& inputs, bool expert_layer)
    : in_(inputs),
      kernels_(*inputs.profile),
      expert_layer_(expert_layer),
      linears_(linear_layers(inputs.llm, inputs.weights, inputs.shape.tensor_parallel, expert_layer)),
      elementwise_bytes_(elementwise_bytes_per_token(inputs.llm, inputs.shape.tensor_parallel, expert_layer)) {}

std::int64_t ProfileLayer::graph_tokens() const {
  return std::min(in_.terms.cuda_graph_max_tokens, 2 * in_.max_sequences);
}

StageTime ProfileLayer::product(DataType weights, const GemmShape& shape, std::int64_t rows) const {
  if (rows == 0) return {};
  if (const auto time =
          kernels_.gemm({.dtype = facts(weights).name, .m = rows, .n = shape.columns, .k = shape.depth}))
    return weights == DataType::fp8 ? with_known_scales(stage_time(*time), shape, rows) : stage_time(*time);
  StageTime time = gemm_time(in_.gpu.kernels.value().gemm.of(weights).value(), weights, shape, rows);
  time.extrapolated = true;
  return time;
}

// Profiles without the passes have products that were timed without, or whose servers run them, too.
StageTime ProfileLayer::with_known_scales(StageTime product, const GemmShape& shape, std::int64_t rows) const {
  if (in_.terms.input_scales == "dynamic") return product;
  const double bytes = real(rows) * real(shape.depth) * (facts(DataType::bf16).bytes + facts(DataType::fp8).bytes);
  const auto passes = kernels_.quantize(bytes);
  if (!passes) return product;
  product.seconds = std::max(product.compute_s, product.seconds - passes->seconds);
  if (in_.terms.input_scales == "static")
    product.seconds += in_.terms.small_kernel_s + bytes / kernels_.elementwise_bytes_per_s();
  return product;
}

/// The GPU's own constants, for products that the profile lacks.
const GemmFit& ProfileLayer::expert_fit() const {
  const GemmFits& fits = in_.gpu.kernels.value().moe;
  const auto& own = fits.of(in_.weights);
  return own ? *own : fits.bf16.value();
}

StageTime ProfileLayer::experts(std::int64_t tokens) const {
  if (tokens == 0) return {};
  const Experts& experts = in_.llm.experts.value();
  if (in_.shape.expert_parallel > 1) return spread_experts(tokens);
  const auto measured = kernels_.moe({.dtype = facts(in_.weights).name,
                                      .tokens = tokens,
                                      .hidden = in_.llm.hidden,
                                      .width = experts.intermediate,
                                      .experts = experts.count,
                                      .top_k = experts.active,
                                      .tensor_parallel = in_.shape.tensor_parallel});
  if (measured) return touched_share(experts, tokens) * stage_time(*measured);
  StageTime time = experts_time(expert_fit(), in_.weights, in_.llm, in_.shape.tensor_parallel, tokens);
  time.extrapolated = true;
  return time;
}

// Every rank sends as many tokens; the fullest one's experts get more than their share. What arrives in fp8 is scaled
// in blocks of 128 (DeepEP), so the products are those of block-scaled fp8.
StageTime ProfileLayer::spread_experts(std::int64_t rank_tokens) const {
  const Experts& experts = in_.llm.experts.value();
  const std::int64_t tokens = rank_tokens * in_.shape.ranks();
  const RankLoad load = in_.rank_loads.at(tokens);
  MoeCall call{.dtype = in_.weights == DataType::fp8 ? "fp8_block" : facts(in_.weights).name,
               .tokens = tokens,
               .hidden = in_.llm.hidden,
               .width = experts.intermediate,
               .experts = experts.count + in_.shape.redundant_experts,
               .top_k = experts.active,
               .expert_parallel = in_.shape.expert_parallel};
  if (!in_.rank_loads.even()) call.tokens = std::llround(load.visits * real(tokens));
  const auto measured = kernels_.moe(call);
  if (!measured) return experts_of_rank(tokens, load);
  if (in_.rank_loads.even()) return touched_share(experts, tokens) * stage_time(*measured);
  StageTime time = stage_time(*measured);
  time.seconds -= (1 - load.touched_fraction) * (time.seconds - time.compute_s);
  return time;
}

/// Where nobody measured the products with weights of this type.
StageTime ProfileLayer::experts_of_rank(std::int64_t tokens, const RankLoad& load) const {
  const double ranks = real(in_.shape.ranks());
  Experts all = in_.llm.experts.value();
  all.count += in_.shape.redundant_experts;
  const double visits = load.visits * real(tokens * all.active) / ranks;
  const auto touched_tokens = static_cast<std::int64_t>(std::llround(load.visits * real(tokens)));
  const double touched = load.touched_fraction * touched_experts(all, touched_tokens) / ranks;
  StageTime time = experts_time(expert_fit(), in_.weights, in_.llm, 1, visits, touched);
  time.extrapolated = true;
  return time;
}

StageTime ProfileLayer::all_reduce(std::int64_t tokens) const {
  if (in_.shape.tensor_parallel == 1 || tokens == 0) return {};
  StageTime time = all_reduce_alone(tokens);
  time.seconds += all_reduce_wait_s(in_.terms, in_.shape.tensor_parallel);
  return time;
}

StageTime ProfileLayer::all_reduce_alone(std::int64_t tokens) const {
  const std::int64_t ranks = std::min(in_.shape.tensor_parallel, in_.node_gpus);
  const double bytes = real(graph_rows(tokens, graph_tokens())) * real(in_.llm.hidden) * facts(DataType::bf16).bytes;
  const bool graph = tokens <= graph_tokens();
  const auto own =
      kernels_.collective({.op = "all_reduce", .mode = graph ? "graph" : "eager", .bytes = bytes, .ranks = ranks});
  if (own && !graph) return stage_time(faster(*own, kernels_.all_reduce_by_nccl(bytes, ranks)));
  if (own) return stage_time(*own);
  return all_reduce_time(in_.gpu.kernels.value().all_reduce, ranks, bytes, graph);
}

StageTime ProfileLayer::head(std::int64_t emitted) const {
  return product(DataType::bf16, {.columns = in_.llm.vocabulary / in_.shape.tensor_parallel, .depth = in_.llm.hidden},
                 emitted);
}

StageTime ProfileLayer::operator()(std::int64_t tokens) const {
  const std::int64_t rows = graph_rows(tokens, graph_tokens());
  StageTime sum;
  for (const Linear& linear : linears_) {
    StageTime one = product(linear.weights, linear.shape, rows);
    one.extrapolated &= linear.counts_range;
    sum += one;
  }
  if (expert_layer_) sum += experts(tokens);
  sum += 2 * all_reduce(tokens);
  const std::int64_t small = in_.terms.small_kernels_per_layer + (in_.llm.qk_norm ? 2 : 0);
  sum.seconds +=
      real(small) * in_.terms.small_kernel_s + real(rows) * elementwise_bytes_ / kernels_.elementwise_bytes_per_s();
  return sum;
}

}  // namespace servecast
