#include <fmt/format.h>

#include <map>
#include <optional>

#include "calibrate/servers/csv_rows.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/trtllm_bench.h"
#include "sim/input/hardware.h"
#include "sim/input/llm_config.h"

namespace servecast {
namespace {

struct Machine {
  std::string gpu;
  std::string node;
  bool measured = true;  // its kernels were, not scaled from another GPU
};

/// GH200 is left out: no such GPU is bundled.
std::optional<Machine> machine_of(const std::string& gpu) {
  static const std::map<std::string, Machine> machines{
      {"H100-SXM-80GB", {"h100_sxm_80g", "dgx_h100"}},
      {"A100-SXM4-80GB", {"a100_sxm_80g", "dgx_a100"}},
      {"A100-PCIE-80GB", {"a100_pcie_80g", "pcie_server", false}},
      {"L40S", {"l40s_48g", "pcie_server", false}},
  };
  const auto found = machines.find(gpu);
  return found == machines.end() ? std::nullopt : std::optional(found->second);
}

std::string llm_in_table(const std::string& model) {
  if (model == "LLaMA v3 70B") return "llama-3-70b";
  return model == "LLaMA v3.1 70B" ? "llama-3.1-70b" : "llama-3.1-8b";
}

/// What trtllm-0.15 waits at all-reduces was fitted on these rows.
bool is_fitted_on(const CsvRow& row, const Machine& machine) {
  return row.text("model") == "LLaMA v3 70B" && machine.gpu == "h100_sxm_80g" && row.count("tp") > 1;
}

std::string group(const CsvRow& row, const Machine& machine) {
  if (!machine.measured) return "TensorRT-LLM offline, derived GPUs";
  return is_fitted_on(row, machine) ? "TensorRT-LLM offline, fitted" : "TensorRT-LLM offline";
}

/// As the rows' page tells how they were made (TensorRT-LLM 0.15, docs/source/performance/perf-overview.md): rows in
/// FP8 keep the KV cache in FP8, too; the tool chooses the limits of a step and cuts prompts to them; the cache takes
/// 95 % of what is left ("in the majority of cases").
std::string scenario(const CsvRow& row, const Machine& machine) {
  const std::string type = row.text("precision") == "FP8" ? "fp8" : "bf16";
  const BuiltEngine engine = trtllm_bench_build(
      load_gpu(machine.gpu, {}), load_llm(llm_in_table(row.text("model")), {}),
      type == "fp8" ? DataType::fp8 : DataType::bf16, row.count("tp"), row.count("isl"), row.count("osl"));
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
    batcher: {{policy: trtllm, max_batch_size: {}, max_num_tokens: {}, enable_chunked_context: true}}
    memory: {{gpu_memory_utilization: 0.95}}
    kv_cache: {{policy: paged_reserved, block_tokens: 64}}
)",
                     row.text("model"), row.text("gpu"), row.text("num_requests"), row.text("isl"), row.text("osl"),
                     machine.node, llm_in_table(row.text("model")), machine.gpu, type, type, row.text("tp"),
                     engine.max_batch_size, engine.max_num_tokens);
}

}  // namespace

std::vector<MeasuredServer> offline_servers(const std::string& file) {
  std::vector<MeasuredServer> servers;
  for (const CsvRow& row : read_csv(file)) {
    const auto machine = machine_of(row.text("gpu"));
    if (!machine) continue;
    servers.push_back({.name = row.text("model") + " " + row.text("gpu"),
                       .model = llm_in_table(row.text("model")),
                       .engine = "trtllm-0.15",
                       .scenario = scenario(row, *machine),
                       .stages = {{.title = fmt::format("{} TP{}, {}/{}", row.text("precision"), row.text("tp"),
                                                        row.text("isl"), row.text("osl")),
                                   .group = group(row, *machine),
                                   .measured = {{ServerFigure::output_tokens_per_s, row.number("value")}}}}});
  }
  return servers;
}

std::vector<MeasuredServer> all_servers(const std::string& folder) {
  std::vector<MeasuredServer> all = open_loop_servers(folder + "/vllm_h100_open_loop.csv");
  for (auto& server : closed_loop_servers(folder + "/closed_loop_h100.csv")) all.push_back(std::move(server));
  for (auto& server : offline_servers(folder + "/trtllm_offline_throughput.csv")) all.push_back(std::move(server));
  return all;
}

}  // namespace servecast
