#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "calibrate/servers/read/published.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/split.h"
#include "calibrate/servers/read/trtllm_bench.h"
#include "models/base/error.h"
#include "models/base/input_file.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

/// How a version of trtllm-bench runs what its page tells (TensorRT-LLM, docs/source/performance/perf-overview.md).
struct Bench {
  const char* rows;  // the column `engine` begins with it
  const char* engine;
  BuiltEngine (*limits)(const BenchedEngine&);
  const char* batcher;  // settings beside the limits
  int block_tokens;
};
constexpr std::array<Bench, 2> benches{{{"TensorRT-LLM 0.15", "trtllm-0.15",
                                         trtllm_bench_build, "enable_chunked_context: true", 64},
                                        {"TensorRT-LLM 1.0", "trtllm-1.0",
                                         trtllm_bench_throughput, "overlap_scheduler: true", 32}}};

const Bench& bench_of(const CsvRow& row) {
  const std::string& engine = row.text("engine");
  const auto found = std::ranges::find_if(benches, [&](const Bench& b) { return engine.starts_with(b.rows); });
  if (found == benches.end())
    throw NoMatch("no profile is known for engine '" + engine + "'; TensorRT-LLM 0.15 and 1.0 are");
  return *found;
}

void check_metric(const CsvRow& row) {
  const std::string& metric = row.text("metric");
  if (metric != "output tokens/s" && metric != "output tokens/s (whole deployment)")
    throw NoMatch("'" + metric + "' is not compared; output tokens/s of the whole deployment are");
}

/// Rows in FP8 keep the KV cache in FP8, too; the tool chooses the limits of a step, and 0.15's cuts prompts to them;
/// the cache takes 95 % of what is left ("in the majority of cases", 1.0: "in many cases").
std::string scenario(const CsvRow& row, const BundledGpu& gpu, const BundledLlm& llm) {
  const std::string type = bundled_weights(row.text("precision"), llm);
  const Bench& bench = bench_of(row);
  const Gpu gpu_file = load_gpu(gpu.name, {});
  const Llm model = load_llm(llm.name, {});
  const BuiltEngine limits = bench.limits({.gpu = gpu_file,
                                           .llm = model,
                                           .type = data_type(type).value(),
                                           .tensor_parallel = row.count("tp"),
                                           .prompt_tokens = row.count("isl"),
                                           .output_tokens = row.count("osl")});
  return fmt::format(R"(name: {} {}
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
    weights: {}
    kv_cache_dtype: {}
    tensor_parallel: {}
    sampling: greedy
    batcher: {{policy: trtllm, max_batch_size: {}, max_num_tokens: {}, {}}}
    memory: {{gpu_memory_utilization: 0.95}}
    kv_cache: {{policy: paged_reserved, block_tokens: {}}}
)",
                     row.text("model"), row.text("gpu"), row.text("num_requests"), row.text("isl"), row.text("osl"),
                     gpu.node, llm.name, gpu.name, type, type == "fp8" ? "fp8" : "bf16", row.text("tp"),
                     limits.max_batch_size, limits.max_num_tokens, bench.batcher, bench.block_tokens);
}

MeasuredServer offline_server(const CsvRow& row) {
  check_metric(row);
  const BundledGpu gpu = bundled_gpu(row.text("gpu"));
  const BundledLlm llm = bundled_llm(row.text("model"));
  const std::string type = bundled_weights(row.text("precision"), llm);
  return {.name = row.text("model") + " " + row.text("gpu"),
          .model = llm.name,
          .engine = bench_of(row).engine,
          .fitting = is_fitted_on(bench_of(row).engine, gpu.name, llm.name),
          .scenario = scenario(row, gpu, llm),
          .stages = {{.title = fmt::format("{} TP{}, {}/{}", row.text("precision"), row.text("tp"), row.text("isl"),
                                           row.text("osl")),
                      .regime = Regime::offline,
                      .system = fmt::format("{} {}, {}{}, {}", llm.name, type, gpu.name,
                                            gpu.measured ? "" : " (kernels derived)", bench_of(row).engine),
                      .measured = {{ServerFigure::output_tokens_per_s, row.number("value")}}}}};
}

}  // namespace

ReadServers offline_servers(const std::string& file) { return read_rows(file, offline_server); }

}  // namespace servecast
