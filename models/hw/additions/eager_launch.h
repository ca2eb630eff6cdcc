#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// An engine whose CUDA graphs hold decodes alone, up to so many sequences.
struct EagerLaunch {
  Llm llm{};
  WeightTypes weights{};
  double operation_s = 0;            // host time to launch one
  std::int64_t graph_sequences = 0;  // the largest graph, of all ranks
  bool triton_experts = false;       // by OpenAI's triton_kernels
};

/// Operations that the host launches for a layer, as PyTorch flows call them: two norms; products of queries, keys
/// and values and of outputs around an attention that turns heads and writes the cache, with query-key norms one
/// more; latent attention also a product down, one or two norms and a product up, and a copy of keys; linear
/// attention two products and a copy around a convolution and gates, two norms, the six kernels of a chunk
/// (flash-linear-attention's chunk_gated_delta_rule_fwd), states read and written, a norm and a product; a dense MLP
/// two products and an activation; experts a router, its choice and all experts at once, by OpenAI's triton_kernels a
/// router, six kernels that route, padding, two products, an activation and a sum, shared ones an MLP and a sum. A
/// product in fp8_block, but for experts, is two: its inputs are quantised apart (TensorRT-LLM's fp8_quantize_1x128,
/// SGLang's per_token_group_quant_fp8). One operation takes 94 us in TensorRT-LLM 1.0 (fitted, on models without
/// such); layers of DeepSeek-V2-Lite in bf16 take 1.15 ms (SGLang issue 1369), 72 us each, and of DeepSeek-V3 1.35 ms
/// (pull request 12160), 59 us.
std::int64_t launched_operations(const EagerLaunch& launch, std::int64_t layer);

/// Steps outside its graphs, those with prompts or with more decodes than the largest one, launch operations one by
/// one: a stage takes at least what the host takes for those of its layers, of which the GPU waits for the host what
/// its kernels do not take. Left out: launching ahead while the step before is computed.
std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch);

}  // namespace servecast
