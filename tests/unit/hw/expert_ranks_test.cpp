// Experts that are spread whole, with tensor-parallel attention in ranks of several GPUs, and over pipeline stages.
#include <gtest/gtest.h>

#include <limits>

#include "models/hw/memory/memory_plan.h"
#include "models/hw/roofline/roofline.h"
#include "tests/unit/hw/made_exchange.h"

namespace servecast::expert_ranks_test {

constexpr RankLoad twice{.visits = 2, .node_visits = 2};

/// On two GPUs of one node.
double two_gpus_s(std::int64_t expert_parallel, const RankLoads& loads = {}) {
  const MadeExchange made{.shape = {.tensor_parallel = 2, .expert_parallel = expert_parallel}, .loads = loads};
  return make_profile_latency(made.kernels())->stage(decodes(100), 0).seconds;
}
double two_gpus_by_roofline_s(std::int64_t expert_parallel, const RankLoads& loads = {}) {
  return make_roofline({.gpu = made_up_gpu(),
                        .llm = tiny_moe(),
                        .shape = {.tensor_parallel = 2, .expert_parallel = expert_parallel},
                        .rank_loads = loads})
      ->stage(decodes(100), 0)
      .seconds;
}

// One rank of two GPUs: attention, dense layers, shared experts and both all-reduces as with tensor parallelism. 100
// tokens pay 2 visits each. Sliced, a GPU has 200 visits of 2 x 100 + 3 x 15 values; whole, 100 visits of 2 x 100 +
// 3 x 30: 20,000 values of 2 bytes fewer, the same weights (4 x 15 = 2 x 30 columns) and operations.
TEST(ExpertRanks, OneRankIsTensorParallelWithWholeExperts) {
  EXPECT_NEAR(two_gpus_s(1) - two_gpus_s(2), 40'000 / 1e12, 1e-14);
  EXPECT_NEAR(two_gpus_by_roofline_s(1) - two_gpus_by_roofline_s(2), 40'000 / 1e12, 1e-14);
}

// The fullest GPU with twice the mean: 100 visits more, of 6 x 30 x 100 operations and 290 values each.
TEST(ExpertRanks, OneRankWaitsForItsFullestGpu) {
  const double more_s = 100 * (6.0 * 30 * 100 + 290 * 2) / 1e12;
  EXPECT_NEAR(two_gpus_s(2, RankLoads({twice})) - two_gpus_s(2), more_s, 1e-14);
  EXPECT_NEAR(two_gpus_by_roofline_s(2, RankLoads({twice})) - two_gpus_by_roofline_s(2), more_s, 1e-14);
}

// Benchmarks of trained routers have the fullest GPU's time, which chance then adds nothing to; of fewer than eight
// tokens they are not asked, and a bias that keeps loads even, or loads that are known, ask for even ones.
TEST(ExpertRanks, GroupsWhoseLoadsAreUnevenTakeWhatTheFullestTakes) {
  MadeExchange made{.shape = {.tensor_parallel = 2, .expert_parallel = 2}};
  made.llm.experts->count = 32;
  const auto step_s = [&](std::int64_t tokens, const RankLoads& loads) {
    made.loads = loads;
    return make_profile_latency(made.kernels())->stage(decodes(tokens), 0).seconds;
  };
  const RankLoads known({twice});
  const RankLoads trained = RankLoads({twice}).as_trained();
  EXPECT_EQ(step_s(8, trained), step_s(8, known));  // no such rows
  FittedOperator fullest = made.profile.operators[3];
  fullest.mode = trained_groups;
  fullest.op = "moe_layer";
  fullest.layer = {.hidden = made.llm.hidden,
                   .width = made.llm.experts->intermediate,
                   .experts = made.llm.experts->count,
                   .top_k = made.llm.experts->active};
  fullest.law = {.launch_s = 1};
  const double even_s = step_s(8, known), few_s = step_s(7, known);
  made.profile.operators.push_back(fullest);
  EXPECT_NEAR(step_s(8, trained), 1, 1e-3);
  EXPECT_EQ(step_s(8, known), even_s);
  EXPECT_EQ(step_s(7, trained), few_s);
}

/// 1 us, and operations and bytes at 1e12 a second.
double product_s(double m, double n, double k) { return 1e-6 + (2 * m * n * k + 2 * (n * k + m * k + m * n)) / 1e12; }

// One of the two layers has experts. Its shared ones, gate and up 20 x 100 and down 100 x 10, take less than the
// routed ones, beside which memory alone reads their 3,000 weights. With 101 tokens they follow.
TEST(ExpertRanks, SharedExpertsRunBesideRoutedOnesInSmallSteps) {
  MadeExchange made{.shape = {}};
  const auto step_s = [&](std::int64_t tokens) {
    return make_profile_latency(made.kernels())->stage(decodes(tokens), 0).seconds;
  };
  const double after_s = step_s(100), larger_s = step_s(101);
  made.terms.shared_experts_beside_tokens = 100;
  const double read_s = 3000 * 2 / made.gpu.hbm_bytes_per_s;
  EXPECT_NEAR(after_s - step_s(100), product_s(100, 20, 100) + product_s(100, 100, 10) - read_s, 1e-13);
  EXPECT_EQ(step_s(101), larger_s);
}

// What arithmetic bounds of routed experts, and nothing else.
TEST(ExpertRanks, ServersTakeLongerForWhatArithmeticBounds) {
  for (const Shape& shape : {Shape{.tensor_parallel = 2}, Shape{.tensor_parallel = 2, .expert_parallel = 4}}) {
    MadeExchange made{.shape = shape};
    const StageTime timed = made.rank(decodes(100));
    made.terms.expert_compute_factor = 1.5;
    const StageTime served = made.rank(decodes(100));
    EXPECT_GT(served.seconds, timed.seconds);
    EXPECT_NEAR(served.seconds - timed.seconds, served.compute_s - timed.compute_s, 1e-15);
  }
}

// TensorRT-LLM's kernels are those of GPUs that compute fp4, but where another backend is named.
TEST(ExpertRanks, GeneratedKernelsHaveAFactorOfTheirOwn) {
  MadeExchange made{.shape = {.tensor_parallel = 2}};
  made.terms.expert_compute_factor = 1.5;
  const double others_s = made.rank(decodes(100)).seconds;
  made.terms.generated_expert_compute_factor = 2;
  EXPECT_EQ(made.rank(decodes(100)).seconds, others_s);
  made.gpu.peaks.fp4_flop_per_s = 1e15;
  EXPECT_GT(made.rank(decodes(100)).seconds, others_s);
  made.moe_backend = "cutlass";
  EXPECT_EQ(made.rank(decodes(100)).seconds, others_s);
}

// Two ranks of two GPUs: each rank has 20 of 40 sequences, each GPU 10 of their tokens. Router, gate and up, down of
// the shared expert (width 10) are whole, for 10 rows, in place of halves for 20. 40 tokens x 2 visits over 4 GPUs:
// 20 visits of one expert, in place of 40 visits of four halves. All-gather in place of the second all-reduce: half
// the bytes of 20 x 100 values, 7 us in place of 5.
TEST(ExpertRanks, GpusOfARankShareOutItsTokens) {
  const MadeExchange ranks{.shape = {.tensor_parallel = 2, .expert_parallel = 4}};
  const MadeExchange sliced{.shape = {.tensor_parallel = 2}};
  const double whole_s = product_s(10, 4, 100) + product_s(10, 20, 100) + product_s(10, 100, 10);
  const double halves_s = product_s(20, 4, 100) + product_s(20, 10, 100) + product_s(20, 100, 5);
  const double own_s = 3e-6 + (6.0 * 20 * 30 * 100 + 1 * 3 * 30 * 100 * 2 + 20 * 290 * 2) / 1e12;
  const double all_s = 3e-6 + (6.0 * 40 * 15 * 100 + 4 * 3 * 15 * 100 * 2 + 40 * 245 * 2) / 1e12;
  const double gather_s = 7e-6 + 20 * 100 * 2 / 2.0 / 1e12;
  const double reduce_s = 5e-6 + 20 * 100 * 2 / 1e12;
  EXPECT_NEAR(ranks.rank(decodes(20)).seconds - sliced.rank(decodes(20)).seconds,
              whole_s - halves_s + own_s - all_s + gather_s - reduce_s, 1e-11);  // 2^-20 of 40 tokens touch less
}

// What a GPU sends is what 10 tokens take (wide_experts_test.cpp), although its rank has 20.
TEST(ExpertRanks, EachGpuSendsItsShareOfTheRanksTokens) {
  const MadeExchange made{.shape = {.tensor_parallel = 2, .expert_parallel = 4}};
  const double across_s = 7.5 * 100 * (1 + 4.0 / 128 + 2) / 0.93e9;
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, made.rank(decodes(20)).seconds + 60e-6 + across_s, 1e-12);
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).across_nodes.seconds, across_s, 1e-15);
}

// Ranks of four GPUs on nodes of two: attention's all-reduces cross the network, too. 2 x 2 + 1 of them, of which one
// is an all-gather: 4.5, each 2 (1 - 1/2) x 20 tokens x 100 values x 2 bytes / 2 GPUs of a node, at 1 GB/s. Each of 8
// GPUs sends 5 tokens, each to 4 (1 - (3/4)^2) = 1.75 of 4 nodes, three quarters of which are others.
TEST(ExpertRanks, MayTakeSeveralNodes) {
  Llm llm = tiny_moe();
  llm.heads = 4;
  const MadeExchange made{.llm = llm, .shape = {.tensor_parallel = 4, .expert_parallel = 8}};
  const double reduces_s = 4.5 * 20 * 100 * 2 / 2 / 1e9;
  const double sent_s = 5 * 1.75 * 0.75 * 100 * (1 + 4.0 / 128 + 2) / 0.93e9;
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).across_nodes.seconds, reduces_s + sent_s, 1e-15);
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, made.rank(decodes(20)).seconds + reduces_s + 60e-6 + sent_s,
              1e-12);
}

// The first layer is dense, the second has experts: only the second stage exchanges tokens, 20 + 40 us of launches on
// links of infinite rate. Both are what a rank's stages are by themselves; the first hands on 10 tokens of 400 bytes
// at 1 GB/s with 1 us, which one stage has not.
TEST(ExpertRanks, StagesExchangeForTheirOwnLayers) {
  const double infinite = std::numeric_limits<double>::infinity();
  const MadeExchange two{.shape = {.pipeline_parallel = 2, .expert_parallel = 4}, .port_bytes_per_s = infinite};
  const MadeExchange one{.shape = {.expert_parallel = 4}, .port_bytes_per_s = infinite};
  const auto model = two.make();
  ASSERT_EQ(model->stages(), 2);
  const double first_s = model->stage(decodes(40), 0).seconds;
  const double second_s = model->stage(decodes(40), 1).seconds;
  EXPECT_NEAR(first_s, two.rank(decodes(10), 0).seconds, 1e-15);
  EXPECT_NEAR(second_s, two.rank(decodes(10), 1).seconds + 60e-6, 1e-11);  // but for NVLink
  EXPECT_NEAR(first_s + second_s, one.make()->stage(decodes(40), 0).seconds + 5e-6, 1e-12);
}

// Ten ranks' tokens are no more than one's: each GPU of a rank of two sends half of them.
TEST(ExpertRanks, RanksHandOverToTheirLikes) {
  const MadeExchange one_gpu{.shape = {.pipeline_parallel = 2, .expert_parallel = 4}};
  const MadeExchange two_gpus{.shape = {.tensor_parallel = 2, .pipeline_parallel = 2, .expert_parallel = 4}};
  const auto hand_over_s = [](const MadeExchange& made) {
    MadeExchange whole = made;
    whole.shape.pipeline_parallel = 1;
    const auto stages = made.make();
    return stages->stage(decodes(40), 0).seconds + stages->stage(decodes(40), 1).seconds -
           whole.make()->stage(decodes(40), 0).seconds;
  };
  EXPECT_NEAR(hand_over_s(one_gpu), 1e-6 + 10 * 400 / 1e9, 1e-12);
  EXPECT_NEAR(hand_over_s(two_gpus), 1e-6 + 20 * 400 / 2 / 1e9, 1e-12);
}

// A second for the step and another for each of a rank's ten sequences, before the first stage only.
TEST(ExpertRanks, TheHostWorksForTheFirstStage) {
  const MadeExchange idle{.shape = {.pipeline_parallel = 2, .expert_parallel = 4}};
  MadeExchange busy = idle;
  busy.terms.host_step_s = busy.terms.host_sequence_s = 1;
  busy.terms.host_overlapped = false;
  const auto more_s = [&](std::int64_t stage) {
    return busy.make()->stage(decodes(40), stage).seconds - idle.make()->stage(decodes(40), stage).seconds;
  };
  EXPECT_NEAR(more_s(0), 1 + 10, 1e-12);
  EXPECT_NEAR(more_s(1), 0, 1e-15);
}

// A stage without experts has nothing to hide; one with nothing else hides all that its halves compute.
TEST(ExpertRanks, OnlyStagesWithExpertsOverlap) {
  const MadeExchange made{.shape = {.pipeline_parallel = 2, .expert_parallel = 4},
                          .exchange = ExchangeKernels::low_latency,
                          .overlap = true};
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, made.rank(decodes(10), 0).seconds, 1e-15);
  const double compute_s = made.rank(decodes(5), 1).seconds;
  const double exchange_s = 20e-6 + 5 * 100 * (1 + 4.0 / 128 + 2) / 0.87e9;
  EXPECT_NEAR(made.make()->stage(decodes(40), 1).seconds,
              2 * std::max(compute_s, exchange_s) + std::min(compute_s, exchange_s), 1e-12);
}

TEST(ExpertRanks, MoreWorkNeverTakesLessTime) {
  for (const Shape& shape : {Shape{2, 1, 4}, Shape{1, 2, 2}, Shape{2, 2, 4}, Shape{2, 2, 2}}) {
    const MadeExchange made{.shape = shape};
    const auto model = shape.ranks() > 1 ? made.make() : make_profile_latency(made.kernels());
    for (std::int64_t stage = 0; stage < shape.pipeline_parallel; ++stage)
      for (std::int64_t n = 8; n < 400; ++n)
        ASSERT_LE(model->stage(decodes(n), stage).seconds, model->stage(decodes(n + 1), stage).seconds + 1e-12) << n;
  }
}

// Routed experts are 4 x 3 x 100 x 30 weights, the shared one 3 x 100 x 10. Two GPUs that slice them hold halves. One
// rank of two holds 2 of 4 experts: as much. Two ranks of two: 1 of 4, half as much, and the shared one whole.
TEST(ExpertRanks, MemoryHoldsWholeExpertsAndARanksShareOfTheRest) {
  const auto held = [](const Shape& shape) { return stage_weight_bytes(tiny_moe(), DataType::bf16, shape, 0); };
  const double sliced = held({.tensor_parallel = 2});
  EXPECT_EQ(held({.tensor_parallel = 2, .expert_parallel = 2}), sliced);
  EXPECT_EQ(held({.tensor_parallel = 2, .expert_parallel = 4}), sliced + 2 * (-3 * 100 * 30 + 3 * 100 * 10 / 2));
}

// Half of the KV heads on each of two GPUs, and two ranks: a rank has the memory of two GPUs, like one group of two.
TEST(ExpertRanks, TokensOfAllRanksCount) {
  Llm llm = tiny_moe();
  llm.kv_heads = 2;
  const auto plan = [&](const Shape& shape) {
    return plan_memory(made_up_gpu(), llm, shape, {.overhead_bytes = 0}, {.max_step_tokens = 400});
  };
  const MemoryPlan one = plan({.tensor_parallel = 2});
  const MemoryPlan two = plan({.tensor_parallel = 2, .expert_parallel = 4});
  const double token_bytes = 2 * 2 * 50 * 2;  // key and value of a head of 50 in 2 layers
  EXPECT_EQ(one.kv_pool_tokens, static_cast<std::int64_t>(one.kv_pool_bytes / token_bytes));
  EXPECT_EQ(two.kv_pool_tokens, 2 * static_cast<std::int64_t>(two.kv_pool_bytes / token_bytes));
  EXPECT_EQ(plan({.tensor_parallel = 2, .expert_parallel = 3}).problem,
            "expert_parallel 3 is neither a multiple nor a divisor of the 2 GPUs of tensor_parallel x data_parallel");
  EXPECT_EQ(plan({.pipeline_parallel = 3, .expert_parallel = 4}).problem,
            "pipeline_parallel 3 is more than the 2 layers of tiny");
}

// Four GPUs in every way that deployments state: attention of 1, 2 or 4 GPUs a rank, experts whole, halved or
// quartered.
TEST(ExpertRanks, AttentionAndExpertsAreSplitApart) {
  struct Case {
    Shape shape;
    std::int64_t ranks, slices;
  };
  for (const Case& c : {Case{{.tensor_parallel = 4}, 1, 4}, Case{{.tensor_parallel = 4, .expert_parallel = 4}, 1, 1},
                        Case{{.tensor_parallel = 4, .expert_parallel = 2}, 1, 2}, Case{{.expert_parallel = 4}, 4, 1},
                        Case{{.expert_parallel = 4, .data_parallel = 4}, 4, 1}, Case{{.data_parallel = 4}, 4, 4},
                        Case{{.tensor_parallel = 2, .expert_parallel = 2, .data_parallel = 2}, 2, 2}}) {
    EXPECT_EQ(c.shape.gpus_per_stage(), 4);
    EXPECT_EQ(c.shape.ranks(), c.ranks);
    EXPECT_EQ(c.shape.expert_slices(), c.slices);
    EXPECT_TRUE(c.shape.whole_groups());
    // a quarter of 2 x 3 x 100 x 30 x 2 bytes of routed weights on each GPU, however they are split
    Llm no_experts = tiny_moe();
    no_experts.experts->intermediate = 0;
    EXPECT_EQ(stage_weight_bytes(tiny_moe(), DataType::bf16, c.shape, 0) -
                  stage_weight_bytes(no_experts, DataType::bf16, c.shape, 0),
              18'000);
  }
  EXPECT_FALSE((Shape{.tensor_parallel = 4, .expert_parallel = 6}).whole_groups());
  EXPECT_FALSE((Shape{.expert_parallel = 3, .data_parallel = 4}).whole_groups());
}

// Two stages of two ranks of two GPUs: the fourth GPU that has KV of the second rank's requests is the eighth.
TEST(ExpertRanks, GpusOfARankAreCountedStageByStage) {
  const Shape shape{.tensor_parallel = 2, .pipeline_parallel = 2, .expert_parallel = 4};
  EXPECT_EQ(shape.gpus(), 8);
  std::vector<std::int64_t> gpus;
  for (const std::int64_t gpu : {0, 1, 2, 3}) gpus.push_back(shape.gpu_of_rank(1, gpu));
  EXPECT_EQ(gpus, (std::vector<std::int64_t>{2, 3, 6, 7}));
  EXPECT_EQ((Shape{.tensor_parallel = 4, .pipeline_parallel = 2}.gpu_of_rank(0, 5)), 5);
  EXPECT_EQ((Shape{.expert_parallel = 4}.gpu_of_rank(3, 0)), 3);
}

}  // namespace servecast::expert_ranks_test
