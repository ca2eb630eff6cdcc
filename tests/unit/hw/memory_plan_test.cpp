#include "models/hw/memory/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/hw/made_up.h"

namespace servecast::memory_plan_test {

using testing::HasSubstr;
using testing::Not;

// The whole model: 380,500 weights = 761,000 bytes. Split over 2: linear layers and tables halve (280,000 weights
// less 140,000 of the linear, 100,000 of the tables), norms 400 stay; the outer norm is left out as too small to
// matter.
TEST(StageWeights, SplitsLinearLayersAndTables) {
  EXPECT_EQ(stage_weight_bytes(tiny_llm(), DataType::bf16, {1, 1}, 0), 2 * (180'000 + 400 + 200'000));
  EXPECT_EQ(stage_weight_bytes(tiny_llm(), DataType::bf16, {2, 1}, 0), 2 * (90'000 + 400 + 100'000));
  EXPECT_EQ(stage_weight_bytes(tiny_llm(), DataType::bf16, {1, 2}, 0), 2 * (90'000 + 200 + 100'000));
  EXPECT_EQ(stage_weight_bytes(tiny_llm(), DataType::fp8, {1, 1}, 0), 180'000 + 2 * (400 + 200'000));
}

TEST(StageLayers, ExtraLayersComeBeforeTheLastStage) {
  // 7 layers on 3 stages: 2, 3, 2. 8 on 3: 3, 3, 2.
  EXPECT_EQ(stage_layers(7, 3, 0).size(), 2);
  EXPECT_EQ(stage_layers(7, 3, 1).size(), 3);
  EXPECT_EQ(stage_layers(7, 3, 2).size(), 2);
  EXPECT_EQ(stage_layers(8, 3, 0).size(), 3);
  for (std::int64_t layers = 1; layers < 40; ++layers)
    for (std::int64_t stages = 1; stages <= layers; ++stages) {
      std::int64_t next = 0;
      for (std::int64_t s = 0; s < stages; ++s) {
        EXPECT_EQ(stage_layers(layers, stages, s).first, next);
        EXPECT_GE(stage_layers(layers, stages, s).size(), 1);
        next = stage_layers(layers, stages, s).last;
      }
      EXPECT_EQ(next, layers);
    }
}

// 10 tokens x (2 x 100 + 3 x 200) x 2 = 16,000; logits 2 x 1,000 x 10 = 20,000 are larger.
TEST(Activations, AreTheLargerOfLayerAndLogits) {
  EXPECT_EQ(activation_bytes(tiny_llm(), {}, {.max_step_tokens = 10, .max_sequences = 2}), 20'000);
  EXPECT_EQ(activation_bytes(tiny_llm(), {}, {.max_step_tokens = 10, .max_sequences = 1}), 16'000);
}

// Two experts of width 300, each with an output of 100, and a shared one of width 10: 10 tokens x
// (2 x 100 + 2 x (3 x 300 + 100) + 3 x 10) x 2 = 44,600. On 2 GPUs the shared one halves; the others where sliced.
TEST(Activations, HaveEveryChosenExpertAtTheWidthThatAGpuHolds) {
  Llm llm = tiny_moe();
  llm.experts->intermediate = 300;
  const MemoryUse use{.max_step_tokens = 10, .max_sequences = 1};
  EXPECT_EQ(activation_bytes(llm, {}, use), 44'600);
  EXPECT_EQ(activation_bytes(llm, {.tensor_parallel = 2}, use), 20 * (200 + 2 * (450 + 100) + 15));
  EXPECT_EQ(activation_bytes(llm, {.tensor_parallel = 2, .expert_parallel = 2}, use),
            20 * (200 + 2 * (900 + 100) + 15));
}

// vllm: 0.9 x 10e9 - 760,800 - 20,000 - 1e9 = 7,999,219,200 bytes; 400 per token: 19,998,048 tokens.
// trtllm: 0.9 x (10e9 - 760,800 - 20,000 - 1e9) = 8,099,297,280 bytes: 20,248,243.2 tokens.
TEST(MemoryPlan, FollowsBothRules) {
  const MemoryUse use{.max_step_tokens = 10, .max_sequences = 2};
  const MemoryPlan vllm = plan_memory(made_up_gpu(), tiny_llm(), {}, {.reserve_bytes = 1e9}, use);
  EXPECT_NEAR(vllm.kv_pool_bytes, 7'999'219'200, 1e-3);
  EXPECT_EQ(vllm.kv_pool_tokens, 19'998'048);
  EXPECT_FALSE(vllm.problem);
  const MemoryPlan trt = plan_memory(made_up_gpu(), tiny_llm(), {}, {.rule = "trtllm", .reserve_bytes = 1e9}, use);
  EXPECT_EQ(trt.kv_pool_tokens, 20'248'243);
}

// 0.8 x (10e9 - 1e9) - 760,800 = 7,199,239,200 bytes: activations lie in the other fifth.
TEST(MemoryPlan, SglangKeepsActivationsInTheRest) {
  const MemoryUse use{.max_step_tokens = 10, .max_sequences = 2};
  const MemorySettings settings{.rule = "sglang", .gpu_memory_utilization = 0.8};
  EXPECT_NEAR(plan_memory(made_up_gpu(), tiny_llm(), {}, settings, use).kv_pool_bytes, 7'199'239'200, 1e-3);
}

// server_args.py, in MiB. One GPU of 80 GiB: 512 + 1.5 x 8,192 + 2 x 256 + 128 = 13,440 of 81,920. Eight ranks with
// graphs of 512 and 4,096 tokens each: 2 x 512 + 8 x 128 + 4.5 x 512 x 8 = 20,480 beside 512 and 6,144. Few tokens:
// 10 GiB.
TEST(MemoryPlan, SglangLeavesWhatItsServerWould) {
  Gpu gpu = made_up_gpu();
  gpu.hbm_bytes = 80.0 * 1024 * 1024 * 1024;
  EXPECT_NEAR(sglang_share(gpu, {}, {.max_step_tokens = 8192, .max_sequences = 256}), 1 - 13'440 / 81'920.0, 1e-12);
  const Shape ranks{.expert_parallel = 8, .data_parallel = 8};
  EXPECT_NEAR(sglang_share(gpu, ranks, {.max_step_tokens = 32768, .max_sequences = 8192}), 1 - 27'136 / 81'920.0,
              1e-12);
  EXPECT_NEAR(sglang_share(gpu, {}, {.max_step_tokens = 1024, .max_sequences = 8}), 1 - 10.0 / 80, 1e-12);
}

// An expert of tiny_moe has 3 x 100 x 30 weights, 18,000 bytes; one of its two layers has experts. Three of four
// absent and room for one on its way: 36,000 bytes less, of which each of two GPUs had half.
TEST(MemoryPlan, ExpertsElsewhereMakeRoom) {
  const MemoryUse all{.max_step_tokens = 10, .max_sequences = 2};
  MemoryUse part = all;
  part.absent_experts = 3;
  part.buffered_experts = 1;
  for (const std::int64_t gpus : {1, 2}) {
    const Shape shape{.tensor_parallel = gpus};
    const MemoryPlan whole = plan_memory(made_up_gpu(), tiny_moe(), shape, {.reserve_bytes = 1e9}, all);
    const MemoryPlan less = plan_memory(made_up_gpu(), tiny_moe(), shape, {.reserve_bytes = 1e9}, part);
    EXPECT_DOUBLE_EQ(whole.weight_bytes - less.weight_bytes, 36'000 / static_cast<double>(gpus));
  }
}

// One KV head on two GPUs is copied, so the second GPU adds no room for tokens but that of the smaller weights.
TEST(MemoryPlan, KvHeadsAreCopiedNotSplit) {
  const MemoryUse use{.max_step_tokens = 10, .max_sequences = 2};
  const auto one = plan_memory(made_up_gpu(), tiny_llm(), {1, 1}, {}, use);
  const auto two = plan_memory(made_up_gpu(), tiny_llm(), {2, 1}, {}, use);
  EXPECT_NEAR(static_cast<double>(two.kv_pool_tokens - one.kv_pool_tokens),
              (one.weight_bytes - two.weight_bytes + one.activation_bytes - two.activation_bytes) / 400, 1);
  Llm mha = tiny_llm();
  mha.kv_heads = 2;
  EXPECT_GT(plan_memory(made_up_gpu(), mha, {2, 1}, {}, use).kv_pool_tokens,
            1.9 * static_cast<double>(plan_memory(made_up_gpu(), mha, {1, 1}, {}, use).kv_pool_tokens));
}

TEST(MemoryPlan, SaysByHowMuchItMissesAndWhatFits) {
  Gpu small = made_up_gpu();
  small.hbm_bytes = 700'000;  // 630,000 to use; 780,800 needed: 150,800 too many. On 2 GPUs 380,800 + 20,000 fit.
  const MemoryUse use{.max_step_tokens = 10, .max_sequences = 2};
  const MemoryPlan plan = plan_memory(small, tiny_llm(), {}, {.reserve_bytes = 0}, use);
  ASSERT_TRUE(plan.problem);
  EXPECT_THAT(*plan.problem, HasSubstr("each needs 780800 bytes"));
  EXPECT_THAT(*plan.problem, HasSubstr("150800 more than there are"));
  EXPECT_THAT(*plan.problem, HasSubstr("smallest shape that fits: tensor_parallel 2, pipeline_parallel 1"));
  EXPECT_EQ(plan.kv_pool_tokens, 0);

  small.hbm_bytes = 300'000;  // 270,000: two stages of two GPUs hold 190,400 and 20,000 each
  EXPECT_EQ(smallest_shape(small, tiny_llm(), {.reserve_bytes = 0}, use), (Shape{2, 2}));
  small.hbm_bytes = 1000;
  EXPECT_EQ(smallest_shape(small, tiny_llm(), {.reserve_bytes = 0}, use), std::nullopt);
  EXPECT_THAT(*plan_memory(small, tiny_llm(), {}, {}, use).problem, HasSubstr("no shape of this GPU holds it"));
}

TEST(MemoryPlan, SaysWhatSglangKeepsForLargeStepsWhereNothingFits) {
  Gpu small = made_up_gpu();
  small.hbm_bytes = 1000;
  const auto problem = [&](MemorySettings settings) {
    return plan_memory(small, tiny_llm(), {}, settings, {.max_step_tokens = 16384, .max_sequences = 2})
        .problem.value();
  };
  EXPECT_THAT(problem({.rule = "sglang"}), HasSubstr("beside what SGLang keeps for steps of 16384 tokens"));
  EXPECT_THAT(problem({.rule = "sglang", .gpu_memory_utilization = 0.9}), Not(HasSubstr("SGLang")));
  EXPECT_THAT(problem({.rule = "vllm"}), Not(HasSubstr("SGLang")));
}

TEST(MemoryPlan, RefusesShapesThatDoNotDivide) {
  EXPECT_THAT(*plan_memory(made_up_gpu(), tiny_llm(), {3, 1}, {}, {}).problem, HasSubstr("valid: 1, 2"));
  EXPECT_THAT(*plan_memory(made_up_gpu(), tiny_llm(), {1, 3}, {}, {}).problem, HasSubstr("more than the 2 layers"));
  EXPECT_THAT(*plan_memory(made_up_gpu(), tiny_llm(), {3, 1}, {}, {.node_gpus = 2}).problem,
              HasSubstr("more than the 2 GPUs of a node and no multiple of them"));
  EXPECT_FALSE(plan_memory(made_up_gpu(), tiny_llm(), {2, 1}, {}, {.node_gpus = 1}).problem);  // two whole nodes
}

}  // namespace servecast::memory_plan_test
