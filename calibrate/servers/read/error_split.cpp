#include "calibrate/servers/read/error_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace servecast {
namespace {

struct ErrorSystem {
  Regime regime;
  const char* system;
};
constexpr std::array<ErrorSystem, 40> systems{{
    {Regime::open_loop, "codellama/CodeLlama-34b-Instruct-hf, H100-SXM-80GB"},
    {Regime::open_loop, "meta-llama/Llama-2-7b-hf, H100-SXM-80GB"},
    {Regime::closed_loop_vllm, "llama-3.1-70b fp8, h100_sxm_80g, vllm-0.15"},
    {Regime::closed_loop_others, "llama-3.1-70b fp8, h200_sxm_141g, trtllm-1.0"},
    {Regime::closed_loop_others, "llama-3.1-8b bf16, h100_sxm_80g, trtllm-1.0"},
    {Regime::closed_loop_others, "qwen3-32b bf16, h100_sxm_80g, sglang-0.5"},
    {Regime::closed_loop_experts, "gpt-oss-120b mxfp4, h100_sxm_80g, vllm-0.15"},
    {Regime::closed_loop_experts, "gpt-oss-120b mxfp4, h200_sxm_141g, trtllm-1.0"},
    {Regime::closed_loop_experts, "gpt-oss-120b mxfp4, h200_sxm_141g, vllm-0.15"},
    {Regime::blackwell, "deepseek-v3 fp8_block, b200_sxm_180g, sglang-0.5"},
    {Regime::blackwell, "deepseek-v3 fp8_block, b200_sxm_180g, trtllm-1.0"},
    {Regime::blackwell, "deepseek-v3 fp8_block, b200_sxm_180g, trtllm-1.2"},
    {Regime::blackwell, "gpt-oss-120b mxfp4, b200_sxm_180g, trtllm-1.0"},
    {Regime::blackwell, "gpt-oss-120b mxfp4, b200_sxm_180g, trtllm-1.2"},
    {Regime::blackwell, "gpt-oss-120b mxfp4, b200_sxm_180g, vllm-0.15"},
    {Regime::blackwell, "llama-3.1-70b fp8, b200_sxm_180g, trtllm-1.0"},
    {Regime::blackwell, "llama-3.1-70b fp8, b200_sxm_180g, vllm-0.15"},
    {Regime::blackwell, "minimax-m2.5 nvfp4, b200_sxm_180g, vllm-0.15"},
    {Regime::blackwell, "qwen3-30b-a3b nvfp4, gb200_186g, TensorRT-LLM 1.2"},
    {Regime::blackwell, "qwen3-32b nvfp4, b200_sxm_180g, trtllm-1.2"},
    {Regime::disaggregated, "deepseek-v3 fp8_block, b200_sxm_180g, trtllm-1.2"},
    {Regime::disaggregated, "deepseek-v3 fp8_block, gb200_186g, sglang-0.5"},
    {Regime::disaggregated, "deepseek-v3 fp8_block, gb200_186g, trtllm-1.2"},
    {Regime::disaggregated, "gpt-oss-120b mxfp4, gb200_186g, trtllm-1.2"},
    {Regime::offline, "deepseek-v3 fp8_block, h200_sxm_141g, TensorRT-LLM 1.2"},
    {Regime::offline, "gpt-oss-120b mxfp4, h100_sxm_80g, TensorRT-LLM 1.2"},
    {Regime::offline, "llama-3-70b bf16, a100_pcie_80g (kernels derived), TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3-70b bf16, h100_sxm_80g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3-70b fp8, h100_sxm_80g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3-70b fp8, l40s_48g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3.1-70b bf16, a100_sxm_80g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3.1-70b bf16, h100_sxm_80g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3.1-70b fp8, h200_sxm_141g, TensorRT-LLM ~1.0"},
    {Regime::offline, "llama-3.1-8b bf16, a100_pcie_80g (kernels derived), TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3.1-8b bf16, h100_sxm_80g, TensorRT-LLM 0.15"},
    {Regime::offline, "llama-3.1-8b fp8, h100_sxm_80g, TensorRT-LLM ~1.0"},
    {Regime::offline, "llama-3.1-8b fp8, l40s_48g, TensorRT-LLM 0.15"},
    {Regime::router_ladder, "Qwen3-32B, llm-d prefix-affinity"},
    {Regime::router_ladder, "gpt-oss-120b, llm-d prefix-affinity"},
    {Regime::kv_tiers, "gpt-oss-120b, HBM + CPU offload"},
}};

}  // namespace

bool is_in_error_fit(Regime regime, const std::string& system) {
  return std::ranges::any_of(systems, [&](const ErrorSystem& s) { return s.regime == regime && system == s.system; });
}

std::string error_split_text() {
  std::string text = "| regime | systems |\n|---|---|\n";
  for (const RegimeFacts& regime : regimes) {
    std::string names;
    for (const ErrorSystem& s : systems)
      if (s.regime == regime.regime) names += (names.empty() ? "" : "; ") + std::string(s.system);
    if (!names.empty()) text += fmt::format("| {} | {} |\n", regime.title, names);
  }
  return text;
}

}  // namespace servecast
