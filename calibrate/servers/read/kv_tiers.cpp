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
constexpr std::int64_t tier_prefix_tokens = 16'000;
constexpr std::int64_t tier_question_tokens = 256;
constexpr std::int64_t answer_tokens = 256;
constexpr double cpu_bytes = 107'374'182'400;  // of each server: cpu_bytes_to_use of the guide's patch for gpt-oss

/// Both arms behind the router of the guide "optimized baseline", whose index holds as many tokens as the servers'
/// GPUs: it learns their number of blocks. The page does not name the router; its counts of cached tokens (25 % of
/// the prompts' in GPU memory, 34 % in CPU memory) are those of one that does not know of CPU memory. vLLM's
/// connector to CPU memory keeps sliding-window layers whole, so that a GPU holds half as many tokens.
struct TierArm {
  const char* layers;
  std::int64_t index_tokens;
  std::int64_t max_sequences;
};
constexpr TierArm hbm_only{"window", 214'000, 1024};
constexpr TierArm with_cpu{"whole", 107'000, 512};

/// Rows of the rates, in order. Only TTFT is compared: the client counts the tokens of answers anew from their text,
/// 1.1 to 1.5 times the 256 that TPOT and E2E tell.
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
  const TierArm& settings = cpu ? with_cpu : hbm_only;
  return fmt::format(
      R"(name: {}
workload:
  generate:
    arrivals: {{stages: [{}], stage_gaps: poisson, next_stage: drained}}
    shared_prefix: {{groups: 250, prompts_per_group: 5, system_tokens: {}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}, nodes: 2, fabric: single_switch}}
pools:
  - name: servers
    llm: {}
    gpu: {}
{}    sampling: greedy
    replicas: 16
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: {}}}
    kv_cache: {{policy: paged_prefix, block_tokens: 128}}
    memory: {{gpu_memory_utilization: 0.95, windowed_layers: {}}}
{}    router: {{policy: prefix_affinity, peak_prefill_tokens_per_s: 39065, lru_tokens: {}}}
)",
      yaml_text("KV tiers, " + arm), tier_arrivals(rows), tier_prefix_tokens, tier_question_tokens, answer_tokens,
      gpu.node, llm.name, gpu.name, weight_settings(bundled_weights("", llm), gpu), settings.max_sequences,
      settings.layers,
      cpu ? fmt::format("    kv_tiers: {{levels: [{{kind: host, capacity_bytes: {}}}]}}\n", cpu_bytes) : "",
      settings.index_tokens);
}

MeasuredServer tier_server(const RunRows& rows) {
  const CsvRow& first = *rows.front();
  if (first.text("testbed") != "16xH100 TP1")
    throw NoMatch("closed loop of groups of prompts: clients that each keep to one group are not modelled");
  const BundledLlm llm = bundled_llm(first.text("model"));
  const BundledGpu gpu = bundled_gpu("H100-SXM-80GB");
  MeasuredServer server{.name = first.text("model") + " " + first.text("arm"),
                        .model = llm.name,
                        .engine = "vllm-0.15",
                        .gpu = gpu.name,
                        .experts = llm.experts,
                        .layout = "routed",
                        .load = "open",
                        .scenario = tier_scenario(rows, llm, gpu)};
  for (std::size_t i = 0; i < rows.size(); ++i)
    server.stages.push_back({.title = rows[i]->text("rate_rps") + " req/s",
                             .request_class = rows.size() > 1 ? fmt::format("stage {}", i + 1) : "",
                             .regime = Regime::kv_tiers,
                             .system = first.text("model") + ", " + first.text("arm"),
                             .prompt_tokens = tier_prefix_tokens + tier_question_tokens,
                             .output_tokens = answer_tokens,
                             .measured = {{ServerFigure::ttft_mean, rows[i]->number("ttft_mean_s")}}});
  return server;
}

}  // namespace

ReadServers kv_tier_servers(const std::string& file) { return read_runs(file, {"testbed", "arm"}, tier_server); }

}  // namespace servecast
