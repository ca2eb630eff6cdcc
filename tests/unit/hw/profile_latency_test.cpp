#include "models/hw/profile/profile_latency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "models/hw/latency/cuda_graph.h"
#include "models/hw/latency/octave_table.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::profile_latency_test {

/// Laws that are plain sums, and no residuals.
KernelProfile made_up_profile() {
  const auto fit = [](const char* op, const KernelLaw& law) { return FittedOperator{.op = op, .law = law}; };
  KernelProfile profile{.name = "made_up.vllm", .elementwise_bytes_per_s = 1e12};
  profile.operators = {fit("gemm", {.launch_s = 1e-6, .flop_per_s = 1e12, .bytes_per_s = 1e12}),
                       fit("decode_attention", {.launch_s = 2e-6, .bytes_per_s = 1e12}),
                       fit("prefill_attention", {.launch_s = 9e-6, .flop_per_s = 1e13}),
                       fit("all_reduce", {.launch_s = 5e-6, .bytes_per_s = 1e12})};
  profile.operators[0].dtype = "bf16";
  profile.operators[1].kv_dtype = profile.operators[2].kv_dtype = "bf16";
  profile.operators[1].head_dim = profile.operators[2].head_dim = 50;
  profile.operators[3].mode = "graph";
  return profile;
}

struct Made {
  Gpu gpu = made_up_gpu();
  KernelProfile profile = made_up_profile();
  Llm llm = tiny_llm();
  Shape shape{};
  WeightTypes weights{};
  EngineTerms terms{.all_reduce_wait_s = 0, .small_kernel_s = 1e-6, .small_kernels_per_layer = 6};

  std::unique_ptr<StepLatency> make() const {
    return make_profile_latency({.gpu = gpu,
                                 .llm = llm,
                                 .weights = weights,
                                 .shape = shape,
                                 .max_step_tokens = 600,
                                 .max_sequences = 128,
                                 .stage_link = {.bytes_per_s = 1e9, .latency_s = 1e-6},
                                 .terms = terms},
                                profile);
  }
};

/// 8 rows: flop (2 m n k) and bytes (weights, inputs, outputs) at 1e12 each, and 1 us.
double product_s(double m, double n, double k) { return 1e-6 + (2 * m * n * k + 2 * (n * k + m * k + m * n)) / 1e12; }

// 8 decodes of 64 tokens in 2 layers. Products 200 x 100 (2 queries and 2 keys of 50), 100 x 100, 400 x 100, 100 x
// 200. Elementwise 12 x 100 + 4 (100 + 100) + 4 x 50 + 6 x 200 = 3,400 bytes per row. 6 small kernels. Attention 2 us
// + 8 x 64 x 2 x 50 x 2 bytes. LM head 1,000 x 100.
TEST(ProfileLatency, DecodeByHand) {
  const double layer = product_s(8, 200, 100) + product_s(8, 100, 100) + product_s(8, 400, 100) +
                       product_s(8, 100, 200) + 6e-6 + 8 * 3400 / 1e12;
  const double attention = 2e-6 + 8.0 * 64 * 200 / 1e12;
  const StageTime t = Made().make()->stage({.decode_sequences = 8, .decode_kv_tokens = 512, .emitted_tokens = 8}, 0);
  EXPECT_NEAR(t.seconds, 2 * (layer + attention) + product_s(8, 1000, 100), 1e-15);
  EXPECT_FALSE(t.extrapolated);
}

// A chunk of 64 tokens after 96: 64 x (96 + 32) = 8,192 pairs, 4 x 2 heads x 50 x 8,192 flop in 2 layers; of its 9 us
// launch 8 are shared with the decodes, and come back where there are none.
TEST(ProfileLatency, ChunksShareTheLaunch) {
  const auto model = Made().make();
  const double chunk_s = 2 * (1e-6 + 4.0 * 2 * 50 * 8192 / 1e13);
  EXPECT_NEAR(model->chunk_s(64, 96), chunk_s, 1e-12);
  StepWork alone;
  alone.add_chunk(64, 96, model->chunk_s(64, 96));
  StepWork untold;
  untold.add_chunk(64, 96);
  StepWork decodes{.decode_sequences = 64, .decode_kv_tokens = 64};  // as many tokens
  const double rest = model->stage(decodes, 0).seconds - 2 * (2e-6 + 64 * 200 / 1e12);
  EXPECT_NEAR(model->stage(alone, 0).seconds - rest, chunk_s + 2 * 8e-6, 1e-12);
  EXPECT_EQ(model->stage(alone, 0).seconds, model->stage(untold, 0).seconds);
}

// Of 8 decodes with 4,096 tokens each and 2 heads of 50: alone they read 8 x 4096 x 200 bytes. Beside a prompt each
// is a tile of 64 queries in each head, 4 x 2 x 50 flop for each of 8 x 64 x 4096 pairs.
TEST(ProfileLatency, FlashAttention2GivesADecodeBesideAPromptATile) {
  Made made;
  const StepWork decodes{.decode_sequences = 8, .decode_kv_tokens = 8 * 4096};
  StepWork mixed = decodes;
  mixed.add_chunk(64, 0, made.make()->chunk_s(64, 0));
  const auto added = [&](const StepWork& work) {
    Made apart = made;
    apart.terms.attention_in_one_call = false;
    return made.make()->stage(work, 0).seconds - apart.make()->stage(work, 0).seconds;
  };
  made.terms.attention_in_one_call = true;
  EXPECT_EQ(added(mixed), 0);  // of a GPU whose kernels are not told
  made.gpu.compute_capability = 9;
  EXPECT_EQ(added(mixed), 0);
  made.gpu.compute_capability = 8;
  EXPECT_EQ(added(decodes), 0);
  const double read_s = 2e-6 + 8.0 * 4096 * 200 / 1e12;
  const double tiles_s = 4.0 * 2 * 50 * 8 * 64 * 4096 / 1e13;
  EXPECT_NEAR(added(mixed) / (2 * (tiles_s - read_s)), 1, 1e-3);
  StepWork checked = decodes;  // drafts, too, are more queries than one
  checked.draft_tokens = 8;
  EXPECT_NEAR(added(checked) / (2 * (tiles_s - read_s)), 1, 1e-3);
}

// A tile goes through all its keys on one multiprocessor: of 1 decode and a chunk of 4 tokens behind 40,000, the
// longest is 64 x 40,004 pairs in each of 2 layers, at a 100th of the rate of all.
TEST(ProfileLatency, FlashAttention2DoesNotSplitKeysBesideAPrompt) {
  Made made;
  made.terms.attention_in_one_call = true;
  made.gpu.compute_capability = 8;
  made.gpu.multiprocessors = 100;
  const auto model = made.make();
  StepWork work{.decode_sequences = 1, .decode_kv_tokens = 1};
  work.add_chunk(4, 40000, model->chunk_s(4, 40000));
  const double rest_s =
      model->stage({.decode_sequences = 5, .decode_kv_tokens = 5}, 0).seconds - 2 * (2e-6 + 5 * 200 / 1e12);
  EXPECT_NEAR((model->stage(work, 0).seconds - rest_s) / (2 * 4.0 * 50 * 64 * 40004 / (1e13 / 100)), 1, 1e-3);
}

// 2 L + 1 = 5 all-reduces, each after 3 us until the other rank has come; whatever the message.
TEST(ProfileLatency, AllReducesWaitForTheSlowestRank) {
  Made made;
  made.shape.tensor_parallel = 2;
  made.llm.kv_heads = 2;
  StepWork prompt;
  prompt.add_chunk(64, 0);
  for (const StepWork& work : {StepWork{.decode_sequences = 8, .decode_kv_tokens = 512}, prompt}) {
    made.terms.all_reduce_wait_s = 0;
    const double plain = made.make()->stage(work, 0).seconds;
    made.terms.all_reduce_wait_s = 3e-6;
    EXPECT_NEAR(made.make()->stage(work, 0).seconds - plain, 5 * 3e-6, 1e-15);
  }
}

// Two layers: 2 x 4 us of launches, and 2 x 2 x 1 us of norms where ranks sum on GPUs that compute fp4.
TEST(ProfileLatency, DependentLaunchesAndNormsInAllReducesSaveTime) {
  Made made;
  made.llm.kv_heads = 2;
  const auto step = [&] { return made.make()->stage({.decode_sequences = 8, .decode_kv_tokens = 512}, 0); };
  const auto saved_s = [&](std::int64_t ranks, double fp4_flop_per_s, const std::string& models) {
    made.shape.tensor_parallel = ranks;
    made.gpu.peaks.fp4_flop_per_s = fp4_flop_per_s;
    made.terms = {};
    const double plain_s = step().seconds;
    made.terms = {.dependent_launch_s = 4e-6, .norm_in_all_reduce_s = 1e-6, .norm_in_all_reduce_models = models};
    return plain_s - step().seconds;
  };
  EXPECT_NEAR(saved_s(2, 1e15, "any"), 12e-6, 1e-15);
  EXPECT_NEAR(saved_s(1, 1e15, "any"), 8e-6, 1e-15);
  EXPECT_NEAR(saved_s(2, 0, "any"), 8e-6, 1e-15);
  EXPECT_NEAR(saved_s(2, 1e15, "experts"), 8e-6, 1e-15);  // this model has none
  const double compute_s = step().compute_s;
  made.terms.dependent_launch_s = 1;
  EXPECT_GE(step().seconds, compute_s);
}

// 64 rows of 200 bytes: own kernels take 5 us + 12.8 us, NCCL 10 us and next to nothing, so 5 all-reduces of 10 us.
// In a graph only own kernels run.
TEST(ProfileLatency, LongMessagesGoByNccl) {
  Made made;
  made.shape.tensor_parallel = 2;
  made.llm.kv_heads = 2;
  made.profile.operators[3].law.bytes_per_s = 1e9;
  FittedOperator nccl{.op = "all_reduce", .mode = "nccl", .law = {.launch_s = 10e-6, .bytes_per_s = 1e15}};
  const StepWork work{.decode_sequences = 64, .decode_kv_tokens = 64};
  const double in_graph_s = made.make()->stage(work, 0).seconds;
  made.terms.cuda_graph_max_tokens = 0;
  const double own_s = made.make()->stage(work, 0).seconds;
  made.profile.operators.push_back(nccl);
  EXPECT_NEAR(own_s - made.make()->stage(work, 0).seconds, 5 * (17.8e-6 - 10e-6), 1e-10);
  made.terms.cuda_graph_max_tokens = 512;
  EXPECT_EQ(made.make()->stage(work, 0).seconds, in_graph_s);
}

// 8 rows of 100, 100, 100 and 200 numbers go into the products of a layer, 3 bytes each. Finding their scales takes 2
// us and the bytes at 1e12 before each; a kernel that knows them 1 us and the bytes at 1e12.
TEST(ProfileLatency, KnownScalesSpareThePassesOfTheBenchmark) {
  Made made;
  made.weights = DataType::fp8;
  FittedOperator fp8 = made.profile.operators[0];
  fp8.dtype = "fp8";
  fp8.law.launch_s = 20e-6;
  made.profile.operators.push_back(fp8);
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512};
  const double as_measured_s = made.make()->stage(work, 0).seconds;
  made.terms.input_scales = "fused";
  EXPECT_EQ(made.make()->stage(work, 0).seconds, as_measured_s) << "no passes in the profile";
  made.profile.operators.push_back(
      {.op = "elementwise", .mode = "quantize", .law = {.launch_s = 2e-6, .bytes_per_s = 1e12}});
  const double bytes = 3 * 8 * (100 + 100 + 100 + 200);
  EXPECT_NEAR(as_measured_s - made.make()->stage(work, 0).seconds, 2 * (4 * 2e-6 + bytes / 1e12), 1e-14);
  made.terms.input_scales = "static";
  EXPECT_NEAR(as_measured_s - made.make()->stage(work, 0).seconds, 2 * 4 * (2e-6 - 1e-6), 1e-14);
  made.terms.input_scales = "dynamic";
  EXPECT_EQ(made.make()->stage(work, 0).seconds, as_measured_s);
}

// 0.119 ns x 1,000 words x 8 tokens.
TEST(ProfileLatency, SortingTheVocabularyTakesTime) {
  Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512, .emitted_tokens = 8};
  const double plain = made.make()->stage(work, 0).seconds;
  made.llm.sampling = "topk_topp";
  made.gpu.hbm_bytes_per_s = 3.35e12;  // the H100, on which the sampler was fitted
  EXPECT_NEAR(made.make()->stage(work, 0).seconds - plain, 0.148e-9 * 8000, 1e-15);
}

FittedOperator kernel(const char* op, const char* mode, double launch_s) {
  return {.op = op, .mode = mode, .law = {.launch_s = launch_s, .bytes_per_s = 1e12}};
}
double with(Made made, std::initializer_list<FittedOperator> more, const StepWork& work) {
  made.profile.operators.insert(made.profile.operators.end(), more);
  return made.make()->stage(work, 0).seconds;
}

// 8 rows in 2 layers. Each norm: 3 us and 800 bytes a row, not 1 us and 600; the activation 5 us, not 1 us, and as
// many bytes; rotary embedding of 3 heads 4 us, not 1 us. Others' norms are not those of these kernels.
TEST(ProfileLatency, SmallKernelsThatWereTimedTakeThat) {
  const Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512};
  const double plain_s = made.make()->stage(work, 0).seconds;
  EXPECT_NEAR(with(made, {kernel("elementwise", "residual_norm", 3e-6)}, work) - plain_s,
              2 * 2 * (2e-6 + 8 * 200 / 1e12), 1e-14);
  EXPECT_NEAR(with(made, {kernel("elementwise", "silu_mul", 5e-6)}, work) - plain_s, 2 * 4e-6, 1e-14);
  EXPECT_NEAR(with(made, {kernel("elementwise", "rope_heads", 4e-6)}, work) - plain_s, 2 * 3e-6, 1e-14);
  EXPECT_EQ(with(made, {kernel("elementwise", "norm", 3e-6)}, work), plain_s);
}

// 10 empty kernels in 30 us: no small kernel takes less than 3 us, 6 of them in each of 2 layers. An engine without
// graphs starts them one by one.
TEST(ProfileLatency, NoSmallKernelTakesLessThanAnEmptyOne) {
  Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512};
  const double plain_s = made.make()->stage(work, 0).seconds;
  EXPECT_NEAR(with(made, {kernel("launch", "graph", 30e-6)}, work) - plain_s, 2 * 6 * 2e-6, 1e-14);
  EXPECT_EQ(with(made, {kernel("launch", "graph", 5e-6)}, work), plain_s);
  EXPECT_EQ(with(made, {kernel("launch", "eager", 30e-6)}, work), plain_s);
  made.terms.cuda_graph_max_tokens = 0;
  const double eager_s = made.make()->stage(work, 0).seconds;
  EXPECT_NEAR(with(made, {kernel("launch", "eager", 30e-6)}, work) - eager_s, 2 * 6 * 2e-6, 1e-14);
}

// 8 rows of 1,000 logits in 4 bytes. An engine's own term for top-p and top-k goes before.
TEST(ProfileLatency, ChoosingTokensTakesWhatWasTimed) {
  Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512, .emitted_tokens = 8};
  const double plain_s = made.make()->stage(work, 0).seconds;
  const FittedOperator greedy = kernel("elementwise", "sample_greedy", 7e-6);
  EXPECT_EQ(with(made, {greedy}, work), plain_s);
  made.llm.sampling = "greedy";
  EXPECT_NEAR(with(made, {greedy}, work) - plain_s, 7e-6 + 32e3 / 1e12, 1e-14);
  made.llm.sampling = "topk_topp";
  const FittedOperator few = kernel("elementwise", "sample_top_50", 7e-6);
  EXPECT_EQ(with(made, {few}, work), made.make()->stage(work, 0).seconds);
  made.terms.sampler_s_per_logit = 0;
  EXPECT_NEAR(with(made, {few}, work) - plain_s, 7e-6 + 32e3 / 1e12, 1e-14);
}

// A layer of experts takes 13 us in bf16, of which gate, permute and combine take 3 (and next to nothing for bytes).
// Products in fp8 take half of those in bf16, so in fp8 the layer takes 3 + 10 / 2 us.
TEST(ProfileLatency, ExpertsThatWereNotTimedFollowThoseInBf16) {
  Made made;
  made.llm = tiny_moe();
  const StepWork work{.decode_sequences = 64, .decode_kv_tokens = 512};
  const auto fast = [](const char* op, const char* dtype, const char* mode, double launch_s) {
    return FittedOperator{.op = op,
                          .dtype = dtype,
                          .mode = mode,
                          .law = {.launch_s = launch_s, .flop_per_s = 1e18, .bytes_per_s = 1e18}};
  };
  made.profile.operators[0].law = {.launch_s = 4e-6, .flop_per_s = 1e18, .bytes_per_s = 1e18};
  const std::initializer_list<FittedOperator> timed{
      fast("moe", "bf16", "balanced", 13e-6), fast("elementwise", "", "gate", 1e-6),
      fast("elementwise", "", "permute", 1e-6), fast("elementwise", "", "combine", 1e-6),
      fast("gemm", "fp8", "", 2e-6)};
  const double bf16_s = with(made, timed, work);
  made.weights.experts = DataType::fp8;
  EXPECT_NEAR(bf16_s - with(made, timed, work), 5e-6, 1e-10);
}

TEST(ProfileLatency, HostTimeHidesBehindTheGpuOrNot) {
  Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512};
  const double gpu_s = made.make()->stage(work, 0).seconds;
  made.terms.host_step_s = 1e-6;
  EXPECT_EQ(made.make()->stage(work, 0).seconds, gpu_s);
  made.terms.host_overlapped = false;
  EXPECT_NEAR(made.make()->stage(work, 0).seconds, gpu_s + 1e-6, 1e-15);
  made.terms = {.host_step_s = 0.1, .host_sequence_s = 0.01};
  EXPECT_EQ(made.make()->stage(work, 0).seconds, 0.1 + 8 * 0.01);
}

// Two stages of one layer: together they are the whole, and the link carries 2 x 100 x 2 bytes per token.
TEST(ProfileLatency, StagesAddUp) {
  Made made;
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 512, .emitted_tokens = 8};
  const double whole = made.make()->stage(work, 0).seconds;
  made.shape.pipeline_parallel = 2;
  const auto model = made.make();
  EXPECT_NEAR(model->stage(work, 0).seconds + model->stage(work, 1).seconds, whole + 1e-6 + 8 * 400 / 1e9, 1e-12);
}

TEST(ProfileLatency, MoreWorkNeverTakesLess) {
  const auto model = Made().make();
  double before = 0;
  for (std::int64_t n = 1; n <= 400; n += 3) {
    const double s =
        model->stage({.decode_sequences = n, .decode_kv_tokens = 100 * n, .emitted_tokens = n}, 0).seconds;
    EXPECT_GE(s, before) << n;
    before = s;
  }
}

TEST(ProfileLatency, WhatTheProfileLacksIsExtrapolated) {
  Made made;
  made.profile.operators.erase(made.profile.operators.begin());  // products: those of the GPU file
  const StageTime t = made.make()->stage({.decode_sequences = 8, .decode_kv_tokens = 512}, 0);
  EXPECT_TRUE(t.extrapolated);
  EXPECT_GT(t.seconds, 0);
}

TEST(CudaGraph, RowsAreThoseOfTheNextGraph) {
  EXPECT_EQ(graph_rows(3, 512), 4);
  EXPECT_EQ(graph_rows(9, 512), 16);
  EXPECT_EQ(graph_rows(257, 512), 272);
  EXPECT_EQ(graph_rows(513, 512), 513);
  EXPECT_EQ(graph_rows(9, 0), 9);
}

// Knots 1, 1.125, ..., 1.875, 2, 2.25: 2.125 is half way from knot 8 to knot 9.
TEST(OctaveTable, FindsKnots) {
  EXPECT_EQ(octave::size(0), 1);
  EXPECT_EQ(octave::size(8), 2);
  EXPECT_EQ(octave::size(9), 2.25);
  EXPECT_EQ(octave::point(2.125).knot, 8u);
  EXPECT_EQ(octave::point(2.125).part, 0.5);
  EXPECT_EQ(octave::point(0.5).knot, 0u);
  EXPECT_GE(octave::knots_to(100), octave::point(100).knot + 2);
}

}  // namespace servecast::profile_latency_test
