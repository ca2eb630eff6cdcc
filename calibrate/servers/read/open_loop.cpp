#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/published.h"
#include "calibrate/servers/read/split.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

constexpr double pause_s = 60;              // between stages: the tool waits until all is answered
constexpr double clients_wait_s = 300;      // then they give up
constexpr std::int64_t prompt_groups = 10;  // the tool's defaults: the keys in the file were unknown to it
constexpr std::int64_t prompts_per_group = 10;
constexpr std::int64_t half_block = 8;  // prompts differ a little in length, so their last blocks are filled in part

constexpr auto open_loop_engine = "vllm-0.15";

/// What the column `engine` begins with; the measured runs are of early 2026 and do not say the version.
constexpr std::array open_loop_engines{"vLLM (v1", "vLLM 0.15"};

void check_engine(const CsvRow& row) {
  const std::string& engine = row.text("engine");
  if (std::ranges::none_of(open_loop_engines, [&](const char* known) { return engine.starts_with(known); }))
    throw NoMatch(fmt::format("no open-loop server of engine '{}' is known; those of vLLM 0.15 are", engine));
}

/// More came than was answered, or clients waited for minutes.
bool saturated(const CsvRow& row) { return row.number("failures") > 0; }

std::string arrivals(const RunRows& stages) {
  std::string text;
  for (const CsvRow* row : stages)
    text += fmt::format("{}{{requests_per_s: {}, duration_s: {}, pause_s: {}}}", text.empty() ? "" : ", ",
                        row->text("rate_rps"), row->text("duration_s"), text.empty() ? 0 : pause_s);
  return text;
}

std::string scenario(const RunRows& stages, const BundledLlm& llm) {
  const CsvRow& row = *stages.front();
  const BundledGpu gpu = bundled_gpu(row.text("gpu"));
  const std::int64_t system_tokens = row.count("system_prompt_len");
  const std::int64_t question_tokens = std::llround(row.number("prompt_len_mean")) - system_tokens;
  return fmt::format(R"(name: {}
workload:
  client_timeout_s: {}
  generate:
    arrivals: {{stages: [{}]}}
    shared_prefix: {{groups: {}, prompts_per_group: {}, system_tokens: {}}}
    prompt_tokens: {{uniform: {{min: {}, max: {}}}}}
    output_tokens: {{fixed: {}}}
cluster: {{node: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
    tensor_parallel: {}
    batcher: {{policy: vllm_v1, max_num_batched_tokens: {}, max_num_seqs: {}, scheduler_reserve_full_isl: false}}
    kv_cache: {{policy: paged_prefix}}
)",
                     yaml_text(row.text("experiment")), clients_wait_s, arrivals(stages), prompt_groups,
                     prompts_per_group, system_tokens, question_tokens - half_block, question_tokens + half_block,
                     row.text("output_len"), gpu.node, llm.name, gpu.name, row.text("tp"),
                     row.text("max_num_batched_tokens"), row.text("max_num_seqs"));
}

MeasuredStage stage(const CsvRow& row, bool first, bool several) {
  MeasuredStage stage{.title = row.text("rate_rps") + " req/s",
                      .request_class = several ? "stage " + std::to_string(row.count("stage") + 1) : "",
                      .regime = Regime::open_loop,
                      .system = fmt::format("{}, {}", row.text("model"), row.text("gpu")),
                      .warm = !first,
                      .saturated = saturated(row),
                      .prompt_tokens = std::llround(row.number("prompt_len_mean")),
                      .output_tokens = row.number("output_len")};
  stage.measured.push_back({ServerFigure::e2e_mean, row.number("e2e_mean_s")});
  stage.measured.push_back({ServerFigure::ttft_mean, row.number("ttft_mean_s")});
  if (!stage.saturated) {
    if (row.has("ttft_p50_s")) stage.measured.push_back({ServerFigure::ttft_p50, row.number("ttft_p50_s")});
    stage.measured.push_back({ServerFigure::ttft_p99, row.number("ttft_p99_s")});
  }
  const double gaps = row.number("output_len") - 1;
  stage.measured.push_back({ServerFigure::tpot_mean, (row.number("e2e_mean_s") - row.number("ttft_mean_s")) / gaps});
  return stage;
}

MeasuredServer open_loop_server(const RunRows& stages) {
  const CsvRow& row = *stages.front();
  check_engine(row);
  const BundledLlm llm = bundled_llm(row.text("model"));
  const std::string gpu = bundled_gpu(row.text("gpu")).name;
  MeasuredServer server{.name = row.text("experiment"),
                        .model = llm.name,
                        .engine = open_loop_engine,
                        .gpu = gpu,
                        .experts = llm.experts,
                        .load = "open",
                        .fitting = is_fitted_on(open_loop_engine, gpu, llm.name, {}),
                        .scenario = scenario(stages, llm)};
  for (const CsvRow* stage_row : stages)
    server.stages.push_back(stage(*stage_row, stage_row == stages.front(), stages.size() > 1));
  return server;
}

}  // namespace

ReadServers open_loop_servers(const std::string& file) { return read_runs(file, {"experiment"}, open_loop_server); }

}  // namespace servecast
