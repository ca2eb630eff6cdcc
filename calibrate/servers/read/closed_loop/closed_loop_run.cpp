#include "calibrate/servers/read/closed_loop/closed_loop_run.h"

#include <fmt/format.h>

#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/split.h"
#include "models/base/escaped.h"
#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

Regime regime_of(const ClosedLoopRun& run) {
  if (run.gpu.blackwell) return Regime::blackwell;
  if (run.llm.experts) return Regime::closed_loop_experts;
  return run.backend == "vllm" ? Regime::closed_loop_vllm : Regime::closed_loop_others;
}

void check_room(const ClosedLoopRun& run) {
  const std::int64_t most = load_node(run.gpu.node, {}).gpus;
  if (run.shape.gpus() > most)
    throw NoMatch(fmt::format("{} GPUs are no share of a {} of {}", run.shape.gpus(), run.gpu.node, most));
}

/// InferenceMAX runs vLLM with async-scheduling, which 0.14 made the default.
std::string engine_of(const ClosedLoopRun& run) {
  return engine_file(run.backend, run.inference_max && run.backend == "vllm" ? "0.14" : run.version);
}

std::string shape_title(const RowShape& shape) {
  std::string text = fmt::format("TP{}", shape.attention_tp);
  if (shape.attention_dp > 1) text += fmt::format(" DP{}", shape.attention_dp);
  if (shape.moe_ep > 1) text += fmt::format(" EP{}", shape.moe_ep);
  if (shape.stages > 1) text += fmt::format(" PP{}", shape.stages);
  return text;
}

/// On Hopper InferenceMAX has vLLM compute experts in MXFP4 with Marlin (VLLM_MXFP4_USE_MARLIN=1 in
/// gptoss_fp4_h100.sh and gptoss_fp4_h200.sh). Tables have that kernel with int4 weights, whose times stand in.
std::string weights_of(const ClosedLoopRun& run) {
  const bool by_marlin = run.inference_max && run.backend == "vllm" && run.weights == "mxfp4" && !run.gpu.blackwell;
  return by_marlin ? "    weights: auto\n    expert_weights: int4\n" : weight_settings(run.weights, run.gpu);
}

/// InferenceMAX's scripts: TRTLLM_FORCE_ALLTOALL_METHOD is MNNVL for gpt-oss wherever experts are whole, and ranks
/// with requests of their own compute experts by CUTLASS.
std::string expert_settings(const ClosedLoopRun& run) {
  const bool forced = run.inference_max && run.llm.name == "gpt-oss-120b";
  const bool cutlass = run.inference_max && run.backend == "trtllm" && run.shape.attention_dp > 1;
  return exchange_settings(run.shape, run.gpu, engine_of(run), forced ? 2 : nvlink_from(run.llm)) +
         latency_settings(
             {cutlass ? cutlass_experts(run.weights) : "", run.inference_max ? "" : generated_graphs(run)});
}

std::string scenario(const ClosedLoopRun& run) {
  return fmt::format(
      R"(name: {}
{}cluster: {{node: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
{}    sampling: greedy
{}{}{})",
      yaml_text(run.id), workload_text(run.load), run.gpu.node, run.llm.name, run.gpu.name, weights_of(run),
      (run.first_use.empty() ? "" : fmt::format("    first_use: {}\n", run.first_use)) + draft_settings(run.drafts),
      shape_settings(run.shape, run.llm),
      expert_settings(run) + (run.inference_max ? scripted_settings(run) : generated_settings(run)));
}

}  // namespace

std::string vllm_batcher(const ClosedLoopRun& run, std::int64_t tokens, std::int64_t sequences) {
  return fmt::format(
      "    batcher: {{policy: vllm_v1, max_num_batched_tokens: {}, max_num_seqs: {}, scheduler_reserve_full_isl: "
      "{}}}\n",
      tokens, sequences, is_from(run.version, "0.19"));
}

std::string trtllm_batcher(bool overlap, std::int64_t sequences, std::int64_t tokens, const std::string& more) {
  return fmt::format(
      "    batcher: {{policy: trtllm, overlap_scheduler: {}, max_batch_size: {}, max_num_tokens: {}{}}}\n"
      "    kv_cache: {{policy: paged_reserved, block_tokens: 32}}\n",
      overlap, sequences, tokens, more);
}

std::string draft_settings(const RunDrafts& drafts) {
  if (drafts.count == 0) return "";
  return fmt::format(
      "    speculative: {{policy: mtp, num_speculative_tokens: {}, acceptance: {{rate_fraction: {:.4f}}}}}\n",
      drafts.count, drafts.acceptance);
}

std::string workload_text(const ClosedLoopLoad& load) {
  const std::string prompts =
      load.distinct_prompts == 0
          ? ""
          : fmt::format("    shared_prefix: {{groups: 1, prompts_per_group: {}}}\n", load.distinct_prompts);
  return fmt::format(R"(workload:
  generate:
    requests: {}
    arrivals: {{closed_loop: {{clients: {}}}}}
{}    prompt_tokens: {{uniform: {{min: {}, max: {}}}}}
    output_tokens: {{uniform: {{min: {}, max: {}}}}}
)",
                     load.rounds * load.clients, load.clients, prompts,
                     load.shortest * static_cast<double>(load.prompt_tokens), load.prompt_tokens,
                     load.shortest * static_cast<double>(load.output_tokens), load.output_tokens);
}

MeasuredServer closed_loop_server(const ClosedLoopRun& run) {
  check_room(run);
  const std::string engine = engine_of(run);
  return {.name = run.id,
          .model = run.llm.name,
          .engine = engine,
          .gpu = run.gpu.name,
          .experts = run.llm.experts,
          .fitting = is_fitted_on(engine, run.gpu.name, run.llm.name, run.weights),
          .scenario = scenario(run),
          .stages = {{.title = fmt::format("{}, {}/{}, {} clients", shape_title(run.shape), run.load.prompt_tokens,
                                           run.load.output_tokens, run.load.clients),
                      .regime = regime_of(run),
                      .system = fmt::format("{} {}, {}, {}", run.llm.name, run.weights, run.gpu.title(), engine),
                      .measured = run.measured}}};
}

}  // namespace servecast
