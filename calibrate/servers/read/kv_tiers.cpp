// llm-d's tiered prefix cache: vLLM servers with and without CPU memory below the GPUs' KV cache.
#include <fmt/format.h>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/published.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

// Workload guide_tiered-prefix-cache_1 of llm-d-benchmark: 5 to 40 requests/s, 60 s each and 60 s without arrivals
// between two; 250 groups of 5 prompts with 16,000 shared tokens, questions of 256, answers of 256.
constexpr double stage_s = 60;
constexpr std::int64_t answer_tokens = 256;
constexpr double cpu_bytes = 100e9;  // of each server: the guide's

/// Rows of the rates, in order. Only TTFT is compared: tokens/s are 1.1 to 1.5 times rate x 256 while nothing queues,
/// so answers were not 256 tokens long.
std::string tier_arrivals(const RunRows& rows) {
  std::string text;
  for (const CsvRow* row : rows)
    text += fmt::format("{}{{requests_per_s: {}, duration_s: {}, pause_s: {}}}", text.empty() ? "" : ", ",
                        row->text("rate_rps"), stage_s, text.empty() ? 0 : stage_s);
  return text;
}

std::string tier_scenario(const RunRows& rows, const BundledLlm& llm, const BundledGpu& gpu) {
  const std::string& arm = rows.front()->text("arm");
  const bool cpu = arm.find("CPU") != std::string::npos;
  return fmt::format(
      R"(name: {}
workload:
  generate:
    arrivals: {{stages: [{}], next_stage: drained}}
    shared_prefix: {{groups: 250, prompts_per_group: 5, system_tokens: 16000}}
    prompt_tokens: {{fixed: 256}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}, nodes: 2, fabric: single_switch}}
pools:
  - name: servers
    llm: {}
    gpu: {}
{}    sampling: greedy
    replicas: 16
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: 1024}}
    kv_cache: {{policy: paged_prefix}}
{}    router: {{policy: llmd, cpu_prefix_weight: {}}}
)",
      yaml_text("KV tiers, " + arm), tier_arrivals(rows), answer_tokens, gpu.node, llm.name, gpu.name,
      weight_settings(bundled_weights("", llm), gpu),
      cpu ? fmt::format("    kv_tiers: {{levels: [{{kind: host, capacity_bytes: {}}}]}}\n", cpu_bytes) : "",
      cpu ? 1 : 0);
}

MeasuredServer tier_server(const RunRows& rows) {
  const CsvRow& first = *rows.front();
  if (first.text("testbed") != "16xH100 TP1")
    throw NoMatch("closed loop of groups of prompts: clients that each keep to one group are not modelled");
  const BundledLlm llm = bundled_llm(first.text("model"));
  MeasuredServer server{.name = first.text("model") + " " + first.text("arm"),
                        .model = llm.name,
                        .engine = "vllm-0.15",
                        .scenario = tier_scenario(rows, llm, bundled_gpu("H100-SXM-80GB"))};
  for (std::size_t i = 0; i < rows.size(); ++i)
    server.stages.push_back({.title = rows[i]->text("rate_rps") + " req/s",
                             .request_class = rows.size() > 1 ? fmt::format("stage {}", i + 1) : "",
                             .regime = Regime::kv_tiers,
                             .system = first.text("model") + ", " + first.text("arm"),
                             .output_tokens = answer_tokens,
                             .duration_s = stage_s,
                             .measured = {{ServerFigure::ttft_mean, rows[i]->number("ttft_mean_s")}}});
  return server;
}

}  // namespace

ReadServers kv_tier_servers(const std::string& file) { return read_runs(file, {"testbed", "arm"}, tier_server); }

}  // namespace servecast
