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

/// The page's "External (CPU offload) hit rate", 61.0 of 135.3 million tokens that were looked up there. Of GPU
/// memory it counts what was looked up again in every step that a prompt waited, 14 times in the mean.
constexpr double found_in_cpu_memory = 0.451;

/// Both arms behind the router of the guide "optimized baseline". The page does not name the router; its counts of
/// cached tokens are those of one that does not know of CPU memory. Its index holds as many blocks of 128 tokens as
/// vLLM says that the GPU has, 1,690 and 1,910 (with room for the logits of so many sequences less or more), and
/// takes 4 bytes of text for a token (approx-prefix-cache-producer and its tokeniser "estimate"). Prompts are tokens
/// drawn from all of the vocabulary, 6.97 bytes each (o200k_base's file of 3,613,922 bytes has 199,998), so that it
/// remembers 0.57 of as many.
struct TierArm {
  std::int64_t index_tokens;
  std::int64_t max_sequences;
};
constexpr TierArm hbm_only{124'000, 1024};
constexpr TierArm with_cpu{140'000, 512};

/// Rows of the rates, in order. Tokens/s are not compared: the client counts the tokens of answers anew from their
/// text, 1.1 to 1.5 times the 256 that E2E tells.
std::string tier_arrivals(const RunRows& rows) {
  std::string text;
  for (const CsvRow* row : rows)
    text += fmt::format("{}{{requests_per_s: {}, duration_s: {}, pause_s: {}}}", text.empty() ? "" : ", ",
                        row->text("rate_rps"), stage_s, text.empty() ? 0 : stage_s);
  return text;
}

bool has_cpu_memory(const CsvRow& row) { return row.text("arm").find("CPU") != std::string::npos; }

std::string tier_scenario(const RunRows& rows, const BundledLlm& llm, const BundledGpu& gpu) {
  const std::string& arm = rows.front()->text("arm");
  const bool cpu = has_cpu_memory(*rows.front());
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
    memory: {{gpu_memory_utilization: 0.95}}
{}    router: {{policy: prefix_affinity, peak_prefill_tokens_per_s: 39065, lru_tokens: {}}}
)",
      yaml_text("KV tiers, " + arm), tier_arrivals(rows), tier_prefix_tokens, tier_question_tokens, answer_tokens,
      gpu.node, llm.name, gpu.name, weight_settings(bundled_weights("", llm), gpu), settings.max_sequences,
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
                        .draws = draws_of_short_stages,
                        .scenario = tier_scenario(rows, llm, gpu)};
  for (std::size_t i = 0; i < rows.size(); ++i)
    server.stages.push_back({.title = rows[i]->text("rate_rps") + " req/s",
                             .request_class = rows.size() > 1 ? fmt::format("stage {}", i + 1) : "",
                             .regime = Regime::kv_tiers,
                             .system = first.text("model") + ", " + first.text("arm"),
                             .prompt_tokens = tier_prefix_tokens + tier_question_tokens,
                             .output_tokens = answer_tokens,
                             .measured = {{ServerFigure::ttft_mean, rows[i]->number("ttft_mean_s")},
                                          {ServerFigure::e2e_mean, rows[i]->number("e2e_mean_s")}}});
  if (has_cpu_memory(first))
    server.stages.push_back({.title = "all stages",
                             .regime = Regime::kv_tiers,
                             .system = server.stages.front().system,
                             .measured = {{ServerFigure::host_hit_fraction, found_in_cpu_memory}}});
  return server;
}

}  // namespace

ReadServers kv_tier_servers(const std::string& file) { return read_runs(file, {"testbed", "arm"}, tier_server); }

}  // namespace servecast
