// Points that narrower weights lose, against the published results they are taken from.
#include "models/hw/llm/answer_loss.h"

#include <gtest/gtest.h>

namespace servecast::answer_loss_test {

Llm sized(const std::string& name, std::int64_t layers, std::int64_t hidden, std::int64_t intermediate) {
  return {.name = name,
          .layers = layers,
          .hidden = hidden,
          .heads = 32,
          .kv_heads = 8,
          .head_size = 128,
          .vocabulary = 128256,
          .intermediate = intermediate};
}
const Llm eight = sized("llama-3.1-8b", 32, 4096, 14336);
const Llm seventy = sized("llama-3.1-70b", 80, 8192, 28672);

TEST(AnswerLoss, IsThePublishedResultOfTheNearestModel) {
  EXPECT_EQ(weights_loss(eight, DataType::bf16)->points, 0);
  EXPECT_EQ(weights_loss(eight, DataType::fp16)->points, 0);
  EXPECT_EQ(weights_loss(eight, DataType::fp8)->points, 0);
  EXPECT_FALSE(weights_loss(eight, DataType::fp8)->extrapolated);
  EXPECT_DOUBLE_EQ(weights_loss(eight, DataType::int4)->points, 2.5)
      << "98.9 and 96.1 % kept: 1.1 and 3.9, the middle";
  EXPECT_DOUBLE_EQ(weights_loss(seventy, DataType::w8a8)->points, 0.6) << "99.4 % kept";
  EXPECT_NEAR(weights_loss(seventy, DataType::int8)->points, 79.18 - 77.90, 1e-9);
  EXPECT_NEAR(weights_loss(sized("llama-2-7b", 32, 4096, 11008), DataType::int4)->points, 41.80 - 40.07, 1e-9);
  EXPECT_NEAR(weights_loss(eight, DataType::nvfp4)->points, 78.9 - (74.0 + 76.1) / 2, 1e-9);
}

TEST(AnswerLoss, SaysWhereNothingIsPublished) {
  EXPECT_FALSE(weights_loss(eight, DataType::mxfp4));
  EXPECT_FALSE(weights_loss(eight, DataType::w4a8));
  EXPECT_TRUE(weights_loss(sized("qwen2.5-7b", 28, 3584, 18944), DataType::int4)->extrapolated) << "another family";
  EXPECT_TRUE(weights_loss(seventy, DataType::int4)->extrapolated) << "eight times the size";
  const AnswerLoss loss = *weights_loss(eight, DataType::int4);
  EXPECT_LE(loss.least_points, loss.points);
  EXPECT_GE(loss.most_points, loss.points);
  EXPECT_NE(loss.source, "");
}

TEST(AnswerLoss, WeightsAsPublishedLoseNothing) {
  Llm llm = eight;
  llm.published.own = DataType::fp8_block;
  EXPECT_EQ(weights_loss(llm, DataType::fp8_block)->points, 0);
  EXPECT_EQ(weights_loss(llm, DataType::bf16)->points, 0) << "wider";
  EXPECT_GT(weights_loss(llm, DataType::int4)->points, 0);
  const WeightTypes mlp_alone(DataType::bf16, DataType::int4, DataType::bf16);
  EXPECT_DOUBLE_EQ(weights_loss(eight, mlp_alone)->points, 2.5) << "that of the part that loses most";
  const WeightTypes experts_alone(DataType::bf16, DataType::bf16, DataType::int4);
  EXPECT_EQ(weights_loss(eight, experts_alone)->points, 0) << "it has none";
}

}  // namespace servecast::answer_loss_test
