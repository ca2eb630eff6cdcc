#include "models/hw/llm/llm.h"

#include <gtest/gtest.h>

#include "tests/unit/hw/made_up.h"

namespace servecast::llm_test {

// tiny, one layer: q 100 x 100, k and v 100 x 50 each, o 100 x 100 = 30,000; MLP 3 x 100 x 200 = 60,000; two norms
// 200. Two layers 180,400; embedding and LM head 100,000 each; last norm 100.
TEST(Llm, CountsAllWeights) {
  EXPECT_EQ(parameters(tiny_llm()), 2 * 90'200 + 200'000 + 100);
  EXPECT_EQ(active_parameters(tiny_llm()), parameters(tiny_llm()));
}

TEST(Llm, TiedEmbeddingsAreOneTable) {
  Llm m = tiny_llm();
  m.tied_embeddings = true;
  EXPECT_EQ(parameters(m), 2 * 90'200 + 100'000 + 100);
}

// Two matrices 40,000 instead of 60,000; LayerNorm 4 x 100; biases q, k, v 200, o 100, MLP 200 + 100; positions 7 x
// 100.
TEST(Llm, CountsOldStyleLayers) {
  Llm m = tiny_llm();
  m.gated_mlp = false;
  m.layer_norm_bias = m.qkv_bias = m.output_bias = m.mlp_bias = true;
  m.learned_positions = 7;
  EXPECT_EQ(parameters(m), 2 * (30'000 + 40'000 + 400 + 600) + 200'000 + 200 + 700);
}

// Expert layer: router 400, shared 3 x 100 x 10 = 3,000, experts 9,000 each: all four 36,000, the chosen two 18,000.
TEST(Llm, ExpertsCountAllOrTheChosen) {
  const double rest = 90'200 + 30'200 + 200'100;  // dense layer; attention and norms of the other; outside
  EXPECT_EQ(parameters(tiny_moe()), rest + 400 + 3'000 + 36'000);
  EXPECT_EQ(active_parameters(tiny_moe()), rest + 400 + 3'000 + 18'000);
}

// The second layer alone has the experts and attends to everything.
TEST(Llm, SomeOfItsLayersKeepTheirKinds) {
  Llm m = tiny_moe();
  m.attention_of = {Attention::sliding, Attention::full};
  const Llm second = m.only(1, 2);
  EXPECT_EQ(second.layers, 1);
  EXPECT_EQ(second.attention(0), Attention::full);
  EXPECT_TRUE(second.has_experts(0));
  EXPECT_FALSE(m.only(0, 1).has_experts(0));
  EXPECT_EQ(layer_weights(second, 0, 1).linear(), layer_weights(m, 1, 2).linear());
}

TEST(Llm, QuantisationTouchesLinearLayersOnly) {
  const double linear = 180'000;
  const double kept = 400 + 200'100;
  EXPECT_EQ(weight_bytes(tiny_llm(), DataType::bf16), 2 * (linear + kept));
  EXPECT_EQ(weight_bytes(tiny_llm(), DataType::fp8), linear + 2 * kept);
  // 4 bits + (16 + 4) bits per 128 weights = 4.15625 bits = 0.51953125 bytes
  EXPECT_EQ(weight_bytes(tiny_llm(), DataType::int4), 0.51953125 * linear + 2 * kept);
}

// Two layers of attention (100 x (100 + 100) + 100 x 100 weights each), a dense MLP of 3 x 100 x 200, four experts of
// 3 x 100 x 30, one of width 10 that every token passes, a router of 100 x 4.
TEST(Llm, ExpertsMayHaveATypeOfTheirOwn) {
  const double attention = 2 * 30'000, dense = 60'000, experts = 36'000, shared = 3'000;
  const double kept = 400 + 200'100 + 400;
  EXPECT_EQ(weight_bytes(tiny_moe(), DataType::bf16), 2 * (attention + dense + experts + shared + kept));
  EXPECT_EQ(weight_bytes(tiny_moe(), {DataType::bf16, DataType::fp8, DataType::mxfp4}),
            2 * attention + dense + shared + 0.53125 * experts + 2 * kept);
}

TEST(Llm, WhatAPoolSaysOfWeightsGoesBeforeWhatIsPublished) {
  const Checkpoints published{.own = {DataType::bf16, DataType::bf16, DataType::mxfp4}};
  EXPECT_EQ(weight_types({}, published), published.own);
  EXPECT_EQ(weight_types({.all = "fp8"}, published), DataType::fp8);
  EXPECT_EQ(weight_types({.all = "mxfp4"}, {}), published.own);  // engines have no other kernels for it
  EXPECT_EQ(weight_types({.experts = "w4a8_mxfp4"}, published).experts, DataType::w4a8_mxfp4);
  EXPECT_EQ(weights_name(published.own), "bf16, experts mxfp4");
  EXPECT_EQ(weights_name({DataType::bf16, DataType::nvfp4, DataType::nvfp4}), "bf16, MLPs and experts nvfp4");
  EXPECT_EQ(weights_name(DataType::fp8_block), "fp8_block");
}

// Of DeepSeek's attention NVIDIA quantises the output alone: its 100 x 100 weights of 300 x 100.
TEST(Llm, WeightsInNvfp4AreThoseOfItsCheckpoint) {
  WeightTypes output_alone(DataType::bf16, DataType::nvfp4, DataType::nvfp4);
  output_alone.output = DataType::nvfp4;
  const Checkpoints published{.own = DataType::fp8_block, .nvfp4 = output_alone};
  EXPECT_EQ(weight_types({.all = "nvfp4"}, published), output_alone);
  EXPECT_EQ(weight_types({.all = "nvfp4"}, {}), DataType::nvfp4);
  const WeightTypes wide = weight_types({.all = "nvfp4", .attention = "bf16"}, published);
  EXPECT_EQ(wide.output, DataType::bf16);
  EXPECT_EQ(wide.mlp, DataType::nvfp4);
  EXPECT_EQ(weights_name(output_alone), "bf16, output, MLPs and experts nvfp4");
  EXPECT_EQ(weight_bytes(tiny_moe(), wide) - weight_bytes(tiny_moe(), output_alone), 2 * (2 - 0.5625) * 10'000);
}

// 2 layers x (key + value) x 1 head x 50 = 200 numbers.
TEST(Llm, KvCacheOfGroupedHeads) {
  EXPECT_EQ(kv_bytes_per_token(tiny_llm(), DataType::bf16), 400);
  EXPECT_EQ(kv_bytes_per_token(tiny_llm(), DataType::fp8), 200);
}

TEST(Llm, KvCacheOfLatentAttentionIsOneVector) {
  Llm m = tiny_llm();
  m.latent = {.query_rank = 10, .kv_rank = 20, .rope_head_size = 4, .nope_head_size = 8, .value_head_size = 6};
  EXPECT_EQ(kv_bytes_per_token(m, DataType::bf16), 2 * (20 + 4) * 2);
  // q down 100 x 10, up 10 x 2 x 12; kv down 100 x 24, up 20 x 2 x 14; out 12 x 100; two norms 30, layer norms 200
  const double attention = 1000 + 240 + 2400 + 560 + 1200 + 30;
  EXPECT_EQ(parameters(m), 2 * (attention + 60'000 + 200) + 200'100);
}

// 2 per weight of 180,000 linear and 100,000 in the LM head; attention 2 x 2 heads x (50 + 50) per pair and layer.
TEST(Llm, FlopPerToken) {
  EXPECT_EQ(flop_per_token(tiny_llm(), 10), 2 * 280'000 + 2 * 400 * 10);
  Llm m = tiny_llm();
  m.sliding_window = 4;
  EXPECT_EQ(flop_per_token(m, 10), 2 * 280'000 + 2 * 400 * 4);
  m.attention_of = {Attention::sliding, Attention::full};
  EXPECT_EQ(flop_per_token(m, 10), 2 * 280'000 + 400 * 4 + 400 * 10);
}

TEST(DataTypes, NamesAreKnown) {
  EXPECT_EQ(data_type("auto"), DataType::bf16);
  for (const DataTypeFacts& type : data_types) EXPECT_EQ(data_type(type.name), type.type);
  EXPECT_EQ(data_type("int3"), std::nullopt);
  EXPECT_EQ(data_type_names().size(), data_types.size() + 1);
}

}  // namespace servecast::llm_test
