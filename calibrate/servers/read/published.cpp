#include "calibrate/servers/read/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "calibrate/servers/read/csv_rows.h"
#include "models/hw/llm/data_type.h"

namespace servecast {
namespace {

struct Published {
  std::string_view name;  // a fine-tuned model's may have more behind it, see tuned
  const char* llm;
  const char* weights = "bf16";
  bool experts = false;
};
// Llama 3.3 has the shapes of 3.1, DeepSeek-R1 those of V3.
constexpr Published published_llms[]{
    {"01-ai/Yi-34B", "yi-34b"},
    {"MiniMaxAI/MiniMax-M2.5", "minimax-m2.5", "fp8_block", true},
    {"Qwen/Qwen2.5-32B", "qwen2.5-32b"},
    {"Qwen/Qwen2.5-72B", "qwen2.5-72b"},
    {"Qwen/Qwen2.5-7B", "qwen2.5-7b"},
    {"Qwen/Qwen3-14B", "qwen3-14b"},
    {"Qwen/Qwen3-235B-A22B", "qwen3-235b-a22b", "bf16", true},
    {"Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b", "bf16", true},
    {"Qwen/Qwen3-32B", "qwen3-32b"},
    {"Qwen/Qwen3-8B", "qwen3-8b"},
    {"Qwen/Qwen3.5-397B-A17B", "qwen3.5-397b-a17b", "bf16", true},
    {"codellama/CodeLlama-34b-Instruct-hf", "codellama-34b"},
    {"codellama/CodeLlama-34b-hf", "codellama-34b"},
    {"deepseek-ai/DeepSeek-R1", "deepseek-v3", "fp8_block", true},
    {"deepseek-ai/DeepSeek-R1-0528", "deepseek-v3", "fp8_block", true},
    {"deepseek-ai/DeepSeek-V2-Lite", "deepseek-v2-lite", "bf16", true},
    {"deepseek-ai/DeepSeek-V3", "deepseek-v3", "fp8_block", true},
    {"facebook/opt-13b", "opt-13b"},
    {"facebook/opt-66b", "opt-66b"},
    {"huggyllama/llama-30b", "llama-30b"},
    {"meta-llama/Llama-2-13b-chat-hf", "llama-2-13b"},
    {"meta-llama/Llama-2-13b-hf", "llama-2-13b"},
    {"meta-llama/Llama-2-70b-chat-hf", "llama-2-70b"},
    {"meta-llama/Llama-2-70b-hf", "llama-2-70b"},
    {"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"},
    {"meta-llama/Llama-2-7b-hf", "llama-2-7b"},
    {"meta-llama/Llama-3.1-405B", "llama-3.1-405b"},
    {"meta-llama/Llama-3.1-70B", "llama-3.1-70b"},
    {"meta-llama/Llama-3.1-8B", "llama-3.1-8b"},
    {"meta-llama/Llama-3.3-70B", "llama-3.1-70b"},
    {"meta-llama/Meta-Llama-3-70B", "llama-3-70b"},
    {"meta-llama/Meta-Llama-3-8B", "llama-3-8b"},
    {"mistralai/Mistral-7B-v0.3", "mistral-7b"},
    {"mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b", "bf16", true},
    {"mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b", "bf16", true},
    {"nvidia/DeepSeek-R1-0528-FP4-V2", "deepseek-v3", "nvfp4", true},
    {"nvidia/DeepSeek-R1-NVFP4", "deepseek-v3", "nvfp4", true},
    {"nvidia/DeepSeek-V3.1-NVFP4", "deepseek-v3", "nvfp4", true},
    {"nvidia/Llama-3.1-8B-Instruct-FP8", "llama-3.1-8b", "fp8"},
    {"/mnt/lustre01/models/deepseek-r1-0528-fp4-v2", "deepseek-v3", "nvfp4", true},
    {"/mnt/lustre01/models/gpt-oss-120b", "gpt-oss-120b", "mxfp4", true},
    {"nvidia/Qwen3-32B-NVFP4", "qwen3-32b", "nvfp4"},
    {"openai/gpt-oss-120b", "gpt-oss-120b", "mxfp4", true},
    {"openai/gpt-oss-20b", "gpt-oss-20b", "mxfp4", true},
    {"DeepSeek-R1-0528", "deepseek-v3", "fp8_block", true},
    {"gpt-oss-120b", "gpt-oss-120b", "mxfp4", true},
    {"gpt-oss-20b", "gpt-oss-20b", "mxfp4", true},
    {"Llama-3.3-70B", "llama-3.1-70b"},
    {"Llama-4-Maverick", "llama-4-maverick", "bf16", true},
    {"Qwen3-30B-A3B", "qwen3-30b-a3b", "bf16", true},
    {"LLaMA v2 70B", "llama-2-70b"},
    {"LLaMA v2 7B", "llama-2-7b"},
    {"LLaMA v3 70B", "llama-3-70b"},
    {"LLaMA v3 8B", "llama-3-8b"},
    {"LLaMA v3.1 70B", "llama-3.1-70b"},
    {"LLaMA v3.1 8B", "llama-3.1-8b"},
    {"Llama 3.3 70B", "llama-3.1-70b"},
    {"Llama 3.1 8B", "llama-3.1-8b"},
    {"Llama 3.1 405B", "llama-3.1-405b"},
};
constexpr std::string_view tuned = "-Instruct";

const std::map<std::string_view, BundledGpu> known_gpus{
    {"H100-SXM-80GB", {"h100_sxm_80g", "dgx_h100"}},
    {"H200-SXM-141GB", {"h200_sxm_141g", "hgx_h200"}},
    {"A100-SXM4-80GB", {"a100_sxm_80g", "dgx_a100"}},
    {"GH200-96GB", {"gh200_96g", "gh200", false}},
    {"A100-PCIE-80GB", {"a100_pcie_80g", "pcie_server", false}},
    {"L40S", {"l40s_48g", "pcie_server"}},
    {"h100_sxm", {"h100_sxm_80g", "dgx_h100"}},
    {"h200_sxm", {"h200_sxm_141g", "hgx_h200"}},
    {"a100_sxm", {"a100_sxm_80g", "dgx_a100"}},
    {"l40s", {"l40s_48g", "pcie_server"}},
    {"h100", {"h100_sxm_80g", "dgx_h100"}},
    {"h200", {"h200_sxm_141g", "hgx_h200"}},
    {"H100", {"h100_sxm_80g", "dgx_h100"}},
    {"H200", {"h200_sxm_141g", "hgx_h200"}},
    {"b200_sxm", {"b200_sxm_180g", "hgx_b200", true, true}},
    {"b200", {"b200_sxm_180g", "hgx_b200", true, true}},
    {"b200-trt", {"b200_sxm_180g", "hgx_b200", true, true}},
    {"B200", {"b200_sxm_180g", "hgx_b200", true, true}},
    {"gb200", {"gb200_186g", "gb200_nvl72", true, true}},
    {"GB200", {"gb200_186g", "gb200_nvl72", true, true}},
    {"b300_sxm", {"b300_sxm_288g", "hgx_b300", false, true}},
    {"gb300", {"gb300_288g", "gb300_nvl72", false, true}},
};

/// As TensorRT-LLM's pages write them. Models that they ran in 16 bits are counted as bf16.
const std::map<std::string_view, std::string> page_types{
    {"FP4", "fp4"}, {"FP8", "fp8"}, {"BF16", "bf16"}, {"FP16", "fp16"}, {"Mixed(FP16/BF16)", "bf16"}};

}  // namespace

BundledLlm bundled_llm(const std::string& published) {
  const std::string_view name = published;
  const auto found = std::ranges::find_if(published_llms, [&](const Published& p) {
    return name == p.name || (name.starts_with(p.name) && name.substr(p.name.size()) == tuned);
  });
  if (found == std::ranges::end(published_llms))
    throw NoMatch(fmt::format("no bundled model is known for '{}'", published));
  return {.name = found->llm, .weights = found->weights, .experts = found->experts};
}

BundledGpu bundled_gpu(const std::string& published) {
  const auto found = known_gpus.find(published);
  if (found == known_gpus.end()) throw NoMatch(fmt::format("no bundled GPU is known for '{}'", published));
  return found->second;
}

std::string bundled_weights(const std::string& precision, const BundledLlm& llm) {
  const bool published_in_4_bits = llm.weights.ends_with("fp4");
  std::string said = precision.empty() || published_in_4_bits ? llm.weights : precision;
  if (const auto page = page_types.find(said); page != page_types.end()) said = page->second;
  if (said == "fp4") said = "nvfp4";
  if (said == "fp8" && llm.weights == "fp8_block") said = llm.weights;
  if (const auto type = data_type(said)) return std::string(facts(*type).name);
  std::vector<std::string_view> known;
  for (const DataTypeFacts& type : data_types) known.push_back(type.name);
  throw NoMatch(fmt::format("weights in '{}' are not modelled; known are {}", said, fmt::join(known, ", ")));
}

std::string weight_settings(const std::string& weights, const BundledGpu& gpu) {
  if (weights != "mxfp4") return fmt::format("    weights: {}\n", weights);
  return fmt::format("    weights: auto\n    expert_weights: {}\n", gpu.blackwell ? "w4a8_mxfp4" : "mxfp4");
}

}  // namespace servecast
