// How servers of closed loops were set up. InferenceMAX: the benchmark's public scripts (benchmarks/*.sh of October
// 2025 to April 2026): as many sequences as clients or a fixed number, no prefix caching, a token budget, the share
// of memory for KV. AIConfigurator's own runs: its generator of settings (generator/config: agg).
#include <fmt/format.h>

#include <algorithm>

#include "calibrate/servers/read/closed_loop_run.h"

namespace servecast {
namespace {

std::string vllm_settings(const ClosedLoopRun& run) {
  const std::int64_t sequences = run.gpu.blackwell ? std::max<std::int64_t>(512, run.load.clients) : run.load.clients;
  return fmt::format(
      "    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: {}}}\n"
      "    kv_cache: {{policy: paged}}\n",
      sequences);
}

/// DeepSeek's scripts give steps of prompts 32,768 tokens in fp8 and 16,384 in fp4; without a setting SGLang takes
/// 8,192 on GPUs of 60 to 90 GB and 16,384 above (server_args.py). Prompts are random, so nothing is shared.
std::string sglang_settings(const ClosedLoopRun& run) {
  const bool deepseek = run.llm.name == "deepseek-v3" && run.inference_max;
  const bool nvfp4 = run.weights == "nvfp4";
  const std::int64_t own = run.gpu.name == "h100_sxm_80g" ? 8192 : 16384;
  return fmt::format(
      "    batcher: {{policy: sglang, chunked_prefill_size: {}, max_prefill_tokens: {}, max_running_requests: {}}}\n"
      "    kv_cache: {{policy: paged}}\n"
      "    memory: {{gpu_memory_utilization: {}}}\n",
      !deepseek ? own
      : nvfp4   ? 16384
                : 32768,
      !deepseek || nvfp4 ? 16384 : 32768,
      !deepseek ? std::max<std::int64_t>(2048, run.load.clients)
      : nvfp4   ? 256
                : 128,
      !deepseek ? 0.88
      : nvfp4   ? 0.85
                : 0.82);
}

struct TrtllmLimits {
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  double kv_fraction = 0.9;
};

/// `spare_tokens`: what AIConfigurator adds to sequences and prompt. One client always waits there: TTFT grows with
/// the output's length by a whole answer over the number of clients. So a server runs one sequence fewer than
/// clients.
TrtllmLimits trtllm_limits(const ClosedLoopRun& run) {
  constexpr std::int64_t spare_tokens = 1500;
  constexpr std::int64_t every = 2048;  // trtllm-serve's own most sequences
  if (!run.inference_max)
    return {.sequences = std::max<std::int64_t>(1, run.load.clients - 1),
            .tokens = run.load.clients + run.load.prompt_tokens + spare_tokens};
  if (run.llm.name == "gpt-oss-120b")
    return {.sequences = run.gpu.blackwell ? 512 : run.load.clients, .tokens = 20000, .kv_fraction = 0.85};
  if (run.llm.name == "deepseek-v3") {
    const std::int64_t sequences = (run.load.clients + run.shape.attention_dp - 1) / run.shape.attention_dp;
    return {.sequences = run.load.clients,
            .tokens = run.shape.attention_dp * ((sequences + run.load.prompt_tokens + 127) / 64 * 64),
            .kv_fraction = run.gpu.blackwell ? 0.8 : 0.75};
  }
  const std::int64_t longest = run.load.prompt_tokens + run.load.output_tokens + 256;
  return {.sequences = every, .tokens = run.gpu.blackwell ? 16384 : longest};
}

std::string trtllm_settings(const ClosedLoopRun& run) {
  const TrtllmLimits limits = trtllm_limits(run);
  return fmt::format(
      "    batcher: {{policy: trtllm, overlap_scheduler: true, max_batch_size: {}, max_num_tokens: {}}}\n"
      "    kv_cache: {{policy: paged_reserved, block_tokens: 32}}\n"
      "    memory: {{gpu_memory_utilization: {}}}\n",
      limits.sequences, limits.tokens, limits.kv_fraction);
}

/// fp8 keys and values: all scripts for Blackwell, and TensorRT-LLM's for models in fp8 or fp4, but for gpt-oss on
/// Hopper. vLLM's for Llama in fp8 on H100 say so, too, but with an fp8 cache 64 clients of 1024/8192 would not have
/// waited at TP2 as they did, for 31 s; so it is not taken over.
bool fp8_cache(const ClosedLoopRun& run) {
  if (!run.inference_max) return false;
  if (run.backend == "vllm" && run.llm.name == "llama-3.1-70b" && run.gpu.name == "h200_sxm_141g") return true;
  if (run.gpu.blackwell) return run.llm.name != "minimax-m2.5";
  return run.backend == "trtllm" && run.llm.name != "gpt-oss-120b";
}

}  // namespace

std::string engine_settings(const ClosedLoopRun& run) {
  const std::string cache = fp8_cache(run) ? "    kv_cache_dtype: fp8\n" : "";
  if (run.backend == "vllm") return cache + vllm_settings(run);
  if (run.backend == "sglang") return cache + sglang_settings(run);
  return cache + trtllm_settings(run);
}

}  // namespace servecast
