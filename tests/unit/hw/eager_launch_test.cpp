#include "models/hw/additions/eager_launch.h"

#include <gtest/gtest.h>

namespace servecast::eager_launch_test {

/// A millisecond per token, split evenly over the stages.
class PerToken final : public StepLatency {
 public:
  explicit PerToken(std::int64_t stages) : stages_(stages) {}
  std::int64_t stages() const override { return stages_; }
  StageTime stage(const StepWork& work, std::int64_t) const override {
    const double seconds = 1e-3 * static_cast<double>(work.tokens()) / static_cast<double>(stages_);
    return {.seconds = seconds, .compute_s = seconds};
  }

 private:
  std::int64_t stages_;
};

// Of 8 operations each.
const EagerLaunch ten_layers{.llm = {.layers = 10}, .operation_s = 0.25e-3, .graph_tokens = 4};

StageTime prompt_of(std::int64_t tokens, std::int64_t stages = 1, std::int64_t stage = 0) {
  StepWork work{.decode_sequences = 2};
  work.add_chunk(tokens, 0);
  return with_eager_launch(std::make_unique<PerToken>(stages), ten_layers)->stage(work, stage);
}

// Ten layers of 2 ms: 20 ms, of which a prompt of three tokens beside two decodes computes for five.
TEST(EagerLaunchTest, TheGpuWaitsForTheHostInShortPrompts) {
  EXPECT_DOUBLE_EQ(prompt_of(3).seconds, 0.020);
  EXPECT_DOUBLE_EQ(prompt_of(3).host_s, 0.015);
  EXPECT_DOUBLE_EQ(prompt_of(3).compute_s, 0.005);
}

TEST(EagerLaunchTest, LongPromptsHideIt) {
  EXPECT_DOUBLE_EQ(prompt_of(18).seconds, 0.020);
  EXPECT_EQ(prompt_of(18).host_s, 0);
  EXPECT_DOUBLE_EQ(prompt_of(19).seconds, 0.021);
}

TEST(EagerLaunchTest, DecodesAreHeldByGraphsUpToTheLargest) {
  const StageTime time =
      with_eager_launch(std::make_unique<PerToken>(1), ten_layers)->stage({.decode_sequences = 3}, 0);
  EXPECT_DOUBLE_EQ(time.seconds, 0.003);
  EXPECT_EQ(time.host_s, 0);
}

TEST(EagerLaunchTest, MoreDecodesThanTheLargestGraphAreLaunchedOneByOne) {
  const StageTime time =
      with_eager_launch(std::make_unique<PerToken>(1), ten_layers)->stage({.decode_sequences = 5}, 0);
  EXPECT_DOUBLE_EQ(time.seconds, 0.020);
  EXPECT_DOUBLE_EQ(time.host_s, 0.015);
}

// Piecewise graphs of four tokens hold two of a prompt beside two decodes, and no third.
TEST(EagerLaunchTest, PiecewiseGraphsHoldPromptsUpToTheLargest) {
  EagerLaunch piecewise = ten_layers;
  piecewise.prompts_in_graphs = true;
  const auto model = with_eager_launch(std::make_unique<PerToken>(1), piecewise);
  StepWork two{.decode_sequences = 2};
  two.add_chunk(2, 0);
  StepWork three{.decode_sequences = 2};
  three.add_chunk(3, 0);
  EXPECT_DOUBLE_EQ(model->stage(two, 0).seconds, 0.004);
  EXPECT_DOUBLE_EQ(model->stage(three, 0).seconds, 0.020);
}

std::int64_t operations(const Llm& llm, std::int64_t layer = 0) { return launched_operations({.llm = llm}, layer); }

// By hand, from the models' code in vLLM and SGLang: two norms, attention, MLP or experts, and what shared experts
// and gates add.
TEST(EagerLaunchTest, LayersAreLaunchedByTheirOperations) {
  const Experts routed{.count = 128, .active = 4, .intermediate = 2880};
  const Experts shared{.count = 256,
                       .active = 8,
                       .intermediate = 2048,
                       .shared_intermediate = 2048,
                       .first_dense_layers = 3,
                       .even_loads = true};
  const Experts gated{.count = 512, .shared_intermediate = 1024, .shared_gate = true};
  const Llm deepseek_v3{.layers = 61, .experts = shared, .latent = LatentAttention{.query_rank = 1536}};
  const Llm gpt_oss{.layers = 36, .experts = routed};
  EXPECT_EQ(operations({.layers = 32}), 2 + 3 + 3);
  EXPECT_EQ(operations({.layers = 36, .qk_norm = true}), 2 + 4 + 3);
  EXPECT_EQ(operations({.layers = 60, .qk_norm = true, .gated_attention = true, .experts = gated}), 2 + 8 + 3 + 7);
  EXPECT_EQ(operations(gpt_oss), 2 + 3 + 3);
  EXPECT_EQ(launched_operations({.llm = gpt_oss, .triton_experts = true}, 0), 2 + 3 + 20);
  EXPECT_EQ(operations({.layers = 1, .attention_of = {Attention::linear}}), 2 + 32 + 3);
  EXPECT_EQ(operations(deepseek_v3, 0), 2 + 11 + 3);
  EXPECT_EQ(operations(deepseek_v3, 3), 2 + 11 + 3 + 4);
  EXPECT_EQ(launched_operations({.llm = deepseek_v3, .biased_choice_operations = 3}, 3), 2 + 11 + 5 + 4);
  EXPECT_EQ(operations({.layers = 27, .experts = shared, .latent = LatentAttention{}}, 3), 2 + 10 + 3 + 4);
}

// 16 operations a layer, and 4 where decodes have a call of their own.
TEST(EagerLaunchTest, DecodesOfLatentAttentionAreLaunchedBesidePrompts) {
  const EagerLaunch latent{
      .llm = {.layers = 10, .latent = LatentAttention{.query_rank = 1536}}, .operation_s = 1e-3, .graph_tokens = 4};
  const auto model = with_eager_launch(std::make_unique<PerToken>(1), latent);
  StepWork work;
  work.add_chunk(3, 0);
  EXPECT_DOUBLE_EQ(model->stage(work, 0).seconds, 0.160);
  work.decode_sequences = 2;
  EXPECT_DOUBLE_EQ(model->stage(work, 0).seconds, 0.200);
}

// Ten layers on three stages: the one before the last has the fourth.
TEST(EagerLaunchTest, EveryStageLaunchesItsOwnLayers) {
  EXPECT_DOUBLE_EQ(prompt_of(1, 3, 0).seconds, 0.006);
  EXPECT_DOUBLE_EQ(prompt_of(1, 3, 1).seconds, 0.008);
  EXPECT_DOUBLE_EQ(prompt_of(1, 3, 2).seconds, 0.006);
}

}  // namespace servecast::eager_launch_test
