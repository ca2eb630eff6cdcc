#include "models/hw/profile/layer/profile_layer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "models/base/counts.h"
#include "models/base/stable_math.h"
#include "models/hw/latency/cuda_graph.h"
#include "models/hw/latency/fullest_gpu.h"
#include "models/hw/profile/profile_attention.h"

namespace servecast {
namespace {

StageTime stage_time(const KernelTime& time) {
  return {.seconds = time.seconds, .compute_s = time.compute_s, .extrapolated = time.extrapolated};
}

/// Engines all-reduce with kernels of their own while messages are short and with NCCL above: whichever is faster.
KernelTime faster(const KernelTime& own, const std::optional<KernelTime>& nccl) {
  return nccl && nccl->seconds < own.seconds ? *nccl : own;
}

/// Of the experts that a benchmark's visits touch, those that as many by chance do.
double touched_by_chance(const Experts& experts, std::int64_t tokens) {
  return touched_experts(experts, tokens) / real(std::min(experts.count, experts.active * tokens));
}

}  // namespace

ProfileLayer::ProfileLayer(const ProfileInputs& inputs, const LayerKind& kind)
    : in_(inputs),
      kernels_(*inputs.profile),
      input_scales_(input_scales(inputs.terms)),
      expert_layer_(kind.experts),
      linears_((absorbs_projection(inputs) ? absorbed_linears : attention_linears)(
          inputs.llm, inputs.weights, inputs.shape.tensor_parallel, kind)),
      small_(inputs, kind) {
  const bool share = kind.experts && inputs.shape.shares_out_tokens();
  auto mlp = mlp_linears(inputs.llm, inputs.weights, share ? 1 : inputs.shape.tensor_parallel, kind.experts);
  if (kind.experts) {  // behind the router
    shared_.assign(mlp.begin() + 1, mlp.end());
    mlp.resize(1);
  }
  std::ranges::copy(mlp, std::back_inserter(share ? of_share_ : linears_));
}

ProfileLayer::InputScales ProfileLayer::input_scales(const EngineTerms& terms) {
  if (terms.input_scales == "static") return InputScales::quantised;
  return terms.input_scales == "fused" ? InputScales::fused : InputScales::found_before;
}

std::int64_t ProfileLayer::padded(std::int64_t tokens) const {
  return graph_rows(tokens, in_.terms.cuda_graph_max_tokens);
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
  if (input_scales_ == InputScales::found_before) return product;
  const double bytes = real(rows) * real(shape.depth) * (facts(DataType::bf16).bytes + facts(DataType::fp8).bytes);
  const auto passes = kernels_.elementwise(bytes, "quantize");
  if (!passes) return product;
  product.seconds = std::max(product.compute_s, product.seconds - passes->seconds);
  if (input_scales_ == InputScales::quantised)
    product.seconds += least_kernel_s(in_.terms, kernels_) + bytes / kernels_.elementwise_bytes_per_s();
  return product;
}

/// The GPU's own constants, for products that the profile lacks.
const GemmFit& ProfileLayer::expert_fit() const {
  const GemmFits& fits = in_.gpu.kernels.value().moe;
  const auto& own = fits.of(in_.weights.experts);
  return own ? *own : fits.bf16.value();
}

StageTime ProfileLayer::experts(std::int64_t tokens) const {
  if (tokens == 0) return {};
  if (in_.shape.expert_parallel > 1 || in_.shape.ranks() > 1) return routed_experts(tokens * in_.shape.ranks());
  return as_served(sliced_experts(tokens));
}

StageTime ProfileLayer::routed_experts(std::int64_t group_tokens) const {
  return as_served(spread_experts(group_tokens));
}

StageTime ProfileLayer::as_served(StageTime timed) const {
  const EngineTerms& terms = in_.terms;
  const bool generated = in_.gpu.peaks.fp4_flop_per_s > 0 && in_.moe_backend == "auto";
  const double factor = generated && terms.generated_expert_compute_factor > 0 ? terms.generated_expert_compute_factor
                                                                               : terms.expert_compute_factor;
  timed.seconds += (factor - 1) * timed.compute_s;
  timed.compute_s *= factor;
  return timed;
}

StageTime ProfileLayer::sliced_experts(std::int64_t tokens) const {
  const Experts& experts = in_.llm.experts.value();
  MoeCall call{.dtype = facts(in_.weights.experts).name,
               .backend = in_.moe_backend,
               .tokens = tokens,
               .hidden = in_.llm.hidden,
               .width = experts.intermediate,
               .experts = experts.count,
               .top_k = experts.active,
               .tensor_parallel = in_.shape.tensor_parallel};
  if (const auto measured = kernels_.moe(call)) return as_routed(call, *measured, touched_by_chance(experts, tokens));
  if (const auto derived = experts_like_bf16(call)) return *derived;
  StageTime time = experts_time(expert_fit(), in_.weights.experts, in_.llm, in_.shape.tensor_parallel, tokens);
  time.extrapolated = true;
  return time;
}

// Gate, permute and combine move bf16 rows whatever the weights are; the products take as much less than in bf16 as
// one product over the touched experts' three matrices does. Leaves out that the activation does not shrink either.
std::optional<StageTime> ProfileLayer::experts_like_bf16(MoeCall call) const {
  const auto rows = kernels_.expert_rows(call);
  const double touched = touched_experts(in_.llm.experts.value(), call.tokens);
  GemmCall all{.dtype = call.dtype,
               .m = std::llround(std::ceil(real(call.tokens * call.top_k) / touched)),
               .n = std::llround(3 * touched * real(call.width) / real(call.tensor_parallel)),
               .k = call.hidden};
  const auto own = kernels_.gemm(all);
  call.dtype = all.dtype = facts(DataType::bf16).name;
  const auto widened = kernels_.gemm(all);
  const auto layer = kernels_.moe(call);
  if (!rows || !own || !widened || !layer) return std::nullopt;
  StageTime time = as_routed(call, *layer, touched_by_chance(in_.llm.experts.value(), call.tokens));
  const double smaller = own->seconds / widened->seconds;
  time.seconds = rows->seconds + smaller * std::max(0.0, time.seconds - rows->seconds);
  time.compute_s = std::min(time.seconds, smaller * time.compute_s);
  time.extrapolated = true;
  return time;
}

StageTime ProfileLayer::spread_experts(std::int64_t tokens) const {
  const Experts& experts = in_.llm.experts.value();
  const RankLoad load = in_.rank_loads.at(tokens);
  MoeCall call{.dtype = facts(in_.weights.experts).name,
               .backend = in_.moe_backend,
               .tokens = tokens,
               .hidden = in_.llm.hidden,
               .width = experts.intermediate,
               .experts = experts.count + in_.shape.redundant_experts,
               .top_k = experts.active,
               .tensor_parallel = in_.shape.expert_slices(),
               .expert_parallel = in_.shape.expert_parallel};
  if (!in_.exchange_kernels.empty()) call.routing = in_.exchange_kernels;
  if (call.expert_parallel > 1) {
    if (in_.rank_loads.are_as_trained() && tokens >= trained_groups_from_tokens)
      if (const auto fullest = kernels_.moe(call); fullest && fullest->skewed) return stage_time(*fullest);
    call.as_trained = false;
  }
  call.tokens = std::max<std::int64_t>(1, std::llround(load.visits * real(tokens)));
  const auto measured = kernels_.moe(call);
  if (!measured) {  // not with weights of this type
    StageTime time =
        fullest_gpu_time(expert_fit(), in_.weights.experts, in_.llm, in_.shape, {.tokens = tokens, .load = load});
    time.extrapolated = true;
    return time;
  }
  return as_routed(call, *measured, load.touched_fraction);
}

// Benchmarks spread visits evenly: what they take less where fewer experts are touched is what they say of batches
// whose visits touch as many.
StageTime ProfileLayer::as_routed(MoeCall call, const KernelTime& measured, double touched_fraction) const {
  StageTime time = stage_time(measured);
  if (measured.skewed || touched_fraction == 1) return time;
  const auto touching_s = [&](double experts) {
    call.tokens = std::max<std::int64_t>(1, std::llround(experts / real(call.top_k)));
    return kernels_.moe(call)->seconds;
  };
  const double touched = std::min(real(call.experts), real(call.top_k * call.tokens));
  const double saved_s = touching_s(touched) - touching_s(touched_fraction * touched);
  time.seconds = std::max(time.compute_s, time.seconds - std::max(0.0, saved_s));
  return time;
}

StageTime ProfileLayer::all_reduce(std::int64_t tokens) const {
  if (in_.shape.tensor_parallel == 1 || tokens == 0) return {};
  StageTime time = all_reduce_alone(tokens);
  time.seconds += all_reduce_wait_s(in_.terms, in_.gpu, in_.shape.tensor_parallel);
  return time;
}

StageTime ProfileLayer::all_reduce_alone(std::int64_t tokens) const {
  const std::int64_t ranks = std::min(in_.shape.tensor_parallel, in_.node_gpus);
  const double bytes = real(padded(tokens)) * real(in_.llm.hidden) * facts(DataType::bf16).bytes;
  const bool graph = tokens <= in_.terms.cuda_graph_max_tokens;
  const auto own =
      kernels_.collective({.op = "all_reduce", .mode = graph ? "graph" : "eager", .bytes = bytes, .ranks = ranks});
  if (own && !graph) return stage_time(faster(*own, kernels_.all_reduce_by_nccl(bytes, ranks)));
  if (own) return stage_time(*own);
  return all_reduce_time(in_.gpu.kernels.value().all_reduce, ranks, bytes, graph);
}

// What the GPUs of a rank have got back for their shares of its tokens, of every token; NCCL does it. Where nothing
// measured that, the all-reduce of which it is the second half stands for it.
StageTime ProfileLayer::all_gather(std::int64_t tokens) const {
  if (tokens == 0) return {};
  const std::int64_t ranks = std::min(in_.shape.tensor_parallel, in_.node_gpus);
  const double bytes = real(padded(tokens)) * real(in_.llm.hidden) * facts(DataType::bf16).bytes;
  const auto measured = kernels_.collective({.op = "all_gather", .mode = "nccl", .bytes = bytes, .ranks = ranks});
  StageTime time = measured ? stage_time(*measured) : all_reduce_alone(tokens);
  time.seconds += all_reduce_wait_s(in_.terms, in_.gpu, in_.shape.tensor_parallel);
  return time;
}

StageTime ProfileLayer::head(std::int64_t emitted) const {
  return product(DataType::bf16, {.columns = in_.llm.vocabulary / in_.shape.tensor_parallel, .depth = in_.llm.hidden},
                 emitted);
}

StageTime ProfileLayer::products(const std::vector<Linear>& linears, std::int64_t rows) const {
  StageTime sum;
  for (const Linear& linear : linears) {
    StageTime one = product(linear.weights, linear.shape, rows);
    one.extrapolated &= linear.counts_range;
    sum += one;
  }
  return sum;
}

// Beside them, shared experts take no longer than the routed ones but for the memory's time for their weights.
StageTime ProfileLayer::with_shared(StageTime routed, std::int64_t tokens, std::int64_t shared_rows) const {
  const StageTime shared = products(shared_, shared_rows);
  if (tokens > in_.terms.shared_experts_beside_tokens) return routed += shared;
  double bytes = 0;
  for (const Linear& linear : shared_)
    bytes += real(linear.shape.columns) * real(linear.shape.depth) * facts(linear.weights).bytes;
  routed.seconds = std::max(routed.seconds + bytes / in_.gpu.hbm_bytes_per_s, shared.seconds);
  routed.compute_s += shared.compute_s;
  routed.compute_s = std::min(routed.compute_s, routed.seconds);
  routed.extrapolated |= shared.extrapolated;
  return routed;
}

StageTime ProfileLayer::operator()(std::int64_t tokens) const {
  const std::int64_t rows = padded(tokens);
  StageTime sum = products(linears_, rows);
  const std::int64_t share = of_share_.empty() ? rows : divided_up(rows, in_.shape.tensor_parallel);
  if (expert_layer_) sum += with_shared(experts(tokens), tokens, share);
  if (of_share_.empty()) {
    sum += 2 * all_reduce(tokens);
  } else {
    sum += products(of_share_, share);
    sum += all_reduce(tokens);
    sum += all_gather(tokens);
  }
  sum.seconds += small_.seconds(rows);
  sum.seconds = std::max(sum.compute_s, sum.seconds - hidden_s());
  return sum;
}

// FlashInfer's and TensorRT-LLM's kernels; between two H100 they gain nothing (vLLM's pull request 22086).
bool ProfileLayer::norms_in_all_reduces() const {
  const bool has_kernels = in_.gpu.peaks.fp4_flop_per_s > 0 && in_.shape.tensor_parallel > 1;
  return has_kernels && (in_.llm.experts || in_.terms.norm_in_all_reduce_models == "any");
}

double ProfileLayer::hidden_s() const {
  const double launches_s = in_.terms.dependent_launches ? in_.terms.dependent_launch_s : 0;
  return launches_s + (norms_in_all_reduces() ? 2 * in_.terms.norm_in_all_reduce_s : 0);
}

}  // namespace servecast
