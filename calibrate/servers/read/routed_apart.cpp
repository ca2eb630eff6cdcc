// llm-d's guide to prefill and decode apart: vLLM servers behind its router, stages of rising rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/published.h"

namespace servecast {
namespace {

/// Its load "eviction": 60 s of Poisson arrivals at each rate and 60 s without any behind it.
constexpr std::array<int, 8> eviction_rates{5, 10, 15, 20, 25, 30, 35, 40};
constexpr double eviction_stage_s = 60;
constexpr std::int64_t eviction_shared_tokens = 16'000;
constexpr std::int64_t eviction_question_tokens = 256;
constexpr std::int64_t eviction_answer_tokens = 256;
constexpr std::int64_t eviction_block_tokens = 128;
constexpr std::int64_t prefill_kv_tokens = 1'630'790;  // of each server, as the page tells

std::string eviction_arrivals() {
  std::string text;
  for (const int rate : eviction_rates)
    text += fmt::format("{}{{requests_per_s: {}, duration_s: {}, pause_s: {}}}", text.empty() ? "" : ", ", rate,
                        eviction_stage_s, text.empty() ? 0 : eviction_stage_s);
  return text;
}

/// Scores of llm-d's router as the page weighs them: the prompt's beginning 3, the queue 2, free KV 2; to decode the
/// server with the fewest requests.
std::string apart_scenario(const BundledLlm& llm, const BundledGpu& gpu) {
  const std::string served = fmt::format("    llm: {}\n    gpu: {}\n{}    sampling: greedy\n", llm.name, gpu.name,
                                         weight_settings(bundled_weights("", llm), gpu));
  return fmt::format(
      R"(name: gpt-oss-120b, prefill and decode apart behind llm-d
workload:
  generate:
    arrivals: {{stages: [{}], stage_gaps: poisson, next_stage: drained}}
    shared_prefix: {{groups: 1000, prompts_per_group: 5, system_tokens: {}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}, nodes: 2, fabric: single_switch}}
pools:
  - name: prefill
{}    replicas: 8
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: 1024}}
    kv_cache: {{policy: paged_prefix, block_tokens: {}, num_gpu_blocks_override: {}}}
    router: {{policy: llmd, prefix_weight: 3, queue_weight: 2, kv_weight: 2, no_hit_weight: 0, lru_tokens: {}}}
    placement: {{policy: disaggregated, decode_pool: decode, transfer_engine: {{kind: nixl}}}}
  - name: decode
{}    replicas: 2
    tensor_parallel: 4
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: 1024}}
    kv_cache: {{policy: paged_prefix, block_tokens: {}}}
    router: {{policy: least_requests}}
)",
      eviction_arrivals(), eviction_shared_tokens, eviction_question_tokens, eviction_answer_tokens, gpu.node, served,
      eviction_block_tokens, prefill_kv_tokens / eviction_block_tokens, prefill_kv_tokens, served,
      eviction_block_tokens);
}

MeasuredStage eviction_stage(const CsvRow& row, const std::string& system) {
  MeasuredStage stage{.title = row.text("target_rps") + " req/s",
                      .regime = Regime::disaggregated,
                      .system = system,
                      .prompt_tokens = eviction_shared_tokens + eviction_question_tokens,
                      .output_tokens = eviction_answer_tokens};
  if (row.text("workload").starts_with("eviction stage")) {
    const auto at = std::ranges::find(eviction_rates, row.count("target_rps"));
    stage.request_class = fmt::format("stage {}", at - eviction_rates.begin() + 1);
    stage.measured = {{ServerFigure::e2e_p90, row.number("e2e_p90_s")}};
  } else {
    stage.measured = {{ServerFigure::e2e_mean, row.number("e2e_mean_s")},
                      {ServerFigure::ttft_mean, row.number("ttft_mean_s")},
                      {ServerFigure::tpot_mean, seconds_of_ms * row.number("tpot_mean_ms")}};
  }
  return stage;
}

MeasuredServer routed_apart_server(const RunRows& rows) {
  if (rows.front()->text("arm") != "PD NIXL") throw NoMatch("the size of the CPU memory is not told");
  const BundledLlm llm = bundled_llm("gpt-oss-120b");
  const BundledGpu gpu = bundled_gpu("h200_sxm");
  MeasuredServer server{.name = "gpt-oss-120b PD NIXL",
                        .model = llm.name,
                        .engine = "vllm-0.15",
                        .gpu = gpu.name,
                        .experts = true,
                        .layout = "apart",
                        .load = "open",
                        .draws = draws_of_short_stages,
                        .pools = 2,
                        .scenario = apart_scenario(llm, gpu)};
  for (const CsvRow* row : rows)
    server.stages.push_back(eviction_stage(*row, llm.name + " mxfp4, " + gpu.name + ", vllm-0.15 behind llm-d"));
  return server;
}

}  // namespace

ReadServers routed_apart_servers(const std::string& file) { return read_runs(file, {"arm"}, routed_apart_server); }

}  // namespace servecast
