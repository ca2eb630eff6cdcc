#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "calibrate/servers/bundled_llm.h"
#include "calibrate/servers/csv_rows.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/trtllm_bench.h"
#include "models/base/error.h"
#include "sim/input/hardware.h"
#include "sim/input/llm_config.h"

namespace servecast {
namespace {

/// How a version of trtllm-bench runs what its page tells (TensorRT-LLM, docs/source/performance/perf-overview.md).
struct Bench {
  const char* rows;  // the column `engine` begins with it
  const char* engine;
  const char* group;
  BuiltEngine (*limits)(const BenchedEngine&);
  const char* batcher;  // settings beside the limits
  int block_tokens;
};
constexpr std::array<Bench, 2> benches{{{"TensorRT-LLM 0.15", "trtllm-0.15", "TensorRT-LLM offline",
                                         trtllm_bench_build, "enable_chunked_context: true", 64},
                                        {"TensorRT-LLM 1.0", "trtllm-1.0", "TensorRT-LLM 1.0 offline",
                                         trtllm_bench_throughput, "overlap_scheduler: true", 32}}};

const Bench& bench_of(const CsvRow& row) {
  const std::string& engine = row.text("engine");
  const auto found = std::ranges::find_if(benches, [&](const Bench& b) { return engine.starts_with(b.rows); });
  if (found == benches.end())
    row.fail("no profile is known for engine '" + engine + "'; TensorRT-LLM 0.15 and 1.0 are");
  return *found;
}

struct Machine {
  std::string gpu;
  std::string node;
  bool measured = true;  // its kernels were, not scaled from another GPU
};

/// GH200 is left out: no such GPU is bundled.
std::optional<Machine> machine_of(const std::string& gpu) {
  static const std::map<std::string, Machine> machines{
      {"H100-SXM-80GB", {"h100_sxm_80g", "dgx_h100"}},  {"H200-SXM-141GB", {"h200_sxm_141g", "hgx_h200"}},
      {"A100-SXM4-80GB", {"a100_sxm_80g", "dgx_a100"}}, {"A100-PCIE-80GB", {"a100_pcie_80g", "pcie_server", false}},
      {"L40S", {"l40s_48g", "pcie_server", false}},
  };
  const auto found = machines.find(gpu);
  return found == machines.end() ? std::nullopt : std::optional(found->second);
}

/// What trtllm-0.15 waits at all-reduces was fitted on these rows.
bool is_fitted_on(const CsvRow& row, const Machine& machine) {
  return row.text("model") == "LLaMA v3 70B" && machine.gpu == "h100_sxm_80g" && row.count("tp") > 1;
}

std::string group(const CsvRow& row, const Machine& machine) {
  const std::string group = bench_of(row).group;
  if (!machine.measured) return group + ", derived GPUs";
  return is_fitted_on(row, machine) ? group + ", fitted" : group;
}

/// Rows in FP8 keep the KV cache in FP8, too; the tool chooses the limits of a step, and 0.15's cuts prompts to them;
/// the cache takes 95 % of what is left ("in the majority of cases", 1.0: "in many cases").
std::string scenario(const CsvRow& row, const Machine& machine) {
  const std::string type = row.text("precision") == "FP8" ? "fp8" : "bf16";
  const Bench& bench = bench_of(row);
  const Gpu gpu = load_gpu(machine.gpu, {});
  const Llm llm = load_llm(bundled_llm(row), {});
  const BuiltEngine limits = bench.limits({.gpu = gpu,
                                           .llm = llm,
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
                     machine.node, llm.name, machine.gpu, type, type, row.text("tp"), limits.max_batch_size,
                     limits.max_num_tokens, bench.batcher, bench.block_tokens);
}

}  // namespace

std::vector<MeasuredServer> offline_servers(const std::string& file) {
  std::vector<MeasuredServer> servers;
  for (const CsvRow& row : read_csv(file)) {
    const auto machine = machine_of(row.text("gpu"));
    if (!machine) continue;
    servers.push_back({.name = row.text("model") + " " + row.text("gpu"),
                       .model = bundled_llm(row),
                       .engine = bench_of(row).engine,
                       .scenario = scenario(row, *machine),
                       .stages = {{.title = fmt::format("{} TP{}, {}/{}", row.text("precision"), row.text("tp"),
                                                        row.text("isl"), row.text("osl")),
                                   .group = group(row, *machine),
                                   .measured = {{ServerFigure::output_tokens_per_s, row.number("value")}}}}});
  }
  return servers;
}

std::vector<MeasuredServer> all_servers(const std::string& folder) {
  struct Kind {
    const char* file;
    std::vector<MeasuredServer> (*read)(const std::string&);
  };
  constexpr std::array<Kind, 4> kinds{{{"vllm_h100_open_loop.csv", open_loop_servers},
                                       {"closed_loop_h100.csv", closed_loop_servers},
                                       {"trtllm_offline_throughput.csv", offline_servers},
                                       {"trtllm_1.0_offline.csv", offline_servers}}};
  std::vector<MeasuredServer> all;
  std::string known;
  for (const Kind& kind : kinds) {
    const std::filesystem::path file = std::filesystem::path(folder) / kind.file;
    known += (known.empty() ? "" : ", ") + std::string(kind.file);
    if (!std::filesystem::exists(file)) continue;
    for (MeasuredServer& server : kind.read(file)) all.push_back(std::move(server));
  }
  if (all.empty()) throw UserError("'" + folder + "' holds no measured servers; known are " + known);
  return all;
}

}  // namespace servecast
