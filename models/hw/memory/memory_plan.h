#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/fields.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

inline constexpr double default_utilization = 0.9;  // of vLLM and TensorRT-LLM

struct MemorySettings {
  std::string rule = "vllm";
  std::optional<double> gpu_memory_utilization{};
  std::optional<double> reserve_bytes{};
  std::optional<double> overhead_bytes{};
  std::string windowed_layers = "whole";

  void fields(Fields& f) {
    f.field(
        "rule", rule,
        "vllm: share of all memory, less weights and activations; trtllm: share of what these leave free; sglang: "
        "share of all memory, less weights, with activations in the rest",
        {"vllm", "trtllm", "sglang"});
    f.field("gpu_memory_utilization", gpu_memory_utilization,
            "that share; left out: 0.9, for sglang what its server leaves free of steps, CUDA graphs and ranks",
            positive_fraction);
    f.field("reserve_bytes", reserve_bytes,
            "per GPU for the CUDA context, collectives and CUDA graphs; left out: 1.55e9 for vllm, 2.3e9 for trtllm, "
            "1e9 for sglang");
    f.field("overhead_bytes", overhead_bytes, "in place of reserve and computed activations: both together, per GPU");
    f.field(
        "windowed_layers", windowed_layers,
        "KV of layers with a sliding window or chunks: whole: of every token; window: what no later token sees is "
        "freed (vLLM's hybrid KV cache manager)",
        {"whole", "window"});
  }
};

/// What a pool changes of its engine's rule.
struct MemoryOverrides {
  std::string rule = "engine";
  std::optional<double> gpu_memory_utilization{};
  std::optional<double> reserve_bytes{};
  std::string windowed_layers = "engine";

  void fields(Fields& f) {
    f.field(
        "rule", rule,
        "engine: as the engine does; vllm: share of all memory, less weights and activations; trtllm: share of what "
        "these leave free; sglang: share of all memory, less weights, with activations in the rest",
        {"engine", "vllm", "trtllm", "sglang"});
    f.field("gpu_memory_utilization", gpu_memory_utilization, "that share; left out: the engine's",
            positive_fraction);
    f.field("reserve_bytes", reserve_bytes,
            "per GPU for the CUDA context, collectives and CUDA graphs; left out: the engine's, or with another rule "
            "1.55e9 for vllm, 2.3e9 for trtllm, 1e9 for sglang");
    f.field(
        "windowed_layers", windowed_layers,
        "KV of layers with a sliding window or chunks: engine: as the engine keeps it; whole: of every token (vLLM's "
        "--disable-hybrid-kv-cache-manager); window: what no later token sees is freed",
        {"engine", "whole", "window"});
  }

  /// The engine's settings with these in place of its own.
  MemorySettings over(MemorySettings engine) const;
};

/// What is held beside the model, on each GPU of the last stage.
struct MemoryBeside {
  double weight_bytes = 0;
  double token_bytes = 0;  // with every token of KV
};

/// What is to be held, and where.
struct MemoryUse {
  WeightTypes weights{};
  DataType kv = DataType::bf16;
  std::int64_t max_step_tokens = 2048;
  std::int64_t max_sequences = 256;
  std::int64_t absent_experts = 0;    // of each layer, that are not in GPU memory; below 0: more than the model has
  std::int64_t buffered_experts = 0;  // room for experts on their way there
  std::int64_t node_gpus = 8;         // a tensor-parallel group stays inside one node, or takes whole ones
  MemoryBeside beside{};
};

/// How the memory of a replica's GPUs is divided. Bytes are those of one GPU of the stage that is shortest of room.
struct MemoryPlan {
  double weight_bytes = 0;
  double activation_bytes = 0;
  double reserve_bytes = 0;
  double kv_pool_bytes = 0;
  std::int64_t kv_pool_tokens = 0;       // that the whole replica can hold
  std::optional<std::string> problem{};  // why this shape is impossible, and which would do
};

/// Divides memory as the engines do:
///   vllm:   pool = utilization x total - weights - activations - reserve
///   trtllm: pool = utilization x (total - weights - activations - reserve)
///   sglang: pool = utilization x (total - reserve) - weights
/// per GPU, and tokens = pool / KV bytes per token and GPU, the fewest of all pipeline stages.
/// Weights (vllm: 4-bit experts in whole tiles, expert_tiles.h): linear layers / tensor_parallel; norms, biases,
/// router and MLA's down-projections whole on every GPU; embedding on the first stage, LM head on the last, both
/// divided. KV heads are never split: with more GPUs than heads they are copied, and MLA's latent vector is whole on
/// every GPU. With expert parallelism a GPU holds its whole experts, its rank's share of all else (with several ranks
/// of several GPUs, shared experts whole) and of the KV of its rank: tokens count over all ranks. Activations: the
/// larger of one layer's tensors for max_step_tokens and the logits of max_sequences, see activation_bytes. Defaults:
/// utilization 0.9 is that of vLLM and TensorRT-LLM, sglang_share() that of SGLang; the vLLM reserve makes reserve +
/// activations 1.6 GiB for a 7B model at 2,048 tokens (prototype checked against vLLM 0.15 runs), TensorRT-LLM's
/// makes 2.5e9 bytes, SGLang's is a CUDA context with its collectives (assumed). Leaves out: fragmentation, the block
/// size (the cache rounds down), memory that other programs hold.
MemoryPlan plan_memory(const Gpu& gpu, const Llm& llm, const Shape& shape, const MemorySettings& settings,
                       const MemoryUse& use);

/// Peak memory of one layer's tensors on one GPU, in bf16: residual and hidden state, then either the MLP's
/// intermediates (gate, up and their product) or q, k, v and the attention's output; or where larger, the logits of
/// the sampler: bf16, its fp32 copy and one more fp32 tensor. Experts: intermediates of every chosen one, at the
/// width that a GPU holds, with its output; engines make room for all, though a GPU has only its group's.
double activation_bytes(const Llm& llm, const Shape& shape, const MemoryUse& use);

/// The share of a GPU's memory that SGLang takes for weights and KV where it is not told (--mem-fraction-static;
/// server_args.py of 0.5): all but 512 MiB, 1.5 MiB for each token of a rank's step, 2 for each sequence of its
/// largest CUDA graph and 128 for each GPU of the replica, with ranks of their own 3 more for each such sequence and
/// rank, 4.5 with graphs above 300; above 60 GiB of memory all but 10 GiB at most. Of more GPUs than a node has, for
/// which that would be more than there is, a node's count: such deployments state the share.
double sglang_share(const Gpu& gpu, const Shape& shape, const MemoryUse& use);

/// Weights on one GPU of a stage.
double stage_weight_bytes(const Llm& llm, const WeightTypes& weights, const Shape& shape, std::int64_t stage);

/// The smallest shape that fits: tensor_parallel 1, 2, 4 ... up to the node, then more stages of the widest of these.
/// Nothing where not even one layer per stage fits.
std::optional<Shape> smallest_shape(const Gpu& gpu, const Llm& llm, const MemorySettings& settings,
                                    const MemoryUse& use);

}  // namespace servecast
