#include <fmt/format.h>

#include <array>
#include <string_view>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/closed_loop/dynamo_recipes.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"

namespace servecast {
namespace {

constexpr std::string_view shapes_are_told_from = "2025-12";  // by InferenceMAX's results

/// AIConfigurator's sample keeps rows of InferenceMAX beside its own: their ids say so.
bool is_of_inference_max(const CsvRow& row) {
  const std::string& id = row.text("id");
  return id.starts_with("2026_") || id.find("_cfg") != std::string::npos || id.find("_gap_ana") != std::string::npos;
}

/// Rows of 2025 without a version: what the scripts of those months ran.
std::string version_of(const std::string& backend, const std::string& version) {
  if (!version.empty() && version != "gpt-oss-dev") return version;
  constexpr std::array<std::array<std::string_view, 2>, 3> of_2025{
      {{"vllm", "0.11"}, {"sglang", "0.5.5"}, {"trtllm", "1.1"}}};
  for (const auto& [name, release] : of_2025)
    if (backend == name) return std::string(release);
  return version;
}

void check_aggregated(const CsvRow& row) {
  if (row.text("mode") != "agg")
    throw NoMatch(fmt::format("mode '{}' is not known; agg and disagg are", row.text("mode")));
  if (row.text("concurrency").empty()) throw NoMatch("the row does not say how many clients there were");
  if (row.text("system") == "gb200" && row.count_or_one("tp_size") > 4)
    throw NoMatch("TP of more GPUs than a tray has: the GPUs of a disaggregated run, summed");
}

/// AIConfigurator asks as many workers as concurrency holds batch_size, each with a share of the clients.
std::int64_t clients_per_worker(const CsvRow& row) {
  const std::int64_t clients = row.count("concurrency");
  if (row.text_if_there("batch_size").empty()) return clients;
  const std::int64_t batch = row.count("batch_size");
  return clients % batch == 0 ? batch : clients;
}

/// Rows of a dump do not mark drafts. InferenceMAX's change log (perf-changelog.yaml, pull requests 392, 626, 632 and
/// 642) names the images and days of its runs of DeepSeek with them on B200: TensorRT-LLM 1.1.0rc2.post2 of January
/// 2026 and 1.2.0rc6.post3 (without: .post2), and SGLang's configuration of 4 to 512 clients. They make a token in
/// half the time of the same servers without. So do those of Qwen3.5 in fp8 with SGLang 0.5.9 (pull request 897),
/// whose answers of 8,192 tokens take a fifth less time a token than those of 1,024: longer ones take longer without
/// drafts.
bool drafts_unmarked(const CsvRow& row, const std::string& llm) {
  const std::string& version = row.text("backend_version");
  if (row.text("system") != "b200_sxm") return false;
  if (llm == "qwen3.5-397b-a17b") return version == "0.5.9" && row.text("precision") == "fp8";
  if (llm != "deepseek-v3") return false;
  if (row.text("backend") == "sglang") return version == "0.5.9" && row.text("id").starts_with("2026_");
  return version == "1.2.0rc6.post3" || (version == "1.1.0rc2.post2" && row.text("measured") >= "2026-01-14");
}

/// TensorRT-LLM's scripts for DeepSeek (dsr1_fp*_b200_trt_mtp.sh): three drafts, with requests of each rank one. How
/// often they are right is what other rows of the benchmark tell; of other models and engines none does.
RunDrafts unmarked_drafts(const ClosedLoopRun& run) {
  if (run.backend != "trtllm")
    throw NoMatch("drafts (multi-token prediction), which the row does not mark: their acceptance is not told");
  const std::int64_t count = run.shape.attention_dp > 1 ? 1 : 3;
  const double tokens = tokens_per_step_elsewhere(count, run.load.prompt_tokens, run.load.output_tokens);
  return {.count = count, .acceptance = acceptance_of(tokens, count)};
}

/// Columns say "fp8" of weights in blocks, too. Dynamo's recipes for Qwen3-32B take Qwen's own checkpoint
/// (docs.nvidia.com/dynamo/recipes/qwen3-32b-fp8).
bool in_blocks(const CsvRow& row) {
  return row.text_if_there("gemm_quant_mode") == "fp8_block" || row.text_if_there("moe_quant_mode") == "fp8_block" ||
         (row.text("precision") == "fp8" && fp8_in_blocks(row.text("model_path")));
}

/// closed_loop_h100.csv and aic_silicon_*.csv: of AIConfigurator.
MeasuredServer server_of_sample(const CsvRow& row) {
  if (row.text("mode") == "disagg") return disaggregated_server_of_sample(row);
  check_aggregated(row);
  ClosedLoopRun run{
      .id = row.text("id"),
      .gpu = bundled_gpu(row.text("system")),
      .llm = bundled_llm(row.text("model_path")),
      .backend = row.text("backend"),
      .version = version_of(row.text("backend"), row.text("backend_version")),
      .measured_on = row.text_if_there("measured"),
      .shape = row_shape(row),
      .load = {
          .clients = row.count("concurrency"), .prompt_tokens = row.count("isl"), .output_tokens = row.count("osl")}};
  const bool older_sample = !row.has("measured");  // closed_loop_h100.csv: vLLM's rows are InferenceMAX's
  run.inference_max = older_sample ? run.backend == "vllm" : is_of_inference_max(row);
  if (run.inference_max) {
    run.load.shortest = inference_max_shortest;
    if (run.measured_on.starts_with("2025")) run.first_use = first_use_of(run.backend, {});
  } else {
    // Of the older sample TTFT grows with the answers' length, of later rows it does not.
    run.waiting_clients = older_sample && run.backend == "trtllm" ? 1 : 0;
    run.load.clients = clients_per_worker(row);
    set_generated_load(run);
  }
  if (row.has("measured") && drafts_unmarked(row, run.llm.name)) run.drafts = unmarked_drafts(run);
  run.weights = bundled_weights(in_blocks(row) ? "fp8_block" : row.text("precision"), run.llm);
  if (run.inference_max && !run.measured_on.empty() && run.measured_on < shapes_are_told_from)
    set_scripted_shape(run);
  run.measured.push_back({ServerFigure::tpot_mean, seconds_of_ms * row.number("silicon_tpot_ms")});
  // TensorRT-LLM's rows of the older sample: TTFT grows with the output's length, so start-up effects are inside.
  if (!older_sample || run.backend == "vllm")
    run.measured.push_back({ServerFigure::ttft_mean, seconds_of_ms * row.number("silicon_ttft_ms")});
  return closed_loop_server(run);
}

/// inferencemax_*.csv: full latency columns; experts over as many GPUs as `ep` says, 1 for slices of them.
MeasuredServer server_of_inference_max(const CsvRow& row) {
  if (row.text("disagg") == "True") return disaggregated_server_of_inference_max(row);
  if (row.text("spec_decoding") != "none")
    throw NoMatch("drafts (multi-token prediction): their acceptance is not told");
  const std::string& framework = row.text("framework");
  if (framework != "vllm" && framework != "sglang" && framework != "trt")
    throw NoMatch(
        fmt::format("no closed-loop server of '{}' is known; those of vllm, sglang and trt are", framework));
  const std::int64_t gpus = row.count("tp");
  const bool own_requests = row.text("dp_attention") == "true";
  ClosedLoopRun run{.id = row.text("run_id"),
                    .gpu = bundled_gpu(row.text("hw")),
                    .llm = bundled_llm(row.text("model")),
                    .backend = framework == "trt" ? "trtllm" : framework,
                    .version = version_of_image(row.text("image")),
                    .shape = {.attention_tp = own_requests ? 1 : gpus,
                              .attention_dp = own_requests ? gpus : 1,
                              .moe_tp = gpus / row.count_or_one("ep"),
                              .moe_ep = row.count_or_one("ep")},
                    .load = {.clients = row.count("conc"),
                             .prompt_tokens = row.count("isl"),
                             .output_tokens = row.count("osl"),
                             .shortest = inference_max_shortest},
                    .inference_max = true};
  run.weights = bundled_weights(row.text("precision"), run.llm);
  run.first_use = first_use_of(run.backend, row.number("p99_ttft"));
  run.measured = {{ServerFigure::tpot_mean, row.number("mean_tpot")},
                  {ServerFigure::ttft_mean, row.number("mean_ttft")},
                  {ServerFigure::ttft_p50, row.number("median_ttft")},
                  {ServerFigure::ttft_p99, row.number("p99_ttft")},
                  {ServerFigure::e2e_mean, row.number("mean_e2el")}};
  return closed_loop_server(run);
}

}  // namespace

ReadServers closed_loop_servers(const std::string& file) { return read_rows(file, server_of_sample); }
ReadServers inference_max_servers(const std::string& file) { return read_rows(file, server_of_inference_max); }

}  // namespace servecast
