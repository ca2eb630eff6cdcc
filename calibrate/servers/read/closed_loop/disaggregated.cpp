// Prefill and decode on workers of their own: rows that say how many there are of each, and how their GPUs share the
// model.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/closed_loop/dynamo_recipes.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/split.h"
#include "models/base/escaped.h"
#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

constexpr const char* prefill_pool = "prefill";

/// What a request needs more under Dynamo with prefill and decode apart, at low load and less the KV's way: from
/// worker to worker and back. SGLang: its issue 22853. TensorRT-LLM: chosen on gpt-oss-120b on GB200 with 16 clients,
/// whose first tokens came 13 ms later than without.
double proxy_s(const std::string& engine) { return engine.starts_with("sglang") ? 0.2 : 0.013; }

struct Workers {
  std::int64_t count = 0;
  std::int64_t batch = 0;   // sequences of one rank
  std::int64_t tokens = 0;  // most in a step of all ranks
  RowShape shape{};

  std::int64_t gpus() const { return count * shape.gpus(); }
};

struct DisaggregatedRun {
  std::string id{};
  BundledGpu gpu{};
  BundledLlm llm{};
  std::string weights{};
  std::string engine{};
  std::string dynamo{};  // its version, where the row names it
  ClosedLoopLoad load{};
  Workers prefill{};
  Workers decode{};
  std::optional<double> decode_memory{};  // of what is free, KV's; else the engine's own
  RunDrafts drafts{};
  std::vector<Measurement> measured{};
};

RecipeWorkers deployment_of(const DisaggregatedRun& run) {
  return {.llm = run.llm.name,
          .dynamo = run.dynamo,
          .gpu = run.gpu.name,
          .weights = run.weights,
          .prompt_tokens = run.load.prompt_tokens,
          .prefill_workers = run.prefill.count,
          .decode_workers = run.decode.count,
          .decode_gpus = run.decode.shape.gpus(),
          .own_requests = run.decode.shape.attention_dp > 1};
}

std::string side_title(const char* side, const Workers& workers) {
  return fmt::format("{} {} x TP{} DP{} EP{}", side, workers.count, workers.shape.attention_tp,
                     workers.shape.attention_dp, workers.shape.moe_ep);
}

/// Of others than recipes name what the row says.
PrefillStep prefill_step(const DisaggregatedRun& run) {
  const auto recipe = run.engine.starts_with("trtllm") ? recipe_prefill_step(deployment_of(run)) : std::nullopt;
  if (recipe) return *recipe;
  const std::int64_t prompt = run.load.prompt_tokens;
  return {.prompts = run.prefill.batch, .tokens = std::max(prompt + 64, run.prefill.batch * prompt)};
}

void set_steps(DisaggregatedRun& run) {
  const PrefillStep step = prefill_step(run);
  RowShape& shape = run.prefill.shape;
  run.prefill.batch = step.prompts;
  run.prefill.tokens = step.tokens * shape.attention_dp;
  if (step.sliced_experts) shape.moe_tp *= std::exchange(shape.moe_ep, 1);
  run.decode.tokens =
      std::max<std::int64_t>(2048, (1 + run.drafts.count) * run.decode.batch * run.decode.shape.attention_dp);
}

bool of_first_recipes(const DisaggregatedRun& run) {
  return run.engine.starts_with("trtllm") && run.dynamo.starts_with("0.5");
}

/// A recipe's `moe_config.backend`, of workers that compute prompts or decode. Dynamo 0.5's says nothing of the
/// former. Others: TRTLLM, or with requests of their own on each rank CUTLASS, and from 16 ranks on WIDEEP.
std::string recipe_experts(const DisaggregatedRun& run, const Workers& workers, bool prefill) {
  const bool unsaid = prefill && of_first_recipes(run);
  const bool ranks = workers.shape.attention_dp > 1 && workers.shape.attention_dp < 16;
  return run.engine.starts_with("trtllm") && (unsaid || ranks) ? cutlass_experts(run.weights) : "";
}

/// Dynamo 0.5 sets TRTLLM_ENABLE_PDL for all workers where ranks that decode have no requests of their own
/// (performance_sweeps/benchmark_disagg.slurm).
std::string recipe_launches(const DisaggregatedRun& run) {
  return of_first_recipes(run) && run.decode.shape.attention_dp == 1 ? "dependent_launches: on" : "";
}

std::string expert_settings(const DisaggregatedRun& run, const Workers& workers, bool prefill) {
  return exchange_settings(workers.shape, run.gpu, run.engine, nvlink_from(run.llm)) +
         latency_settings({recipe_experts(run, workers, prefill), recipe_launches(run)});
}

/// SGLang's recipes (srt-slurm, recipes/gb200-fp8 and gb200-fp4: 1k1k/low-latency.yaml). In fp8 attention, experts
/// and products are TensorRT-LLM's kernels (trtllm_mla, flashinfer_trtllm).
std::string sglang_worker(const DisaggregatedRun& run, bool prefill, std::int64_t sequences, std::int64_t ranks) {
  const std::string kernels =
      run.weights == "fp8_block" ? fmt::format("    latency: {{profile: {}.trtllm}}\n", run.gpu.name) : "";
  return fmt::format(
      R"(    stream_interval: 50
    batcher: {{policy: sglang, chunked_prefill_size: {}, max_running_requests: {}, scheduler_recv_interval: 10}}
    kv_cache: {{policy: paged}}
    memory: {{gpu_memory_utilization: 0.95}}
{})",
      8192 * ranks, prefill ? 512 * ranks : sequences, kernels);
}

/// TensorRT-LLM's decode workers run the batch of the recipe on each rank, its prefill workers a step at a time
/// (disable_overlap_scheduler).
std::string pool(const DisaggregatedRun& run, const char* name, const Workers& workers, const std::string& rest) {
  const bool prefill = name == std::string_view(prefill_pool);
  const std::int64_t ranks = workers.shape.attention_dp;
  const std::int64_t sequences = workers.batch * ranks;
  const std::string of_engine = run.engine.starts_with("sglang")
                                    ? sglang_worker(run, prefill, sequences, ranks)
                                    : fmt::format("    stream_interval: {}\n{}", dynamo_stream_interval,
                                                  trtllm_batcher(!prefill, sequences, workers.tokens));
  return fmt::format(
      R"(  - name: {}
    llm: {}
    gpu: {}
{}    sampling: greedy
    replicas: {}
{}{}    kv_cache_dtype: fp8
{}{})",
      name, run.llm.name, run.gpu.name, weight_settings(run.weights, run.gpu), workers.count, dynamo_tokenizers,
      shape_settings(workers.shape, run.llm) + expert_settings(run, workers, prefill), of_engine, rest);
}

std::string decode_settings(const DisaggregatedRun& run) {
  std::string text;
  if (run.decode_memory) text += fmt::format("    memory: {{gpu_memory_utilization: {}}}\n", *run.decode_memory);
  return text + draft_settings(run.drafts);
}

std::string disaggregated_scenario(const DisaggregatedRun& run) {
  const std::int64_t per_node = load_node(run.gpu.node, {}).gpus;
  const std::int64_t gpus = run.prefill.gpus() + run.decode.gpus();
  return fmt::format(
      R"(name: {}
{}cluster: {{node: {}, nodes: {}, fabric: single_switch}}
pools:
{}{})",
      yaml_text(run.id), workload_text(run.load), run.gpu.node,
      (gpus + per_node - 1) / per_node + (run.prefill.shape.gpus() > per_node ? 1 : 0),
      pool(run, prefill_pool, run.prefill,
           fmt::format("    placement: {{policy: disaggregated, decode_pool: decode, proxy_s: {}}}\n",
                       proxy_s(run.engine))),
      pool(run, "decode", run.decode, decode_settings(run)));
}

MeasuredServer disaggregated_server(DisaggregatedRun run) {
  set_steps(run);
  return {.name = run.id,
          .model = run.llm.name,
          .engine = run.engine,
          .gpu = run.gpu.name,
          .experts = run.llm.experts,
          .layout = "apart",
          .fitting = is_fitted_on(run.engine, run.gpu.name, run.llm.name, run.weights),
          .pools = 2,
          .scenario = disaggregated_scenario(run),
          .stages = {{.title = fmt::format("{}, {}, {}/{}, {} clients", side_title("prefill", run.prefill),
                                           side_title("decode", run.decode), run.load.prompt_tokens,
                                           run.load.output_tokens, run.load.clients),
                      .regime = Regime::disaggregated,
                      .system = fmt::format("{} {}, {}, {}", run.llm.name, run.weights, run.gpu.name, run.engine),
                      .measured = run.measured}}};
}

Workers workers_of(const CsvRow& row, const std::string& prefix) {
  if (row.text(prefix + "num_workers").empty())
    throw NoMatch("the row does not say how many prefill and decode workers there were");
  return {.count = row.count(prefix + "num_workers"),
          .batch = row.count_or_one(prefix + "batch_size"),
          .shape = row_shape(row, prefix)};
}

/// The rows name Dynamo's version, not the engine's: TensorRT-LLM 1.1 under Dynamo 0.5 (its 0.5.1: 1.1.0rc5), 1.2
/// under 0.7 and 0.8, SGLang 0.5.
std::string engine_under_dynamo(const std::string& backend, const std::string& dynamo) {
  if (backend == "trtllm") return engine_file(backend, dynamo.starts_with("0.5") ? "1.1" : "1.2");
  if (backend == "sglang") return "sglang-0.5";
  throw NoMatch(fmt::format("no disaggregated server of '{}' is known; those of trtllm and sglang are", backend));
}

}  // namespace

MeasuredServer disaggregated_server_of_sample(const CsvRow& row) {
  DisaggregatedRun run{.id = row.text("id"),
                       .gpu = bundled_gpu(row.text("system")),
                       .llm = bundled_llm(row.text("model_path")),
                       .engine = engine_under_dynamo(row.text("backend"), row.text_if_there("backend_version")),
                       .dynamo = row.text_if_there("backend_version"),
                       .load = {.clients = row.count("concurrency"),
                                .prompt_tokens = row.count("isl"),
                                .output_tokens = row.count("osl"),
                                .shortest = inference_max_shortest},
                       .prefill = workers_of(row, "prefill_"),
                       .decode = workers_of(row, "decode_"),
                       .measured = {{ServerFigure::tpot_mean, seconds_of_ms * row.number("silicon_tpot_ms")},
                                    {ServerFigure::ttft_mean, seconds_of_ms * row.number("silicon_ttft_ms")}}};
  run.weights = bundled_weights(row.text("precision"), run.llm);
  return disaggregated_server(run);
}

namespace {

/// With requests of their own (dp_attention) a worker's GPUs are as many ranks; whole experts over `ep` of them.
RowShape inference_max_shape(const CsvRow& row, const std::string& prefix) {
  const std::int64_t gpus = row.count(prefix + "tp");
  const bool own_requests = row.text(prefix + "dp_attention") == "true";
  const std::int64_t spread = row.count_or_one(prefix + "ep");
  return {.attention_tp = own_requests ? 1 : gpus,
          .attention_dp = own_requests ? gpus : 1,
          .moe_tp = gpus / spread,
          .moe_ep = spread};
}

/// Drafts as often right as the answers' pieces say: TPOT is the client's, ITL that between pieces.
void follow_recipe(DisaggregatedRun& run, const CsvRow& row) {
  RecipeWorkers deployment = deployment_of(run);
  deployment.drafts = row.text("spec_decoding") == "mtp";
  const DecodeStep step = recipe_decode_step(deployment);
  run.decode.batch = step.sequences;
  run.decode_memory = step.memory;
  if (step.drafts == 0) return;
  const double output = (1 + inference_max_shortest) / 2 * row.number("osl");
  const double tokens = tokens_per_step(row.number("mean_itl"), row.number("mean_tpot"), output);
  run.drafts = {.count = step.drafts, .acceptance = acceptance_of(tokens, step.drafts)};
}

}  // namespace

MeasuredServer disaggregated_server_of_inference_max(const CsvRow& row) {
  const std::string& framework = row.text("framework");
  const std::string dynamo = version_of_image(row.text("image"));
  DisaggregatedRun run{
      .id = row.text("run_id"),
      .gpu = bundled_gpu(row.text("hw")),
      .llm = bundled_llm(row.text("model")),
      .engine = engine_under_dynamo(framework == "dynamo-trt" ? "trtllm" : framework, dynamo),
      .dynamo = dynamo,
      .load = {.clients = row.count("conc"),
               .prompt_tokens = row.count("isl"),
               .output_tokens = row.count("osl"),
               .shortest = inference_max_shortest},
      .prefill = {.count = row.count("prefill_num_workers"),
                  .batch = 1,
                  .shape = inference_max_shape(row, "prefill_")},
      .decode = {.count = row.count("decode_num_workers"), .shape = inference_max_shape(row, "decode_")}};
  run.weights = bundled_weights(row.text("precision"), run.llm);
  follow_recipe(run, row);
  run.measured = {{ServerFigure::tpot_mean, row.number("mean_tpot")},
                  {ServerFigure::ttft_mean, row.number("mean_ttft")},
                  {ServerFigure::ttft_p99, row.number("p99_ttft")},
                  {ServerFigure::output_tokens_per_s,
                   row.number("output_tput_per_gpu") * static_cast<double>(run.decode.gpus())}};
  return disaggregated_server(run);
}

}  // namespace servecast
