#include "calibrate/servers/page/known_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "calibrate/servers/page/asked.h"
#include "calibrate/servers/page/errors_text.h"

namespace servecast {
namespace {

/// Why forecasts are off. Causes have measured figures alone: those of forecasts change with the model.
struct KnownGap {
  Regime regime;
  ServerFigure figure;
  std::string_view systems;  // a part of their names, empty: all of the regime
  const char* cause;
};

constexpr const char* expert_groups =
    "The router has a bias that keeps the load of experts even, so the forecast takes tables of groups under even "
    "routing. Those tables give one GPU of several twice its visits, and one alone half of the experts. The fit "
    "halves "
    "the former; where trained routers lie between is not known.";
constexpr const char* fp4_bursts =
    "Bursts of prompts in nvfp4 are computed at 0.7 of the rate of the tables' kernels. Llama in nvfp4 with "
    "TensorRT-LLM reaches the whole rate. Which kernels of experts ran is not on record.";
constexpr const char* short_prompts =
    "Short prompts wait until the host has launched the operations of a layer outside graphs. The rows have means "
    "alone, which do not tell how long one launch takes.";
constexpr const char* host_of_large_batches =
    "Steps have hundreds to thousands of sequences. What the host takes for so many is not known; long answers make "
    "most of these steps.";
constexpr const char* near_capacity =
    "The rate is within 7 % of capacity, where TPOT says little but how close a server is: it grows as 1 / (1 - "
    "share "
    "of time in use). Steps of Server and Interactive take an eighth longer than those of Offline with as many "
    "sequences. Their answers stream token by token through the harness (its llmlib/config.py), and the engine's "
    "host time is that of an offline run. Servers scatter as much: one had at 100 requests/s the TPOT of others at "
    "118.";
constexpr const char* deep_gemm_compiles =
    "First tokens take longer in the mean, whatever the prompts' length, as after a start. On Hopper each process "
    "compiles DeepGEMM's kernels when steps of a size first come, 1 s a kernel (DeepGEMM pull request 91), and keeps "
    "them in memory alone (TensorRT-LLM's examples/models/core/deepseek_v3). Rows do not tell what was compiled.";
constexpr const char* long_waits = "Single rows wait for 1 to 10 s between neighbours of 0.3 s.";
constexpr const char* full_prefill_workers =
    "Prefill workers are 70 to 95 % busy. A tenth of their rate is a queue of twice or half the length there.";

constexpr KnownGap known_gaps[]{
    {Regime::open_loop, ServerFigure::ttft_p99, "",
     "Cold prompts share steps with decodes in the first stage of each server. The P99 of a stage rests on a few "
     "requests."},
    {Regime::closed_loop_vllm, ServerFigure::ttft_mean, "llama-3.1-8b fp8, h200_sxm_141g, vllm-0.12",
     "28 µs for each token of a prompt pass before an answer begins, with two GPUs as with four. Dynamo serves these "
     "rows, and its handling of prompts has no term."},
    {Regime::closed_loop_vllm, ServerFigure::tpot_mean, "llama-3.1-8b fp8, h200_sxm_141g, vllm-0.12",
     "The benchmark's template asks for 50 requests for each client, so that most prompts come from the prefix "
     "cache. "
     "TPOT would agree with 20, TTFT would not."},
    {Regime::closed_loop_others, ServerFigure::ttft_mean, "llama-3.1-8b fp8_block, h200_sxm_141g, sglang-0.5",
     "Clients of equal lengths keep step in the simulator, so that the lag of the front end (next row) is gone when "
     "their next prompts come. Real clients do not keep step."},
    {Regime::closed_loop_others, ServerFigure::tpot_mean, "llama-3.1-8b fp8_block, h200_sxm_141g, sglang-0.5",
     "Dynamo runs SGLang without its tokeniser, and one process hands out all tokens (SGLang issue 29367). These "
     "servers give 14,000 to 20,000 tokens/s, with two GPUs as with eight; the front end's term, vLLM's 44 µs for a "
     "piece of an answer, allows 22,500."},
    {Regime::closed_loop_others, ServerFigure::ttft_mean, "qwen3-32b fp8_block, h100_sxm_80g, trtllm-1.0",
     "With 128 clients more prompts wait than the one that finds no room. Why is not known."},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, "deepseek-v3 fp8_block, h200_sxm_141g, trtllm-1.0",
     deep_gemm_compiles},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, "gpt-oss-120b mxfp4, h200_sxm_141g, trtllm-1.0",
     "Bursts of prompts on eight GPUs; tables do not say what the fullest group takes of few tokens."},
    {Regime::closed_loop_experts, ServerFigure::tpot_mean, "gpt-oss-120b mxfp4, h100_sxm_80g, trtllm-1.2",
     "This server decodes without graphs. Its 49 ms are 17 operations a layer of 80 µs, as if a Triton kernel were "
     "one "
     "operation; elsewhere it counts as two."},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, "gpt-oss-120b mxfp4, h100_sxm_80g, trtllm-1.2",
     "Two rows, both of the server in the row above."},
    {Regime::closed_loop_experts, ServerFigure::tpot_mean, "minimax-m2.5 fp8_block, h100_sxm_80g", expert_groups},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, "minimax-m2.5 fp8_block, h200_sxm_141g",
     "Experts are slices of 384 columns here, and whole on H100. Which kernels slices took is not on record."},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, "qwen3.5-397b-a17b fp8_block, h200_sxm_141g",
     short_prompts},
    {Regime::blackwell, ServerFigure::ttft_mean, "deepseek-v3 nvfp4, b200_sxm_180g, sglang-0.5",
     "The P99 of a row alone tells whether its process compiled kernels. Rows of 2025 without one count as if all "
     "had."},
    {Regime::blackwell, ServerFigure::ttft_mean, "deepseek-v3 fp8_block, b200_sxm_180g, sglang-0.5",
     "As in nvfp4; and bursts of fp8 prompts that fill a step load for 2 s more."},
    {Regime::blackwell, ServerFigure::tpot_mean, "deepseek-v3 nvfp4, b200_sxm_180g, sglang-0.5", expert_groups},
    {Regime::blackwell, ServerFigure::ttft_mean, "deepseek-v3 fp8_block, b200_sxm_180g, trtllm", short_prompts},
    {Regime::blackwell, ServerFigure::ttft_mean, "deepseek-v3 nvfp4, b200_sxm_180g, trtllm", short_prompts},
    {Regime::blackwell, ServerFigure::ttft_p99, "gpt-oss-120b mxfp4, b200_sxm_180g",
     "The longer a burst of prompts computes, the further short is the forecast. A clock that falls under load would "
     "look so; the model's clock is constant."},
    {Regime::blackwell, ServerFigure::tpot_mean, "gpt-oss-120b mxfp4, b200_sxm_180g, trtllm-1.2",
     "Two and four ranks with requests of their own: decodes of 32 clients take 4.0 to 4.3 ms, on two GPUs with "
     "split "
     "tensors 5.2. Gather and sum take 20 µs a layer by NCCL's own benchmark, which is not the cause alone."},
    {Regime::blackwell, ServerFigure::ttft_mean, "llama-3.1-70b nvfp4, b200_sxm_180g, vllm-0.15", fp4_bursts},
    {Regime::blackwell, ServerFigure::ttft_mean, "minimax-m2.5 nvfp4", fp4_bursts},
    {Regime::blackwell, ServerFigure::ttft_mean, "qwen3.5-397b-a17b", short_prompts},
    {Regime::blackwell, ServerFigure::output_tokens_per_s, "qwen3-30b-a3b nvfp4, gb200_186g",
     "A B200 with another host is a fifth faster with answers of 1,024 tokens, so the host sets the pace."},
    {Regime::disaggregated, ServerFigure::ttft_mean, "deepseek-v3 fp8_block, h100_sxm_80g", deep_gemm_compiles},
    {Regime::disaggregated, ServerFigure::ttft_mean, "deepseek-v3 fp8_block, b200_sxm_180g", full_prefill_workers},
    {Regime::disaggregated, ServerFigure::tpot_mean, "deepseek-v3 fp8_block, b200_sxm_180g",
     "Two descriptions of one server, experts in slices and whole, were measured alike; their forecasts differ."},
    {Regime::disaggregated, ServerFigure::ttft_mean, "deepseek-v3 nvfp4, gb300_288g, trtllm-1.2", long_waits},
    {Regime::disaggregated, ServerFigure::ttft_mean, "deepseek-v3 nvfp4, gb200_186g, trtllm-1.2", long_waits},
    {Regime::disaggregated, ServerFigure::tpot_mean, "deepseek-v3 nvfp4, gb200_186g, trtllm-1.2",
     "Decode batches of 8 to 64 under Dynamo 0.8: the servers are faster than the tables of their kernels."},
    {Regime::disaggregated, ServerFigure::ttft_mean, "gpt-oss-120b mxfp4, gb200_186g", full_prefill_workers},
    {Regime::disaggregated, ServerFigure::tpot_mean, "gpt-oss-120b mxfp4, gb200_186g",
     "At the 90th percentile decodes of a thousand sequences and more in two groups of experts; experts take 1.7 "
     "times "
     "their tables there, as is fitted on prompts, too."},
    {Regime::disaggregated, ServerFigure::ttft_mean, "qwen3-32b nvfp4, gb200_186g", full_prefill_workers},
    {Regime::disaggregated, ServerFigure::tpot_mean, "behind llm-d",
     "Which kernels of experts vLLM 0.27 takes to decode is not on record."},
    {Regime::prefill, ServerFigure::prompt_tokens_per_s, "gpt-oss-120b",
     "Experts take 1.2 times their tables, as is fitted on servers under load. An idle server is faster."},
    {Regime::prefill, ServerFigure::prompt_tokens_per_s, "deepseek-v3 fp8_block on 32 GPUs",
     "As above. No prompts of wide groups of experts were fitted, and of perfect balance none are timed."},
    {Regime::offline, ServerFigure::output_tokens_per_s, "gpt-oss-120b mxfp4, h100_sxm_80g", host_of_large_batches},
    {Regime::offline, ServerFigure::output_tokens_per_s, "gpt-oss-20b mxfp4", host_of_large_batches},
    {Regime::offline, ServerFigure::output_tokens_per_s, "llama-4-maverick fp8, h200_sxm_141g",
     "Answers of 8,192 tokens and more: as if KV had a third to a half of the memory that weights leave. On GB200 it "
     "has "
     "the whole."},
    {Regime::offline, ServerFigure::output_tokens_per_s, "deepseek-v3 fp8_block, h200_sxm_141g",
     host_of_large_batches},
    {Regime::offline, ServerFigure::output_tokens_per_s, "gh200_96g",
     "The kernels are the H100's, scaled, at the memory rate that STREAM finds. The host is faster than an H100's."},
    {Regime::offline, ServerFigure::output_tokens_per_s, "llama-3.1-70b bf16, a100_pcie_80g",
     "All-reduces are those timed on L40S, two GPUs' up to 20 GB/s; the A100's move 22. Two GPUs wait 250 µs rather "
     "than "
     "the 150 that two and four share."},
    {Regime::offline, ServerFigure::output_tokens_per_s, "llama-3.1-8b bf16, a100_pcie_80g",
     "Answers of 4,096 tokens: one clock is fitted for all batches."},
    {Regime::mlperf, ServerFigure::tpot_mean, "trtllm-0.15, Server", near_capacity},
    {Regime::mlperf, ServerFigure::tpot_mean, "trtllm-0.15, Interactive", near_capacity},
    {Regime::mlperf, ServerFigure::ttft_mean, "trtllm-0.15", near_capacity},
    {Regime::mlperf, ServerFigure::highest_rate, "trtllm-0.15, Interactive of 256 tokens",
     "P99 of TPOT, which is forecast short, is at its limit of 40 ms. A server of so few sequences grows slow "
     "only slowly with the rate."},
    {Regime::mlperf, ServerFigure::highest_rate, "12000 tokens", "Prompts of 870 tokens are assumed."},
    {Regime::mlperf, ServerFigure::highest_rate, "l40s_48g",
     "The server's token budget is taken to be vLLM's default: the submission does not name one. Its kernels are not "
     "the cause, as offline runs show."},
    {Regime::router_ladder, ServerFigure::output_tokens_per_s, "",
     "Stages of 20 s at one rate behind two routers differ by 8 to 48 % below the knee, so that no forecast can be "
     "within 5 % of both; runs of one setting lie 7 % apart."},
    {Regime::router_ladder, ServerFigure::ttft_mean, "gpt-oss-120b, llm-d prefix-affinity",
     "Beyond 35 requests/s. 14,300 to 15,500 tokens/s are the most of both models behind prefix affinity, and of "
     "gpt-oss-120b behind a random choice, so that something other than GPUs seems to bound them."},
    {Regime::router_ladder, ServerFigure::ttft_p50, "Qwen3-32B",
     "P50 jumps between 0.4 and 20 s from stage to stage, and is given in tenths of a second."},
    {Regime::kv_tiers, ServerFigure::ttft_mean, "HBM only",
     "Beyond the knee decodes take 8.0 s, as behind a choice at random: the router seems not to keep groups of "
     "prompts "
     "together there."},
    {Regime::kv_tiers, ServerFigure::e2e_mean, "HBM only", "As in the row above."},
    {Regime::kv_transfers, ServerFigure::kv_transfer_mean, "",
     "The H800 pair reaches 0.71 of its line rate, the pair that the engine's terms were fitted on 0.82."},
    {Regime::cold_start, ServerFigure::start_imports, "",
     "8.91e9 bytes of image at the page's own rate, without the streaming that lets imports begin earlier; imports "
     "of "
     "vLLM 0.10 on an H100 NVL, 12 s."},
    {Regime::cold_start, ServerFigure::start_gpu_load, "",
     "The rate of this model read whole in SGLang, 32 s (its pull request 7469), as the deployment's `eager` does. "
     "The "
     "machine is virtual and its sandbox gVisor."},
    {Regime::cold_start, ServerFigure::start_engine_init, "",
     "vLLM 0.10 on that H100 NVL: 3.8 s and 0.79 s a layer, of 15 models with 24 to 48 layers. In the sandbox a "
     "processor takes a third longer."},
    {Regime::cold_start, ServerFigure::wake, "",
     "65.5e9 bytes over PCIe at the rate of a server of one's own; the sandbox has half of that."},
};

const KnownGap* known_gap(const ComparedFigure& f) {
  const auto found = std::ranges::find_if(known_gaps, [&](const KnownGap& gap) {
    return gap.regime == f.regime && gap.figure == f.figure && f.system.find(gap.systems) != std::string::npos;
  });
  return found == std::end(known_gaps) ? nullptr : found;
}

/// Off by more in the median than is asked at the 90th percentile.
bool far_off(const Figures& rows) {
  const Asked* goal = asked_of(rows.front().regime, rows.front().figure);
  return goal && goal->p90 > 0 && summarise_errors(rows).median > goal->p90;
}

std::string gap_row(std::string_view systems, const Figures& rows, const char* cause) {
  const ErrorSummary s = summarise_errors(rows);
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", systems.empty() ? "all" : systems,
                     title_of(rows.front().figure), s.rows, errors_text(s), bias_text(s), cause);
}

}  // namespace

std::string known_gaps_section(Regime regime, std::span<const ComparedFigure> figures) {
  std::map<const KnownGap*, Figures> known;
  std::map<std::pair<std::string, ServerFigure>, Figures> others;
  for (const ComparedFigure& f : figures) {
    if (f.regime != regime || f.saturated) continue;
    if (const KnownGap* gap = known_gap(f))
      known[gap].push_back(f);
    else
      others[{f.system, f.figure}].push_back(f);
  }
  std::string rows;
  for (const auto& [gap, off] : known) rows += gap_row(gap->systems, off, gap->cause);
  for (const auto& [key, off] : others)
    if (far_off(off)) rows += gap_row(key.first, off, "not known");
  if (rows.empty()) return "";
  return "\n## Known gaps\n\n| systems | figure | rows | median / p90 error | bias | cause, as far as known "
         "|\n|---|---|---|---|---|---|\n" +
         rows;
}

}  // namespace servecast
