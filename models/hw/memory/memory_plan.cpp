#include "models/hw/memory/memory_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "models/base/counts.h"
#include "models/base/names.h"
#include "models/hw/latency/kernel_time.h"
#include "models/hw/llm/expert_tiles.h"

namespace servecast {
namespace {

constexpr double logit_bytes = 2 + 4 + 4;

/// Whether a layer's experts can be sliced as far as the shape slices them.
bool divides(const Experts& experts, const Shape& shape) {
  const bool routed = experts.intermediate % shape.expert_slices() == 0;
  const bool shared = shape.shares_out_tokens() || experts.shared_intermediate % shape.tensor_parallel == 0;
  return routed && shared;
}

bool divides(const Llm& llm, const Shape& shape) {
  const std::int64_t tp = shape.tensor_parallel;
  const bool kv = llm.latent || llm.kv_heads % tp == 0 || tp % llm.kv_heads == 0;
  const bool experts = !llm.experts || divides(*llm.experts, shape);
  const bool linear = !llm.linear || (llm.linear->key_heads % tp == 0 && llm.linear->value_heads % tp == 0);
  return llm.heads % tp == 0 && kv && llm.intermediate % tp == 0 && experts && linear;
}

std::optional<std::string> cannot_spread_experts(const Llm& llm, const Shape& shape) {
  if (!llm.experts) return llm.name + " has no experts to spread; leave out expert_parallel and data_parallel";
  if (!shape.whole_groups())
    return "expert_parallel " + std::to_string(shape.expert_parallel) +
           " is neither a multiple nor a divisor of the " +
           std::to_string(shape.tensor_parallel * std::max<std::int64_t>(1, shape.data_parallel)) +
           " GPUs of tensor_parallel x data_parallel";
  const std::int64_t all = llm.experts->count + shape.redundant_experts;
  if (all % shape.expert_parallel == 0) return std::nullopt;
  return std::to_string(all) + " experts do not divide evenly over " + std::to_string(shape.expert_parallel) +
         " GPUs; with redundant_experts " +
         std::to_string((all / shape.expert_parallel + 1) * shape.expert_parallel - llm.experts->count) + " they do";
}

/// Why the model cannot be cut like this, whatever the memory.
std::optional<std::string> impossible(const Llm& llm, const Shape& shape, const MemoryUse& use) {
  if (shape.expert_parallel > 1 || shape.ranks() > 1)
    if (auto problem = cannot_spread_experts(llm, shape)) return problem;
  if (shape.pipeline_parallel > llm.layers)
    return "pipeline_parallel " + std::to_string(shape.pipeline_parallel) + " is more than the " +
           std::to_string(llm.layers) + " layers of " + llm.name;
  if (shape.tensor_parallel > use.node_gpus && shape.tensor_parallel % use.node_gpus != 0)
    return "tensor_parallel " + std::to_string(shape.tensor_parallel) + " is more than the " +
           std::to_string(use.node_gpus) + " GPUs of a node and no multiple of them; over nodes it takes whole ones";
  if (divides(llm, shape)) return std::nullopt;
  std::vector<std::string> good;
  Shape other = shape;
  for (other.tensor_parallel = 1; other.tensor_parallel <= use.node_gpus; ++other.tensor_parallel)
    if (other.whole_groups() && divides(llm, other)) good.push_back(std::to_string(other.tensor_parallel));
  return "tensor_parallel " + std::to_string(shape.tensor_parallel) + " does not divide the heads and MLPs of " +
         llm.name + " evenly; valid: " + join(good);
}

double taken_bytes(const MemoryPlan& plan) { return plan.weight_bytes + plan.activation_bytes + plan.reserve_bytes; }

/// What a rule divides, and what comes out as room for KV.
struct Divided {
  const Gpu& gpu;
  const Shape& shape;
  const MemorySettings& settings;
  const MemoryUse& use;
  const MemoryPlan& plan;

  double share() const { return settings.gpu_memory_utilization.value_or(default_utilization); }
};

/// vLLM: a share of the GPU, less all that is taken.
double vllm_pool_bytes(const Divided& d) { return d.share() * d.gpu.hbm_bytes - taken_bytes(d.plan); }
/// TensorRT-LLM: a share of what is left.
double trtllm_pool_bytes(const Divided& d) { return d.share() * (d.gpu.hbm_bytes - taken_bytes(d.plan)); }
/// SGLang: a share of the GPU for weights and KV; the rest is for what runs.
double sglang_pool_bytes(const Divided& d) {
  const double share = d.settings.gpu_memory_utilization.value_or(sglang_share(d.gpu, d.shape, d.use));
  return share * (d.gpu.hbm_bytes - d.plan.reserve_bytes) - d.plan.weight_bytes;
}

/// How an engine divides a GPU's memory.
struct MemoryRule {
  std::string_view name;
  double reserve_bytes;  // where nothing else is said
  bool whole_tiles;      // experts are stored in them
  bool share_by_steps;   // its own share for weights and KV follows from the tokens of steps
  double (*pool_bytes)(const Divided&);
};
constexpr std::array<MemoryRule, 3> memory_rules{{
    {"vllm", 1.55e9, true, false, vllm_pool_bytes},
    {"trtllm", 2.3e9, false, false, trtllm_pool_bytes},
    {"sglang", 1e9, true, true, sglang_pool_bytes},
}};
const MemoryRule& rule_of(const MemorySettings& settings) {
  return *std::ranges::find(memory_rules, settings.rule, &MemoryRule::name);
}

/// What a stage need not hold of its experts, less the room to bring them in.
double absent_bytes(const Llm& llm, const Shape& shape, const MemoryUse& use, std::int64_t stage) {
  if (use.absent_experts == 0) return 0;
  const LayerRange range = stage_layers(llm.layers, shape.pipeline_parallel, stage);
  std::int64_t absent = 0;
  for (std::int64_t layer = range.first; layer < range.last; ++layer)
    absent += llm.has_experts(layer) ? use.absent_experts : 0;
  const double on_gpu = real(absent) / real(shape.expert_parallel) - real(use.buffered_experts);
  return on_gpu * expert_weight_bytes(llm, use.weights.experts) / real(shape.expert_slices());
}

/// What whole tiles add to the experts that a GPU holds.
double tile_bytes(const Llm& llm, const Shape& shape, const MemorySettings& settings, const MemoryUse& use,
                  std::int64_t stage) {
  if (!llm.experts || !rule_of(settings).whole_tiles) return 0;
  const ExpertTile tile = expert_tile(use.weights.experts);
  const std::int64_t width = llm.experts->intermediate / shape.expert_slices();
  const double stored =
      real(in_whole_tiles(llm.hidden, tile.hidden) * in_whole_tiles(width, tile.width)) / real(llm.hidden * width);
  const LayerRange range = stage_layers(llm.layers, shape.pipeline_parallel, stage);
  const double experts = layer_weights(llm, range.first, range.last).routed / real(llm.experts->count) *
                         real(experts_per_gpu(llm, shape)) / real(shape.expert_slices());
  return (stored - 1) * (experts * facts(use.weights.experts).bytes - absent_bytes(llm, shape, use, stage));
}

/// A rank's share of the batch.
MemoryUse rank_use(const Shape& shape, MemoryUse use) {
  use.max_step_tokens = divided_up(use.max_step_tokens, shape.ranks());
  use.max_sequences = divided_up(use.max_sequences, shape.ranks());
  return use;
}

/// The plan of one stage, with kv_pool_tokens below 0 where it does not even hold the weights.
MemoryPlan plan_stage(const Gpu& gpu, const Llm& llm, const Shape& shape, const MemorySettings& settings,
                      const MemoryUse& use, std::int64_t stage) {
  MemoryPlan plan;
  const MemoryBeside beside = stage == shape.pipeline_parallel - 1 ? use.beside : MemoryBeside{};
  plan.weight_bytes = stage_weight_bytes(llm, use.weights, shape, stage) - absent_bytes(llm, shape, use, stage) +
                      tile_bytes(llm, shape, settings, use, stage) + beside.weight_bytes;
  if (settings.overhead_bytes) {
    plan.reserve_bytes = *settings.overhead_bytes;
  } else {
    plan.activation_bytes = activation_bytes(llm, shape, rank_use(shape, use));
    plan.reserve_bytes = settings.reserve_bytes.value_or(rule_of(settings).reserve_bytes);
  }
  plan.kv_pool_bytes = rule_of(settings).pool_bytes({gpu, shape, settings, use, plan});
  const double token_bytes = real(stage_layers(llm.layers, shape.pipeline_parallel, stage).size()) *
                                 kv_bytes_per_token_layer_and_gpu(llm, use.kv, shape.tensor_parallel) +
                             beside.token_bytes;
  plan.kv_pool_tokens = shape.ranks() * static_cast<std::int64_t>(std::floor(plan.kv_pool_bytes / token_bytes));
  return plan;
}

MemoryPlan tightest_stage(const Gpu& gpu, const Llm& llm, const Shape& shape, const MemorySettings& settings,
                          const MemoryUse& use) {
  MemoryPlan tightest = plan_stage(gpu, llm, shape, settings, use, 0);
  for (std::int64_t stage = 1; stage < shape.pipeline_parallel; ++stage) {
    const MemoryPlan plan = plan_stage(gpu, llm, shape, settings, use, stage);
    if (plan.kv_pool_tokens < tightest.kv_pool_tokens) tightest = plan;
  }
  return tightest;
}

std::string rounded_bytes(double bytes) { return std::to_string(static_cast<std::int64_t>(std::ceil(bytes))); }

std::string kept_for_steps(const MemorySettings& settings, const MemoryUse& use) {
  if (settings.gpu_memory_utilization || !rule_of(settings).share_by_steps) return "";
  return " beside what SGLang keeps for steps of " + std::to_string(use.max_step_tokens) +
         " tokens (1.5 MiB each); fewer tokens a step, or a memory.gpu_memory_utilization, leave more";
}

std::string too_big(const Gpu& gpu, const Llm& llm, const Shape& shape, const MemorySettings& settings,
                    const MemoryUse& use, const MemoryPlan& plan) {
  const double need = plan.weight_bytes + plan.activation_bytes + plan.reserve_bytes;
  std::string text =
      llm.name + " in " + weights_name(use.weights) + " does not fit on " + std::to_string(shape.gpus()) + " x " +
      gpu.title + ": each needs " + rounded_bytes(need) + " bytes for weights, activations and reserve, " +
      rounded_bytes(std::max(0.0, -plan.kv_pool_bytes)) + " more than there are, and holds no KV cache; ";
  const std::optional<Shape> smallest = smallest_shape(gpu, llm, settings, use);
  if (!smallest) return text + "no shape of this GPU holds it" + kept_for_steps(settings, use);
  return text + "smallest shape that fits: tensor_parallel " + std::to_string(smallest->tensor_parallel) +
         ", pipeline_parallel " + std::to_string(smallest->pipeline_parallel);
}

}  // namespace

MemorySettings MemoryOverrides::over(MemorySettings engine) const {
  if (rule != "engine" && rule != engine.rule) engine = {.rule = rule, .windowed_layers = engine.windowed_layers};
  if (windowed_layers != "engine") engine.windowed_layers = windowed_layers;
  if (gpu_memory_utilization) engine.gpu_memory_utilization = gpu_memory_utilization;
  if (reserve_bytes) {
    engine.reserve_bytes = reserve_bytes;
    engine.overhead_bytes.reset();
  }
  return engine;
}

double sglang_share(const Gpu& gpu, const Shape& shape, const MemoryUse& use) {
  constexpr double mib = 1024.0 * 1024;
  constexpr double large_gpu = 60 * 1024;  // MiB, as all that follow
  constexpr std::int64_t largest_graph = 512;
  const MemoryUse own = rank_use(shape, use);
  const double graph = real(std::min(own.max_sequences, largest_graph));
  const std::int64_t ranks = std::min(shape.ranks(), use.node_gpus);
  double kept = 512 + 1.5 * real(std::max<std::int64_t>(own.max_step_tokens, 2048)) + 2 * graph +
                128 * real(std::min(shape.gpus(), use.node_gpus));
  if (ranks > 1) kept += graph * real(ranks) * (graph > 300 ? 4.5 : 3);
  const double total = gpu.hbm_bytes / mib;
  if (total > large_gpu) kept = std::max(kept, 10.0 * 1024);
  return std::max(0.0, 1 - kept / total);
}

double activation_bytes(const Llm& llm, const Shape& shape, const MemoryUse& use) {
  const double tp = real(shape.tensor_parallel);
  const double mlp_tensors = llm.gated_mlp ? 3 : 2;
  double inner = mlp_tensors * real(llm.intermediate) / tp;
  if (llm.experts) {
    const Experts& e = *llm.experts;
    const double width = real(e.intermediate) / std::max(1.0, tp / real(shape.expert_parallel));
    const double chosen = real(e.active) * (mlp_tensors * width + real(llm.hidden));
    inner = std::max(inner, chosen + mlp_tensors * real(e.shared_intermediate) / tp);
  }
  const double kv_width = real(2 * kv_heads_per_gpu(llm, shape.tensor_parallel) * llm.value_size());
  const double attention = real(llm.heads) / tp * real(llm.query_size() + llm.value_size()) + kv_width;
  const double layer = real(use.max_step_tokens) * (2 * real(llm.hidden) + std::max(inner, attention)) * bf16_bytes;
  return std::max(layer, real(use.max_sequences) * real(llm.vocabulary) * logit_bytes);
}

double stage_weight_bytes(const Llm& llm, const WeightTypes& weights, const Shape& shape, std::int64_t stage) {
  const double tp = real(shape.tensor_parallel);
  const LayerRange range = stage_layers(llm.layers, shape.pipeline_parallel, stage);
  LayerWeights w = layer_weights(llm, range.first, range.last);
  const double dense = (w.split - w.attention - w.routed - w.shared) / tp;
  w.attention /= tp;
  w.output /= tp;
  if (llm.experts) w.routed *= real(experts_per_gpu(llm, shape)) / real(llm.experts->count * shape.expert_slices());
  w.shared /= shape.shares_out_tokens() ? 1 : tp;
  w.split = w.attention + w.routed + w.shared + dense;
  const bool first = stage == 0;
  const bool last = stage == shape.pipeline_parallel - 1;
  double outer = 0;  // tied embeddings are one table where first and last stage are the same
  if (first) outer += embedding_parameters(llm) / tp + real(llm.learned_positions * llm.hidden);
  if (first && llm.vision) outer += llm.vision->parameters / tp;
  if (last && !(first && llm.tied_embeddings)) outer += embedding_parameters(llm) / tp;
  return w.linear_bytes(weights) + (w.kept + outer) * bf16_bytes;
}

MemoryPlan plan_memory(const Gpu& gpu, const Llm& llm, const Shape& shape, const MemorySettings& settings,
                       const MemoryUse& use) {
  if (auto reason = impossible(llm, shape, use)) return {.problem = std::move(reason)};
  MemoryPlan plan = tightest_stage(gpu, llm, shape, settings, use);
  if (plan.kv_pool_tokens >= 1) return plan;
  plan.problem = too_big(gpu, llm, shape, settings, use, plan);
  plan.kv_pool_tokens = 0;
  plan.kv_pool_bytes = 0;
  return plan;
}

std::optional<Shape> smallest_shape(const Gpu& gpu, const Llm& llm, const MemorySettings& settings,
                                    const MemoryUse& use) {
  const auto fits = [&](const Shape& shape) {
    return !impossible(llm, shape, use) && tightest_stage(gpu, llm, shape, settings, use).kv_pool_tokens >= 1;
  };
  std::int64_t widest = 1;
  for (std::int64_t t = 1; t <= use.node_gpus; t *= 2) {
    if (fits({.tensor_parallel = t})) return Shape{.tensor_parallel = t};
    if (divides(llm, {.tensor_parallel = t})) widest = t;
  }
  for (std::int64_t p = 2; p <= llm.layers; ++p)
    if (const Shape shape{.tensor_parallel = widest, .pipeline_parallel = p}; fits(shape)) return shape;
  return std::nullopt;
}

}  // namespace servecast
