// How InferenceMAX sets the servers of its closed loops up, by its public scripts (benchmarks/*.sh of October 2025 to
// April 2026): as many sequences as clients or a fixed number, no prefix caching, a token budget, the share of memory
// for KV.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"

namespace servecast {
namespace {

/// MiniMax-M2.5's scripts for Blackwell since vLLM 0.19, in nvfp4 since the middle of April 2026: steps of two
/// prompts, graphs up to 2,048 tokens, and an fp8 cache (see fp8_cache).
bool is_tuned_minimax(const ClosedLoopRun& run) {
  if (run.llm.name != "minimax-m2.5" || !run.gpu.blackwell || run.version.starts_with("0.17")) return false;
  return run.weights != "nvfp4" || run.measured_on >= "2026-04-17";
}

std::string vllm_settings(const ClosedLoopRun& run) {
  if (is_tuned_minimax(run))
    return vllm_batcher(run, 2 * run.load.prompt_tokens, 1024) +
           "    kv_cache: {policy: paged}\n"
           "    latency: {cuda_graph_max_tokens: 2048}\n";
  const std::int64_t sequences = run.gpu.blackwell ? std::max<std::int64_t>(512, run.load.clients) : run.load.clients;
  return vllm_batcher(run, 8192, sequences) + "    kv_cache: {policy: paged}\n" +
         (run.llm.name == "gpt-oss-120b" ? "    latency: {cuda_graph_max_tokens: 2048}\n" : "");
}

/// A script for SGLang (benchmarks/single_node): tokens of steps of prompts, sequences, memory, whether it looks for
/// requests after 30 steps of decodes, 10 with fewer than 16 clients (--scheduler-recv-interval), the tokens of a
/// piece of an answer (--stream-interval), and whose kernels.
struct SglangScript {
  std::string_view llm;
  std::string_view weights;  // empty: any
  bool blackwell;
  std::int64_t prefill_tokens;
  std::int64_t sequences;
  double memory;
  bool polls;
  std::int64_t stream_interval;
  /// In fp8 DeepSeek's attention, experts and products are TensorRT-LLM's kernels (trtllm_mla, flashinfer_trtllm,
  /// SGLANG_ENABLE_FLASHINFER_GEMM); in fp4 products are not.
  bool trtllm_kernels;
};
constexpr std::array<SglangScript, 5> sglang_scripts{{
    {"deepseek-v3", "nvfp4", true, 16384, 256, 0.85, true, 10, false},
    {"deepseek-v3", "", true, 32768, 128, 0.82, true, 30, true},
    {"qwen3.5-397b-a17b", "nvfp4", true, 32768, 128, 0.8, true, 30, false},
    {"qwen3.5-397b-a17b", "", true, 32768, 128, 0.82, true, 30, false},
    {"qwen3.5-397b-a17b", "", false, 16384, 128, 0.8, false, 50, false},
}};

const SglangScript* sglang_script(const ClosedLoopRun& run) {
  const auto found = std::ranges::find_if(sglang_scripts, [&](const SglangScript& s) {
    return s.llm == run.llm.name && (s.weights.empty() || s.weights == run.weights) &&
           s.blackwell == run.gpu.blackwell;
  });
  return found != sglang_scripts.end() ? &*found : nullptr;
}

std::string scripted_sglang_settings(const ClosedLoopRun& run, const SglangScript& script) {
  const std::int64_t interval = run.load.clients >= 16 ? 30 : 10;
  const std::string polls = script.polls ? fmt::format(", scheduler_recv_interval: {}", interval) : "";
  const std::string kernels =
      script.trtllm_kernels ? fmt::format("    latency: {{profile: {}.trtllm}}\n", run.gpu.name) : "";
  return fmt::format(
      "    batcher: {{policy: sglang, chunked_prefill_size: {}, max_prefill_tokens: {}, max_running_requests: "
      "{}{}}}\n"
      "    kv_cache: {{policy: paged}}\n"
      "    memory: {{gpu_memory_utilization: {}}}\n{}",
      script.prefill_tokens, script.prefill_tokens, script.sequences, polls, script.memory, kernels);
}

/// Without a setting SGLang captures graphs of 256 decodes with fewer than four GPUs of 60 to 160 GB, 512 else
/// (server_args.py). Prompts are random, so nothing is shared.
std::string sglang_settings(const ClosedLoopRun& run) {
  if (const SglangScript* script = sglang_script(run)) return scripted_sglang_settings(run, *script);
  return fmt::format(
      "    batcher: {{policy: sglang, chunked_prefill_size: {}, max_prefill_tokens: 16384, max_running_requests: "
      "{}}}\n"
      "    kv_cache: {{policy: paged}}\n"
      "    latency: {{cuda_graph_max_tokens: {}}}\n",
      sglang_chunk(run.gpu), std::max<std::int64_t>(2048, run.load.clients),
      run.shape.gpus() < 4 && !run.gpu.blackwell ? 256 : 512);
}

/// Steps that prompts wait for company, and the share of a step's tokens that is company enough.
struct TrtllmWaits {
  std::int64_t iters = 0;
  double tokens_ratio = 0;
};

struct TrtllmLimits {
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  double kv_fraction = 0.9;
  TrtllmWaits waits{};
  std::string rank_waits{};  // of prompts for those of other ranks (attention_dp_config)
};

bool has_lengths(const ClosedLoopRun& run, std::int64_t prompt, std::int64_t output) {
  return run.load.prompt_tokens == prompt && run.load.output_tokens == output;
}

constexpr const char* rank_waits = ", attention_dp_enable_balance: true";

/// dsr1_fp8_b200_trt.sh; those of 1.2 give steps 8,192 tokens at least.
TrtllmLimits deepseek_limits(const ClosedLoopRun& run) {
  const std::int64_t ranks = run.shape.attention_dp;
  const std::int64_t sequences = (run.load.clients + ranks - 1) / ranks;
  const std::int64_t tokens = ((1 + run.drafts.count) * sequences + run.load.prompt_tokens + 127) / 64 * 64;
  const bool newer = engine_file(run.backend, run.version) == "trtllm-1.2";
  const bool waits = newer && run.drafts.count == 0 && run.weights == "fp8_block" && has_lengths(run, 1024, 1024) &&
                     run.load.clients >= 64 && run.load.clients < 256;
  return {.sequences = run.load.clients,
          .tokens = ranks * (newer ? std::max<std::int64_t>(8192, tokens) : tokens),
          .kv_fraction = run.gpu.blackwell ? 0.8 : 0.75,
          .waits = waits ? TrtllmWaits{.iters = 40, .tokens_ratio = 0.8} : TrtllmWaits{},
          .rank_waits = deepseek_rank_waits};
}

/// 70b_*_trt_slurm.sh: steps as long as the model's longest sequence, but on B200 in fp8.
TrtllmLimits llama_limits(const ClosedLoopRun& run) {
  constexpr std::int64_t every = 2048;  // trtllm-serve's own most sequences
  const std::int64_t longest = run.load.prompt_tokens + run.load.output_tokens + 256;
  const bool waits = has_lengths(run, 1024, 1024) && run.shape.attention_tp < 8;
  return {.sequences = every,
          .tokens = run.gpu.blackwell && run.weights == "fp8" ? 16384 : longest,
          .waits = waits ? TrtllmWaits{.iters = 20, .tokens_ratio = 0.9} : TrtllmWaits{}};
}

TrtllmLimits trtllm_limits(const ClosedLoopRun& run) {
  if (run.llm.name == "gpt-oss-120b")
    return {.sequences = run.gpu.blackwell ? 512 * run.shape.attention_dp : run.load.clients,
            .tokens = 20000 * run.shape.attention_dp,
            .kv_fraction = 0.85,
            .rank_waits = rank_waits};
  return run.llm.name == "deepseek-v3" ? deepseek_limits(run) : llama_limits(run);
}

std::string trtllm_settings(const ClosedLoopRun& run) {
  const TrtllmLimits limits = trtllm_limits(run);
  const std::string waits = fmt::format(", batch_wait_timeout_iters: {}, batch_wait_max_tokens_ratio: {}{}",
                                        limits.waits.iters, limits.waits.tokens_ratio, limits.rank_waits);
  return trtllm_batcher(true, limits.sequences, limits.tokens, waits) +
         fmt::format("    memory: {{gpu_memory_utilization: {}}}\n", limits.kv_fraction);
}

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// From how many clients on scripts of autumn 2025 spread whole experts over all GPUs, and gave each rank requests of
/// its own.
struct ShapeByClients {
  std::string_view backend;
  std::string_view llm;
  std::string_view weights;
  std::int64_t prompt_tokens;  // 0: any
  std::int64_t whole_experts_from;
  std::int64_t own_requests_from;
};

/// dsr1_fp8_h200_trt_slurm.sh, dsr1_fp4_b200_trt_slurm.sh (four GPUs), gptoss_fp4_h200_trt_slurm.sh and
/// dsr1_fp4_b200_docker.sh (--enable-ep-moe) of October 2025.
constexpr std::array<ShapeByClients, 6> shapes_by_clients{{{"trtllm", "deepseek-v3", "fp8_block", 1024, 1, 65},
                                                           {"trtllm", "deepseek-v3", "fp8_block", 8192, 1, 33},
                                                           {"trtllm", "deepseek-v3", "nvfp4", 1024, 33, 256},
                                                           {"trtllm", "deepseek-v3", "nvfp4", 8192, 33, 33},
                                                           {"trtllm", "gpt-oss-120b", "mxfp4", 0, 1, never},
                                                           {"sglang", "deepseek-v3", "nvfp4", 0, 1, never}}};

/// fp8 keys and values: all scripts for Blackwell, and TensorRT-LLM's for models in fp8 or fp4, but for gpt-oss on
/// Hopper. vLLM's for Llama in fp8 on H100 say so, too, but with an fp8 cache 64 clients of 1024/8192 would not have
/// waited at TP2 as they did, for 31 s; so it is not taken over.
bool fp8_cache(const ClosedLoopRun& run) {
  if (run.backend == "vllm" && run.llm.name == "llama-3.1-70b" && run.gpu.name == "h200_sxm_141g") return true;
  if (run.llm.name == "qwen3.5-397b-a17b") return run.weights != "bf16";
  if (run.gpu.blackwell) return run.llm.name != "minimax-m2.5" || is_tuned_minimax(run);
  return run.backend == "trtllm" && run.llm.name != "gpt-oss-120b";
}

/// As scripts say. Where they do not, each token is a piece: vLLM's but for MiniMax-M2.5's.
std::int64_t stream_interval(const ClosedLoopRun& run) {
  if (run.backend == "trtllm") return run.llm.name == "gpt-oss-120b" ? 20 : 10;
  if (run.backend == "vllm") return is_tuned_minimax(run) ? 20 : 1;
  const SglangScript* script = sglang_script(run);
  return script ? script->stream_interval : 1;
}

}  // namespace

std::int64_t sglang_chunk(const BundledGpu& gpu) { return gpu.blackwell ? 16384 : 8192; }

std::string first_use_of(const std::string& backend, std::optional<double> ttft_p99_s) {
  constexpr double compiling_s = 30;
  if (backend != "sglang") return "";
  return ttft_p99_s.value_or(compiling_s) < compiling_s ? "loaded" : "compiled";
}

void set_scripted_shape(ClosedLoopRun& run) {
  const auto found = std::ranges::find_if(shapes_by_clients, [&](const ShapeByClients& s) {
    return s.backend == run.backend && s.llm == run.llm.name && s.weights == run.weights &&
           (s.prompt_tokens == 0 || s.prompt_tokens == run.load.prompt_tokens);
  });
  RowShape& shape = run.shape;
  if (found == shapes_by_clients.end() || run.load.clients < found->whole_experts_from || shape.moe_ep > 1) return;
  std::swap(shape.moe_ep, shape.moe_tp);
  if (run.load.clients >= found->own_requests_from) std::swap(shape.attention_dp, shape.attention_tp);
}

std::string scripted_settings(const ClosedLoopRun& run) {
  const std::string common = (fp8_cache(run) ? "    kv_cache_dtype: fp8\n" : "") +
                             fmt::format("    stream_interval: {}\n", stream_interval(run));
  if (run.backend == "vllm") return common + vllm_settings(run);
  if (run.backend == "sglang") return common + sglang_settings(run);
  return common + trtllm_settings(run);
}

}  // namespace servecast
