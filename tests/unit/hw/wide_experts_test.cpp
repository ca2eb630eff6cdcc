#include "models/hw/parallel/wide_experts.h"

#include <gtest/gtest.h>

#include "models/hw/memory/memory_plan.h"
#include "models/hw/parallel/tensor_collectives.h"
#include "tests/unit/hw/made_exchange.h"

namespace servecast::wide_experts_test {

using Made = MadeExchange;

// 10 tokens per GPU meet 2 (1 - (1/2)^2) = 1.5 nodes, half of them another one: 7.5 times 100 x (1 + 4/128) bytes out
// and 100 x 2 back, at 0.93 of 1 GB/s. Launches inside the node: 20 and 40 us.
TEST(WideExperts, OneStepByHand) {
  const Made made;
  const StageTime t = made.make()->stage(decodes(40), 0);
  const double across_s = 7.5 * 100 * (1 + 4.0 / 128 + 2) / 0.93e9;
  EXPECT_NEAR(t.seconds, made.rank(decodes(10)).seconds + 60e-6 + across_s, 1e-9);
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).across_nodes.seconds, across_s, 1e-12);
  EXPECT_EQ(made.make()->sends(decodes(40), 0).across_nodes.slack_s, 0);
}

// To each expert by itself: 2 of them, half in another node, at 0.87 of the port.
TEST(WideExperts, LowLatencySendsToEveryExpert) {
  const Made made{.exchange = ExchangeKernels::low_latency};
  const double across_s = 10 * 100 * (1 + 4.0 / 128 + 2) / 0.87e9;
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).across_nodes.seconds, across_s, 1e-12);
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, made.rank(decodes(10)).seconds + 20e-6 + across_s, 1e-9);
}

// 10 tokens of 4 GPUs over NVLink: 4 (1 - (3/4)^2) = 1.75 of them are met. Out 8 us and 100 values of NVFP4, back 9
// us and 100 of 2 bytes, at 1 GB/s each; the network sends nothing.
TEST(WideExperts, NvlinkKernelsSendToTheGpusMet) {
  Made made{.exchange = ExchangeKernels::nvlink};
  const auto add = [&](const char* op, const char* dtype, double launch_s) {
    made.profile.operators.push_back({.op = op, .dtype = dtype, .law = {.launch_s = launch_s, .bytes_per_s = 1e9}});
  };
  add("nvlink_dispatch", "nvfp4", 8e-6);
  add("nvlink_combine", "bf16", 9e-6);
  const double sent_s = 10 * 1.75 * 100 * (number_sizes("nvfp4", "").activation + 2) / 1e9;
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, made.rank(decodes(10)).seconds + 17e-6 + sent_s, 1e-9);
  EXPECT_EQ(made.make()->sends(decodes(40), 0).across_nodes.seconds, 0);
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).inside_node.seconds, 0.9 * sent_s, 1e-9);
}

// 41 sequences: one rank has 11, and the others wait for it. Experts have three tokens fewer than with 44.
TEST(WideExperts, TheFullestRankCounts) {
  const Made made;
  const auto model = made.make();
  EXPECT_LT(model->stage(decodes(41), 0).seconds, model->stage(decodes(44), 0).seconds);
  EXPECT_GT(model->stage(decodes(41), 0).seconds, model->stage(decodes(40), 0).seconds);
}

// A prompt of 1,000 tokens on one of four ranks, or on each: attention, dense products and dispatch of the fullest
// rank are the same, experts get 3,000 tokens more, each GPU's 1,500 visits.
TEST(WideExperts, ExpertsGetWhatAllRanksHave) {
  const Made made;
  const auto prompts = [](std::int64_t n) {
    StepWork work{.emitted_tokens = n};
    for (std::int64_t i = 0; i < n; ++i) work.add_chunk(1000, 0);
    return work;
  };
  const double products_s = 1500 * (6.0 * 30 * 100 + (2 * 100 + 3 * 30) * 2) / 1e12;
  const auto model = made.make();
  EXPECT_NEAR(model->stage(prompts(4), 0).seconds - model->stage(prompts(1), 0).seconds, products_s, 1e-9);
}

// Halves of 5: half of the layers have experts, so half of the arithmetic can hide the exchange, which is longer
// here.
TEST(WideExperts, TwoHalvesOverlap) {
  const Made made{.exchange = ExchangeKernels::low_latency, .overlap = true};
  const double compute_s = made.rank(decodes(5)).seconds;
  const double exchange_s = 20e-6 + 5 * 100 * (1 + 4.0 / 128 + 2) / 0.87e9;
  const double hides_s = compute_s / 2;
  const StageTime t = made.make()->stage(decodes(40), 0);
  EXPECT_NEAR(t.seconds, compute_s + 2 * std::max(hides_s, exchange_s) + std::min(hides_s, exchange_s), 1e-9);
  EXPECT_NEAR(made.make()->sends(decodes(40), 0).across_nodes.slack_s, 2 * std::max(0.0, hides_s - exchange_s), 1e-9);
}

// High-throughput kernels take 20 of 132 SMs from the arithmetic beside them.
TEST(WideExperts, HighThroughputKernelsTakeSms) {
  Made made{.overlap = true};
  made.profile.operators[4].law.launch_s = made.profile.operators[6].law.launch_s = 0;
  const double compute_s = made.rank(decodes(5)).seconds;
  const double exchange_s = 3.75 * 100 * (1 + 4.0 / 128 + 2) / 0.93e9;
  const double hides_s = compute_s / 2 * 132 / 112;
  ASSERT_GT(hides_s, exchange_s);
  EXPECT_NEAR(made.make()->stage(decodes(40), 0).seconds, compute_s + 2 * hides_s + exchange_s, 1e-9);
}

// 40 tokens to 2 of 4 experts: 20 visits to each GPU's one expert in the mean, 40 at the fullest: 6 x 20 x 30 x 100
// more operations, and as many more visits of 2 x 100 + 3 x 30 values. It receives 2 times its share, its node 1.5
// times.
TEST(WideExperts, AllWaitForTheGpuWhoseExpertsAreWantedMost) {
  const RankLoad twice{.visits = 2, .node_visits = 1.5};
  for (const auto which : {ExchangeKernels::high_throughput, ExchangeKernels::low_latency}) {
    const Made even{.exchange = which};
    const Made uneven{.exchange = which, .loads = RankLoads({twice})};
    const double products_s = (6.0 * 20 * 30 * 100 + 20 * (2 * 100 + 3 * 30) * 2) / 1e12;
    const double even_across_s = even.make()->sends(decodes(40), 0).across_nodes.seconds;
    const double across_s = uneven.make()->sends(decodes(40), 0).across_nodes.seconds;
    EXPECT_NEAR(across_s / even_across_s, which == ExchangeKernels::low_latency ? 2 : 1.5, 1e-9);
    EXPECT_NEAR(uneven.make()->stage(decodes(40), 0).seconds - even.make()->stage(decodes(40), 0).seconds,
                products_s + across_s - even_across_s, 1e-9);
  }
}

// Experts that no token wants there are not read: with half of them, half of what is not arithmetic is saved.
TEST(WideExperts, ExpertsThatNobodyWantsAreNotRead) {
  const Made all{.loads = RankLoads({RankLoad{}})};
  const Made half{.loads = RankLoads({RankLoad{.touched_fraction = 0.5}})};
  const StageTime with_all = all.make()->stage(decodes(40), 0);
  const StageTime with_half = half.make()->stage(decodes(40), 0);
  EXPECT_LT(with_half.seconds, with_all.seconds);
  EXPECT_NEAR(with_half.compute_s, with_all.compute_s, 1e-15);
}

TEST(WideExperts, MoreWorkNeverTakesLessTime) {
  for (const bool overlap : {false, true}) {
    const Made made{.overlap = overlap};
    const auto model = made.make();
    for (std::int64_t n = 8; n < 400; ++n)
      ASSERT_LE(model->stage(decodes(n), 0).seconds, model->stage(decodes(n + 1), 0).seconds + 1e-12) << n;
  }
}

// One layer of 4 experts of 3 x 100 x 30: one expert on each GPU instead of four; tokens of KV on all four GPUs.
TEST(WideExperts, MemoryHoldsOneGpusExperts) {
  const Made made;
  const double all = stage_weight_bytes(made.llm, DataType::bf16, {}, 0);
  EXPECT_EQ(stage_weight_bytes(made.llm, DataType::bf16, made.shape, 0), all - 3 * 3 * 100 * 30 * 2);
  const MemoryUse use{.max_step_tokens = 400, .max_sequences = 4};
  const MemorySettings settings{.overhead_bytes = 0};
  const MemoryPlan spread = plan_memory(made.gpu, made.llm, made.shape, settings, use);
  const MemoryPlan one = plan_memory(made.gpu, made.llm, {}, settings, use);
  EXPECT_GT(spread.kv_pool_tokens, 4 * one.kv_pool_tokens);
  const MemoryPlan uneven = plan_memory(made.gpu, made.llm, {.expert_parallel = 3}, settings, use);
  EXPECT_EQ(uneven.problem, "4 experts do not divide evenly over 3 GPUs; with redundant_experts 2 they do");
  EXPECT_FALSE(
      plan_memory(made.gpu, made.llm, {.expert_parallel = 3, .redundant_experts = 2}, settings, use).problem);
  EXPECT_TRUE(plan_memory(made.gpu, tiny_llm(), {.expert_parallel = 2}, settings, use).problem);
}

/// A step of 1 ms.
class OneMs final : public StepLatency {
 public:
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork&, std::int64_t) const override { return {.seconds = 1e-3}; }
};

// 5 all-reduces of 40 x 100 bf16 values over 3 nodes of 2 GPUs: each GPU 2 x 2/3 of half of 8,000 bytes at 1 GB/s,
// and 2 x 2 messages of 10 us. Before that, in its node, 2 x 1/2 of 8,000 bytes at 4 GB/s.
TEST(TensorCollectives, AllReducesGoOverEveryPort) {
  const Llm llm = tiny_llm();
  const NodeLink link{.node_gpus = 2, .bytes_per_s = 1e9, .latency_s = 10e-6, .inside_bytes_per_s = 4e9};
  const auto model =
      make_tensor_collectives(std::make_unique<OneMs>(), {.llm = llm, .shape = {.tensor_parallel = 6}, .link = link});
  const double sent_s = 5 * 2 * 2.0 / 3 * 4000 / 1e9;
  const StepSends sends = model->sends(decodes(40), 0);
  EXPECT_NEAR(sends.across_nodes.seconds, sent_s, 1e-15);
  EXPECT_NEAR(sends.inside_node.seconds, 5 * 8000 / 4e9, 1e-15);
  EXPECT_EQ(sends.inside_node.after_s, sends.across_nodes.seconds);
  EXPECT_NEAR(model->stage(decodes(40), 0).seconds, 1e-3 + sent_s + 5 * 4 * 10e-6, 1e-12);
}

// All in one node: four GPUs send 2 x 3/4 of the vector each, and the step takes as long as without.
TEST(TensorCollectives, InOneNodeTakeNoMoreThanTheKernels) {
  const Llm llm = tiny_llm();
  const auto model = make_tensor_collectives(
      std::make_unique<OneMs>(),
      {.llm = llm, .shape = {.tensor_parallel = 4}, .link = {.node_gpus = 4, .inside_bytes_per_s = 4e9}});
  EXPECT_EQ(model->stage(decodes(40), 0).seconds, 1e-3);
  EXPECT_NEAR(model->sends(decodes(40), 0).inside_node.seconds, 5 * 1.5 * 8000 / 4e9, 1e-15);
  EXPECT_EQ(model->sends(decodes(40), 0).across_nodes.seconds, 0);
}

}  // namespace servecast::wide_experts_test
