#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// What an engine launches operation by operation, and what its CUDA graphs hold.
struct EagerLaunch {
  Llm llm{};
  double operation_s = 0;            // host time to launch one
  std::int64_t graph_tokens = 0;     // of the largest graph, of all ranks
  bool prompts_in_graphs = false;    // or decodes alone
  bool triton_experts = false;       // by OpenAI's triton_kernels
  std::int64_t biased_choice_operations = 1;  // that choose experts by scores and a bias of each (DeepSeek-V3)
};

/// Operations that the host launches for a layer, as PyTorch flows call them: two norms; products of queries, keys
/// and values and of outputs around an attention that turns heads and writes the cache, with query-key norms one
/// more; latent attention also a product down, one or two norms and a product up, the latent vector put together, two
/// copies of keys, and queries, keys and values put together (TensorRT-LLM 1.0's MLA.forward_context_default); gated
/// attention four more; linear attention four products (SGLang 0.5.9's Qwen3_5GatedDeltaNet), a convolution and
/// gates, queries, keys and values copied each, two norms, the six kernels of a chunk (flash-linear-attention's
/// input_guard and chunk_gated_delta_rule_fwd), states read and written, a norm and a product; a dense MLP two
/// products and an activation; experts a router, its choice and all experts at once, by OpenAI's triton_kernels a
/// router, six kernels that route, padding, two products, an activation and a sum; shared ones an MLP and a sum,
/// three more where they are gated. Triton launches its kernels from Python, which takes two operations: those that
/// route and compute gpt-oss's experts, and of linear attention all but products, copies and states. What quantises a
/// product's inputs is launched within it. One operation takes 80 us in TensorRT-LLM 1.0 (fitted); layers of
/// DeepSeek-V2-Lite take 1.15 ms (SGLang issue 1369), 61 us each, and of DeepSeek-V3 1.35 ms (pull request 12160), 68
/// us.
std::int64_t launched_operations(const EagerLaunch& launch, std::int64_t layer);

/// What decodes of latent attention add beside prompts: a call of their own between two products and a copy.
inline constexpr std::int64_t launched_latent_decodes = 4;

/// Steps outside its graphs, those with more tokens than the largest one or with prompts that graphs do not hold,
/// launch operations one by one: a stage takes at least what the host takes for those of its layers, of which the GPU
/// waits for the host what its kernels do not take. Left out: launching ahead while the step before is computed.
std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch);

}  // namespace servecast
