#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/split.h"
#include "calibrate/servers/read/trtllm_bench.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

/// How a version's tool runs what its page tells (TensorRT-LLM, docs/source/performance/perf-overview.md).
struct Bench {
  const char* rows;  // the column `engine` begins with it
  const char* engine;
  BuiltEngine (*limits)(const BenchedEngine&);
  const char* batcher;  // settings beside the limits
  int block_tokens;
  double
      kv_fraction;  // of what is left: "in the majority of cases" 0.95 (0.15), "in many cases" (1.0), "up to" (1.2)
};
constexpr std::array<Bench, 4> benches{{
    {"TensorRT-LLM 0.15", "trtllm-0.15", trtllm_bench_build, "enable_chunked_context: true", 64, 0.95},
    {"TensorRT-LLM 1.0", "trtllm-1.0", trtllm_bench_throughput, "overlap_scheduler: true", 32, 0.95},
    {"TensorRT-LLM ~1.0", "trtllm-1.0", trtllm_bench_throughput, "overlap_scheduler: true", 32, 0.95},
    {"TensorRT-LLM 1.2", "trtllm-1.2", trtllm_bench_throughput, "overlap_scheduler: true", 32, 0.95},
}};

const Bench& bench_of(const std::string& engine) {
  if (engine.starts_with("TensorRT-LLM 0.10"))
    throw NoMatch("TensorRT-LLM 0.10's pages do not say how its engines were built (sequences and tokens of a step)");
  const auto found = std::ranges::find_if(benches, [&](const Bench& b) { return engine.starts_with(b.rows); });
  if (found == benches.end())
    throw NoMatch("no profile is known for engine '" + engine + "'; TensorRT-LLM 0.15, 1.0 and 1.2 are");
  return *found;
}

/// All requests at once, fixed lengths; answers are not streamed.
struct OfflineRun {
  std::string name{};
  const Bench& bench;
  BundledGpu gpu{};
  BundledLlm llm{};
  std::string weights{};
  RowShape shape{};
  std::int64_t requests = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  double output_tokens_per_s = 0;
};

/// Models in fp8 or fp4 keep the KV cache in fp8, too; gpt-oss on Hopper does not.
const char* cache_type(const std::string& weights) {
  return weights == "bf16" || weights == "fp16" || weights == "mxfp4" ? "bf16" : "fp8";
}

/// Rows without a number of requests: their pages give 3,000 for most lengths, enough to fill any of these servers.
std::int64_t requests_of(const CsvRow& row, const char* column) {
  constexpr std::int64_t usual = 3000;
  return row.text(column).empty() ? usual : row.count(column);
}

/// Limits of one rank: with requests of their own, ranks share them out.
BuiltEngine limits_of(const OfflineRun& run) {
  const Gpu gpu = load_gpu(run.gpu.name, {});
  const Llm llm = load_llm(run.llm.name, {});
  BuiltEngine limits = run.bench.limits({.gpu = gpu,
                                         .llm = llm,
                                         .weights = data_type(run.weights).value(),
                                         .kv = data_type(cache_type(run.weights)).value(),
                                         .tensor_parallel = run.shape.attention_tp * run.shape.attention_dp,
                                         .prompt_tokens = run.prompt_tokens,
                                         .output_tokens = run.output_tokens});
  limits.max_num_tokens *= run.shape.attention_dp;
  limits.max_batch_size *= run.shape.attention_dp;
  return limits;
}

/// The page of 1.2 gives options: prompts of DeepSeek's ranks wait for each other; experts in nvfp4 are CUTLASS's.
std::string page_options(const OfflineRun& run) {
  const bool waits = run.shape.attention_dp > 1 && run.llm.name == "deepseek-v3";
  return waits ? std::string(run.bench.batcher) + deepseek_rank_waits : run.bench.batcher;
}
std::string expert_settings(const OfflineRun& run) {
  if (!run.llm.experts) return "";
  return exchange_settings(run.shape, run.gpu, run.bench.engine, nvlink_from(run.llm)) +
         latency_settings({cutlass_experts(run.weights)});
}

std::string offline_scenario(const OfflineRun& run) {
  const BuiltEngine limits = limits_of(run);
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{constant: {{requests_per_s: 1.0e9}}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
{}    kv_cache_dtype: {}
    sampling: greedy
    tokenizer_workers: 0
    stream_interval: 0
{}    batcher: {{policy: trtllm, max_batch_size: {}, max_num_tokens: {}, {}}}
    memory: {{gpu_memory_utilization: {}}}
    kv_cache: {{policy: paged_reserved, block_tokens: {}}}
)",
                     run.name, run.requests, run.prompt_tokens, run.output_tokens, run.gpu.node, run.llm.name,
                     run.gpu.name, weight_settings(run.weights, run.gpu), cache_type(run.weights),
                     shape_settings(run.shape, run.llm) + expert_settings(run), limits.max_batch_size,
                     limits.max_num_tokens, page_options(run), run.bench.kv_fraction, run.bench.block_tokens);
}

MeasuredServer offline_server_of(const OfflineRun& run) {
  return {
      .name = run.name,
      .model = run.llm.name,
      .engine = run.bench.engine,
      .gpu = run.gpu.name,
      .experts = run.llm.experts,
      .fitting = is_fitted_on(run.bench.engine, run.gpu.name, run.llm.name, run.weights),
      .scenario = offline_scenario(run),
      .stages = {{.title = fmt::format("{} TP{} EP{}, {}/{}", run.weights, run.shape.attention_tp, run.shape.moe_ep,
                                       run.prompt_tokens, run.output_tokens),
                  .regime = run.gpu.blackwell ? Regime::blackwell : Regime::offline,
                  .system = fmt::format("{} {}, {}, {}", run.llm.name, run.weights, run.gpu.title(), run.bench.rows),
                  .measured = {{ServerFigure::output_tokens_per_s, run.output_tokens_per_s}}}}};
}

MeasuredServer offline_server(const CsvRow& row) {
  const std::string& metric = row.text("metric");
  if (metric != "output tokens/s" && metric != "output tokens/s (whole deployment)")
    throw NoMatch("'" + metric + "' is not compared; output tokens/s of the whole deployment are");
  OfflineRun run{.name = row.text("model") + " " + row.text("gpu"),
                 .bench = bench_of(row.text("engine")),
                 .gpu = bundled_gpu(row.text("gpu")),
                 .llm = bundled_llm(row.text("model")),
                 .shape = {.attention_tp = row.count("tp"), .moe_tp = row.count("tp")},
                 .requests = requests_of(row, "num_requests"),
                 .prompt_tokens = row.count("isl"),
                 .output_tokens = row.count("osl"),
                 .output_tokens_per_s = row.number("value")};
  run.weights = bundled_weights(row.text("precision"), run.llm);
  return offline_server_of(run);
}

/// "TP2", or "DEP8": requests of their own and whole experts over 8 GPUs.
RowShape shape_of_layout(const std::string& layout) {
  const auto size = [&](std::size_t from) {
    std::int64_t gpus = 0;
    const auto [end, error] = std::from_chars(layout.data() + from, layout.data() + layout.size(), gpus);
    if (error != std::errc() || end != layout.data() + layout.size())
      throw NoMatch("layout '" + layout + "' is not known; TPn and DEPn are");
    return gpus;
  };
  if (layout.starts_with("DEP")) return {.attention_dp = size(3), .moe_ep = size(3)};
  if (layout.starts_with("TP")) return {.attention_tp = size(2), .moe_tp = size(2)};
  throw NoMatch("layout '" + layout + "' is not known; TPn and DEPn are");
}

/// trtllm_1.2_perf_overview.csv: tokens/s of each GPU.
MeasuredServer overview_server(const CsvRow& row) {
  OfflineRun run{.name = row.text("model") + " " + row.text("gpu"),
                 .bench = bench_of("TensorRT-LLM 1.2"),
                 .gpu = bundled_gpu(row.text("gpu")),
                 .llm = bundled_llm(row.text("model")),
                 .shape = shape_of_layout(row.text("layout")),
                 .requests = requests_of(row, "requests"),
                 .prompt_tokens = row.count("isl"),
                 .output_tokens = row.count("osl")};
  run.weights = bundled_weights(row.text("precision"), run.llm);
  run.output_tokens_per_s = row.number("out_tok_s_per_gpu") * static_cast<double>(run.shape.gpus());
  return offline_server_of(run);
}

}  // namespace

ReadServers offline_servers(const std::string& file) { return read_rows(file, offline_server); }
ReadServers offline_overview_servers(const std::string& file) { return read_rows(file, overview_server); }

}  // namespace servecast
