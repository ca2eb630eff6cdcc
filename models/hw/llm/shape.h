#pragma once
#include <algorithm>
#include <cstdint>

#include "models/base/ids.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// How one replica is spread over GPUs. The GPUs of a stage form ranks of `tensor_parallel` GPUs each: a rank attends
/// to requests of its own, and its GPUs divide attention and dense layers. Together the GPUs hold the routed
/// experts: `expert_parallel` groups of GPUs have whole experts, their share of them, and the GPUs of a group slice
/// these (TensorRT-LLM: moe_ep groups of moe_tp GPUs, attention DP ranks). vLLM's --enable-expert-parallel is EP = TP
/// x DP; ranks are its --data-parallel-size, SGLang's --dp-size with --enable-dp-attention. Requires whole_groups().
struct Shape {
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t expert_parallel = 1;
  std::int64_t redundant_experts = 0;  // copies of experts that are wanted most, over all GPUs
  std::int64_t data_parallel = 0;      // ranks; 0: as many as make a GPU of each group of experts

  /// GPUs that work on the same step.
  std::int64_t gpus_per_stage() const { return tensor_parallel * ranks(); }
  std::int64_t gpus() const { return gpus_per_stage() * pipeline_parallel; }
  /// Groups of GPUs with requests of their own. One: all GPUs see all tokens, as with tensor parallelism alone.
  std::int64_t ranks() const {
    return data_parallel > 0 ? data_parallel : std::max<std::int64_t>(1, expert_parallel / tensor_parallel);
  }
  /// GPUs that share each routed expert.
  std::int64_t expert_slices() const { return gpus_per_stage() / expert_parallel; }
  bool whole_groups() const {
    return gpus_per_stage() % expert_parallel == 0 &&
           (data_parallel > 0 || expert_parallel < tensor_parallel || expert_parallel % tensor_parallel == 0);
  }
  /// GPUs of a rank send tokens to experts elsewhere: each those of its own share of the rank's tokens, or all of
  /// them would be sent tensor_parallel times (vLLM's sequence-parallel MoE, pull requests 24134 and 24982).
  bool shares_out_tokens() const { return ranks() > 1 && tensor_parallel > 1; }
  /// The replica's GPU that is GPU `gpu` of one rank; both are counted stage by stage.
  std::int64_t gpu_of_rank(std::int64_t rank, std::int64_t gpu) const {
    return gpu / tensor_parallel * gpus_per_stage() + rank * tensor_parallel + gpu % tensor_parallel;
  }
  bool operator==(const Shape&) const = default;
};

/// Ranks take requests in turn by their ids, as round-robin data parallelism hands them out.
inline std::int64_t rank_of(RequestId request, std::int64_t ranks) {
  return static_cast<std::int64_t>(index(request)) % ranks;
}

/// The layers of one pipeline stage: first to last, exclusive.
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t size() const { return last - first; }
};

/// Layers split as evenly as possible. Where they do not divide, the stages just before the last take one more each
/// (the last has the LM head), as in vLLM.
inline LayerRange stage_layers(std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  const std::int64_t each = layers / stages;
  const std::int64_t rest = layers % stages;
  const std::int64_t extra_from = stages - 1 - rest;
  const std::int64_t before = std::clamp(stage - extra_from, std::int64_t{0}, rest);
  const bool extra = stage >= extra_from && stage < extra_from + rest;
  const std::int64_t first = stage * each + before;
  return {.first = first, .last = first + each + (extra ? 1 : 0)};
}

/// Routed experts on one GPU of an expert-parallel group, copies included.
inline std::int64_t experts_per_gpu(const Llm& llm, const Shape& shape) {
  return (llm.experts.value().count + shape.redundant_experts) / shape.expert_parallel;
}

/// KV heads that one GPU of the group holds: a head is never split, so with more GPUs than heads they hold copies.
inline std::int64_t kv_heads_per_gpu(const Llm& llm, std::int64_t tensor_parallel) {
  return std::max<std::int64_t>(1, llm.kv_heads / tensor_parallel);
}

/// KV bytes of one token in one layer on one GPU of the group. The latent vector of MLA has no heads to split: every
/// GPU holds the whole.
inline double kv_bytes_per_token_layer_and_gpu(const Llm& llm, DataType kv, std::int64_t tensor_parallel) {
  if (llm.latent) return kv_bytes_per_token_and_layer(llm, kv);
  return static_cast<double>(2 * kv_heads_per_gpu(llm, tensor_parallel) * llm.head_size) * facts(kv).bytes;
}

}  // namespace servecast
