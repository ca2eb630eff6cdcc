// llm-d's ladders of rates: several vLLM servers behind a router, stages of rising rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/published.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

struct LadderStage {
  double requests_per_s;
  double duration_s;
};
/// Workload guide_optimized-baseline_1 of llm-d-benchmark: a warm-up stage, then these; 30 s without arrivals between
/// two, and each begins when the one before has drained.
constexpr LadderStage warm_up{15, 50};
constexpr double ladder_pause_s = 30;
constexpr std::array<LadderStage, 16> ladder{{{3, 20},
                                              {10, 20},
                                              {15, 20},
                                              {20, 38},
                                              {22, 34},
                                              {25, 30},
                                              {30, 25},
                                              {35, 21},
                                              {40, 38},
                                              {43, 36},
                                              {46, 33},
                                              {49, 30},
                                              {52, 29},
                                              {55, 27},
                                              {57, 26},
                                              {60, 25}}};

std::string ladder_arrivals() {
  std::string text =
      fmt::format("{{requests_per_s: {}, duration_s: {}}}", warm_up.requests_per_s, warm_up.duration_s);
  for (const LadderStage& stage : ladder)
    text += fmt::format(", {{requests_per_s: {}, duration_s: {}, pause_s: {}}}", stage.requests_per_s,
                        stage.duration_s, ladder_pause_s);
  return text;
}

/// By the column `arm`. "round_robin" is a Kubernetes service without a router: kube-proxy picks a server at random
/// for each connection. Both others ran with llm-d's prefix-cache-affinity-filter and token-load-scorer (README.md of
/// each model in guides/optimized-baseline/benchmark-results), Qwen3-32B at the filter's own rate.
struct LadderRouter {
  std::string_view arm;
  const char* router;
};
constexpr std::array<LadderRouter, 3> routers{
    {{"round_robin", "{policy: random}"},
     {"llm-d prefix-affinity (peakPrefill 39065)", "{policy: prefix_affinity, peak_prefill_tokens_per_s: 39065}"},
     {"llm-d prefix-affinity+token-load", "{policy: prefix_affinity}"}}};

const char* router_of(const CsvRow& row) {
  const auto known = std::ranges::find(routers, row.text("arm"), &LadderRouter::arm);
  if (known != routers.end()) return known->router;
  throw NoMatch("router '" + row.text("arm") + "' is not known; round_robin and llm-d prefix-affinity are");
}

/// "shared_prefix_7200_1000": prompts of 7,200 tokens, of which 6,000 are shared, and answers of 1,000.
struct LadderLengths {
  std::int64_t question_tokens;
  std::int64_t output_tokens;
};
constexpr std::int64_t shared_tokens = 6000;
LadderLengths lengths_of(const CsvRow& row) {
  if (row.text("setup") == "shared_prefix_7200_1000") return {1200, 1000};
  if (row.text("setup") == "shared_prefix_6500_500") return {500, 500};
  throw NoMatch("set-up '" + row.text("setup") + "' is not known");
}

std::string ladder_scenario(const CsvRow& row, const BundledLlm& llm, const BundledGpu& gpu) {
  const LadderLengths lengths = lengths_of(row);
  const bool more_memory = row.text("note").find("0.95") != std::string::npos;  // gpt-oss: the guide's other patch
  return fmt::format(R"(name: {}
workload:
  client_timeout_s: 300
  generate:
    arrivals: {{stages: [{}], stage_gaps: poisson, next_stage: drained}}
    shared_prefix: {{groups: 150, prompts_per_group: 5, system_tokens: {}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}, nodes: {}, fabric: single_switch}}
pools:
  - name: servers
    llm: {}
    gpu: {}
{}    sampling: greedy
    replicas: {}
    tensor_parallel: {}
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: 1024}}
    kv_cache: {{policy: paged_prefix, block_tokens: {}}}
    memory: {{gpu_memory_utilization: {}}}
    router: {}
)",
                     yaml_text(row.text("setup") + " " + row.text("arm")), ladder_arrivals(), shared_tokens,
                     lengths.question_tokens, lengths.output_tokens, gpu.node, row.count("gpus") / 8, llm.name,
                     gpu.name, weight_settings(bundled_weights("", llm), gpu), row.text("servers"), row.text("tp"),
                     more_memory ? 128 : 16, more_memory ? 0.95 : 0.9, router_of(row));
}

MeasuredStage ladder_stage(const CsvRow& row, std::size_t number) {
  MeasuredStage stage{.title = row.text("rate_rps") + " req/s",
                      .request_class = fmt::format("stage {}", number),
                      .regime = Regime::router_ladder,
                      .system = fmt::format("{}, {}", row.text("model"), row.text("arm").substr(0, 21)),
                      .prompt_tokens = shared_tokens + lengths_of(row).question_tokens,
                      .output_tokens = static_cast<double>(lengths_of(row).output_tokens)};
  stage.measured.push_back({ServerFigure::output_tokens_per_s, row.number("output_tok_s")});
  if (!row.text("ttft_mean_s").empty())
    stage.measured.push_back({ServerFigure::ttft_mean, row.number("ttft_mean_s")});
  if (!row.text("ttft_p50_s").empty()) stage.measured.push_back({ServerFigure::ttft_p50, row.number("ttft_p50_s")});
  return stage;
}

/// Rows name rates, which are those of the ladder in its order, behind the warm-up.
std::size_t number_of(const CsvRow& row) {
  for (std::size_t i = 0; i < ladder.size(); ++i)
    if (ladder[i].requests_per_s == row.number("rate_rps")) return i + 2;
  throw NoMatch("the ladder has no stage of " + row.text("rate_rps") + " requests/s");
}

MeasuredServer ladder_server(const RunRows& rows) {
  const CsvRow& row = *rows.front();
  const BundledGpu gpu = bundled_gpu("H100-SXM-80GB");
  const BundledLlm llm = bundled_llm(row.text("model") == "Qwen3-32B" ? "Qwen/Qwen3-32B" : row.text("model"));
  MeasuredServer server{.name = row.text("setup") + " " + row.text("arm"),
                        .model = llm.name,
                        .engine = "vllm-0.15",
                        .gpu = gpu.name,
                        .experts = llm.experts,
                        .layout = row.text("arm").starts_with("llm-d") ? "routed" : "one",
                        .load = "open",
                        .draws = draws_of_short_stages,
                        .scenario = ladder_scenario(row, llm, gpu)};
  for (const CsvRow* stage : rows) server.stages.push_back(ladder_stage(*stage, number_of(*stage)));
  return server;
}

}  // namespace

ReadServers router_ladder_servers(const std::string& file) {
  return read_runs(file, {"setup", "arm"}, ladder_server);
}

}  // namespace servecast
