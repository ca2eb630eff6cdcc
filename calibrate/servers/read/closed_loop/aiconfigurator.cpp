// AIConfigurator's own runs: servers as its generator of settings writes them (src/aiconfigurator/generator:
// rule_plugin/benchmark/*.rule, config/backend_templates), load as one of its two benchmarks makes it. One asks ten
// times for each client, no prompt twice (eval/benchmarks/genai_perf_runner.py). The other asks 50 times for each,
// and AIPerf's own number of prompts, 100, comes again and again (backend_templates/benchmark/bench_run.sh.j2):
// vLLM's rows are its, as they take more tokens a second than GPUs could compute. Workers behind one front end get as
// many clients each as the row's batch_size says (BenchConfig.estimated_concurrency).
#include <fmt/format.h>

#include <algorithm>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/closed_loop/dynamo_recipes.h"

namespace servecast {
namespace {

constexpr std::int64_t spare_tokens = 1500;   // of a step, beside a prompt and all clients; from TensorRT-LLM 1.1 on
constexpr std::int64_t aiperf_rounds = 50;    // BENCH_MULTI_ROUND
constexpr std::int64_t aiperf_prompts = 100;  // its --conversation-num, where nothing is said

/// The template of 0.12 names neither a token budget nor prefix caching, so both are vLLM's own.
std::string generated_vllm(const ClosedLoopRun& run) {
  return vllm_batcher(run, 8192, run.load.clients) + "    kv_cache: {policy: paged_prefix}\n";
}

/// How much of a GPU SGLang may take is said from 0.5.8 on, and as in TensorRT-LLM's template if by default: with
/// 0.84, which SGLang would choose, three times as many sequences of Qwen3-32B would run on one H100 as did.
constexpr const char* generated_memory = "    memory: {gpu_memory_utilization: 0.8}\n";

/// Decodes join prompts from 0.5.6 on: the template of 0.5.1 writes an option that SGLang does not know
/// (--enable-mix-chunk), and only where a key is set that nothing sets. Two things the rows contradict: a cache of
/// prefixes, with which 32 clients of 8,000 tokens would not wait for half a second, and the generator's budget of
/// one prompt and 1,500 tokens a step, with which 176 clients of 2,000 tokens would wait three times as long as they
/// did.
std::string generated_sglang(const ClosedLoopRun& run) {
  return fmt::format(
      "    batcher: {{policy: sglang, chunked_prefill_size: {}, max_prefill_tokens: 16384, max_running_requests: {}, "
      "enable_mixed_chunk: {}}}\n"
      "    kv_cache: {{policy: paged}}\n{}",
      sglang_chunk(run.gpu), run.load.clients, is_from(run.version, "0.5.6"),
      is_from(run.version, "0.5.8") ? generated_memory : "");
}

/// Steps of TensorRT-LLM 1.0 hold one prompt: with Llama-3.1-8B on eight GPUs, a system that its terms are fitted on,
/// a prompt of 1,024 tokens delays all others by 13 to 17 ms, as one of 2,048 does.
std::string generated_trtllm(const ClosedLoopRun& run) {
  const std::int64_t spare = is_from(run.version, "1.1") ? spare_tokens : 0;
  return trtllm_batcher(true, std::max<std::int64_t>(1, run.load.clients - run.waiting_clients),
                        run.load.clients + run.load.prompt_tokens + spare) +
         generated_memory;
}

}  // namespace

/// SGLang: one for each number of clients (--cuda-graph-bs). TensorRT-LLM 1.3.0rc1 decodes without: its servers take
/// 49 ms a token with 48 clients as with 96, and 85 to 89 with 5 to 12; its 1.3.0rc5 takes 21 with 56.
std::string generated_graphs(const ClosedLoopRun& run) {
  if (run.backend == "sglang") return fmt::format("cuda_graph_max_tokens: {}", run.load.clients);
  return run.backend == "trtllm" && run.version == "1.3.0rc1" ? "cuda_graph_max_tokens: 0" : "";
}

void set_generated_load(ClosedLoopRun& run) {
  if (run.backend != "vllm") return;
  run.load.rounds = aiperf_rounds;
  run.load.distinct_prompts = aiperf_prompts;
}

std::string generated_settings(const ClosedLoopRun& run) {
  if (run.backend == "vllm") return dynamo_tokenizers + generated_vllm(run);
  if (run.backend == "sglang") return dynamo_tokenizers + generated_sglang(run);
  const bool narrow = run.weights.starts_with("fp8") || run.weights == "nvfp4";
  return fmt::format("{}{}{}", dynamo_tokenizers, narrow ? "    kv_cache_dtype: fp8\n" : "", generated_trtllm(run));
}

}  // namespace servecast
