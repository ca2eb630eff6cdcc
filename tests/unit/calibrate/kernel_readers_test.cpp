// Readers of what `servecast-calibrate measure` times: of each kernel, a profile in which it is slow makes some step
// of some model slow. A kernel that nothing reads fails here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/plan/series.h"
#include "models/hw/profile/profile_latency.h"
#include "models/hw/profile/transfer_law.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::kernel_readers_test {

constexpr ExpertLayer qwen{.hidden = 2048, .width = 768, .experts = 128, .top_k = 8};

/// As the fitter names it. Experts under skewed routing are fitted layer by layer.
FittedOperator fit_of(const Series& series) {
  const bool layered = series.like.op == "moe" && series.like.mode != "balanced";
  return {.op = layered ? "moe_layer" : series.like.op,
          .dtype = series.like.op == "elementwise" ? "" : series.like.dtype,
          .kv_dtype = series.like.kv_dtype,
          .mode = series.like.mode,
          .head_dim = series.like.shape.head_dim,
          .layer = layered ? qwen : ExpertLayer{},
          .law = {.launch_s = series.like.op == "launch" ? 1e-9 : 1e-6, .flop_per_s = 1e15, .bytes_per_s = 1e12}};
}

std::string name(const FittedOperator& fit) {
  return fit.op + " " + fit.dtype + " " + fit.kv_dtype + " " + fit.mode + " " + std::to_string(fit.head_dim);
}

KernelProfile profile_of_all() {
  KernelProfile profile{.name = "own", .elementwise_bytes_per_s = 1e12};
  std::set<std::string> fitted;  // several series make one fit
  for (const Series& series : standard_series()) {
    const FittedOperator fit = fit_of(series);
    if (!is_copy(fit.op) && fitted.insert(name(fit)).second) profile.operators.push_back(fit);
  }
  profile.operators.push_back(
      {.op = "mla_prefill", .law = {.launch_s = 1e-6, .flop_per_s = 1e15}});  // tables have it
  return profile;
}

/// A model, and how it is served.
struct Design {
  Llm llm = tiny_llm();
  WeightTypes weights{};
  DataType kv = DataType::bf16;
  Shape shape{};
  EngineTerms terms{};
};

Llm with_experts(Llm llm, std::int64_t top_k) {
  llm.hidden = qwen.hidden;
  llm.experts = {.count = qwen.experts, .active = top_k, .intermediate = qwen.width};
  return llm;
}

Llm latent() {
  Llm llm = tiny_llm();
  llm.latent = {.kv_rank = 512, .rope_head_size = 64, .nope_head_size = 128, .value_head_size = 128};
  return llm;
}

/// Each type of weights, dense and with experts; each size of heads and type of KV; several GPUs, with graphs and
/// without, and several ranks of them; latent attention; each way to choose a token.
std::vector<Design> designs() {
  std::vector<Design> all;
  for (const DataTypeFacts& type : data_types)
    for (const std::int64_t top_k : {0, 8, 2})
      all.push_back({.llm = top_k > 0 ? with_experts(tiny_llm(), top_k) : tiny_llm(), .weights = type.type});
  for (const std::int64_t head : {64, 128, 256})
    for (const DataType kv : {DataType::bf16, DataType::fp8}) {
      all.push_back({.kv = kv});
      all.back().llm.head_size = head;
    }
  for (const std::int64_t graph_tokens : {0, 512})
    all.push_back({.shape = {.tensor_parallel = 2}, .terms = {.cuda_graph_max_tokens = graph_tokens}});
  all.push_back({.llm = with_experts(tiny_llm(), 8),
                 .shape = {.tensor_parallel = 2, .expert_parallel = 4, .data_parallel = 2}});
  all.push_back({.llm = latent()});
  for (const char* sampling : {"greedy", "topk_topp"}) {
    all.push_back({.terms = {.sampler_s_per_logit = 0}});
    all.back().llm.sampling = sampling;
  }
  return all;
}

/// A step of decodes and one of a prompt, of each design.
std::vector<double> forecast(const KernelProfile& profile) {
  std::vector<double> seconds;
  for (const Design& design : designs()) {
    Gpu gpu = made_up_gpu();
    GemmFits& constants = gpu.kernels->gemm;
    constants.fp8 = constants.fp8_block = constants.int8 = constants.w8a8 = constants.int4 = constants.w4a8 =
        constants.mxfp4 = constants.w4a8_mxfp4 = constants.nvfp4 = constants.bf16;
    const auto latency = make_profile_latency({.gpu = gpu,
                                               .llm = design.llm,
                                               .weights = design.weights,
                                               .kv = design.kv,
                                               .shape = design.shape,
                                               .terms = design.terms},
                                              profile);
    seconds.push_back(
        latency->stage({.decode_sequences = 8, .decode_kv_tokens = 8192, .emitted_tokens = 8}, 0).seconds);
    StepWork prompt;
    prompt.add_chunk(1000, 0, latency->chunk_s(1000, 0));
    seconds.push_back(latency->stage(prompt, 0).seconds);
  }
  return seconds;
}

TEST(KernelReaders, EveryKernelThatIsTimedMovesAForecast) {
  KernelProfile profile = profile_of_all();
  const std::vector<double> before = forecast(profile);
  for (FittedOperator& fit : profile.operators) {
    if (fit.op == "mla_prefill") continue;
    const KernelLaw law = std::exchange(fit.law, {.launch_s = 1e-2, .flop_per_s = 1e15, .bytes_per_s = 1e12});
    EXPECT_NE(forecast(profile), before) << name(fit) << ": nothing reads it";
    fit.law = law;
  }
}

// Of copies every mode that is timed is part of a law (transfer_fit_test), and each law moves what it is for
// (copy_laws_test).
TEST(KernelReaders, EveryCopyThatIsTimedIsPartOfALaw) {
  for (const Series& series : standard_series())
    if (is_copy(series.like.op)) {
      EXPECT_NE(copy_mode(series.like.op, series.like.mode), nullptr) << series.like.op << " " << series.like.mode;
    }
}

}  // namespace servecast::kernel_readers_test
