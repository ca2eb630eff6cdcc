// Families that people bring, as HuggingFace writes their config.json: sizes as published.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/hw/llm/kv_groups.h"
#include "sim/input/library/llm_config.h"

namespace servecast::llm_families_test {

Llm read(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("servecast-family-{}.json", ::getpid());
  std::ofstream(file) << text;
  const Llm llm = load_llm(file.string(), {});
  std::filesystem::remove(file);
  return llm;
}

std::string message_for(const std::string& text) {
  try {
    read(text);
  } catch (const UserError& error) {
    return error.problems().front().message;
  }
  return "taken";
}

struct Model {
  std::string name;
  std::string config;
  double total = 0;  // billions of parameters, as its card or report says
  double tolerance = 0.01;
};

const std::vector<Model> models{
    {"Gemma 2 9B",
     R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "sliding_window": 4096,
      "vocab_size": 256000})",
     9.24},
    {"Gemma 3 12B", R"({"model_type": "gemma3", "text_config": {"hidden_size": 3840, "intermediate_size": 15360,
      "model_type": "gemma3_text", "num_attention_heads": 16, "num_hidden_layers": 48, "num_key_value_heads": 8,
      "sliding_window": 1024}, "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})",
     12.19},
    {"Gemma 3 1B", R"({"model_type": "gemma3_text", "head_dim": 256, "hidden_size": 1152, "intermediate_size": 6912,
      "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1, "sliding_window": 512,
      "sliding_window_pattern": 6, "vocab_size": 262144})",
     1.0},
    {"GLM-4 9B 0414", R"({"model_type": "glm4", "attention_bias": true, "head_dim": 128, "hidden_size": 4096,
      "intermediate_size": 13696, "num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 2,
      "tie_word_embeddings": false, "vocab_size": 151552})",
     9.4},
    {"GLM-4.5", R"({"model_type": "glm4_moe", "attention_bias": true, "head_dim": 128, "hidden_size": 5120,
      "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 1,
      "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 92, "num_key_value_heads": 8,
      "first_k_dense_replace": 3, "use_qk_norm": true, "vocab_size": 151552})",
     355},
    {"Llama 4 Maverick", R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "head_dim": 128,
      "attention_chunk_size": 8192, "hidden_size": 5120, "interleave_moe_layer_step": 2, "intermediate_size": 8192,
      "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48,
      "num_key_value_heads": 8, "num_local_experts": 128, "vocab_size": 202048}, "vision_config": {
      "hidden_size": 1408, "image_size": 336, "intermediate_size": 5632, "num_hidden_layers": 34, "patch_size": 14}})",
     400, 0.01},
    {"Qwen3.5 397B", R"({"model_type": "qwen3_5_moe", "text_config": {"model_type": "qwen3_5_moe_text",
      "hidden_size": 4096, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 2,
      "head_dim": 256, "full_attention_interval": 4, "linear_num_key_heads": 16, "linear_num_value_heads": 64,
      "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "num_experts": 512,
      "num_experts_per_tok": 10, "moe_intermediate_size": 1024, "shared_expert_intermediate_size": 1024,
      "mamba_ssm_dtype": "float32", "vocab_size": 248320}, "vision_config": {"depth": 27, "hidden_size": 1152,
      "intermediate_size": 4304, "out_hidden_size": 4096, "patch_size": 16}})",
     397},
    {"Qwen2.5-VL 7B", R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
      "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584,
      "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}})",
     8.29},
    {"Qwen3-VL 8B", R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text", "head_dim": 128,
      "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 32, "num_hidden_layers": 36,
      "num_key_value_heads": 8, "vocab_size": 151936}, "vision_config": {"deepstack_visual_indexes": [8, 16, 24],
      "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "out_hidden_size": 4096, "patch_size": 16}})",
     8.77},
    {"Mistral Small 3.1", R"({"model_type": "mistral3", "text_config": {"model_type": "mistral", "head_dim": 128,
      "hidden_size": 5120, "intermediate_size": 32768, "num_attention_heads": 32, "num_hidden_layers": 40,
      "num_key_value_heads": 8, "sliding_window": null, "vocab_size": 131072}, "vision_config": {"hidden_size": 1024,
      "intermediate_size": 4096, "num_hidden_layers": 24, "patch_size": 14}})",
     24.0},
};

TEST(LlmFamilies, HaveThePublishedParameters) {
  for (const Model& m : models)
    EXPECT_NEAR(parameters(read(m.config)) / 1e9, m.total, m.tolerance * m.total) << m.name;
}

Llm named(const std::string& name) { return read(std::ranges::find(models, name, &Model::name)->config); }

// Five layers of 1,024 tokens for each full one; Gemma 2: of 4,096, in turn, the first one sliding.
TEST(LlmFamilies, LayersAttendAsTheirConfigsSay) {
  EXPECT_EQ(named("Gemma 3 12B").bounded_layers(), 40);
  EXPECT_EQ(named("Gemma 2 9B").attention(0), Attention::sliding);
  EXPECT_EQ(named("Gemma 2 9B").attention(1), Attention::full);
  EXPECT_EQ(named("Llama 4 Maverick").bounded_layers(), 36);
  EXPECT_EQ(named("Llama 4 Maverick").attention(2), Attention::chunked);
  EXPECT_EQ(named("Llama 4 Maverick").attention(3), Attention::full);
  EXPECT_EQ(named("Llama 4 Maverick").attention_chunk, 8192);
  EXPECT_EQ(named("Llama 4 Maverick").expert_layers(), 24);
  EXPECT_EQ(named("Qwen3.5 397B").attention(3), Attention::full);
  EXPECT_EQ(named("Qwen3.5 397B").attention(4), Attention::linear);
}

// 15 of 60 layers keep keys and values: 2 x 2 heads x 256 numbers of 2 bytes. A state: 64 matrices of 128 x 128 in
// fp32, and 3 columns of the 2 x 2,048 + 8,192 that the convolution looks back at.
TEST(LlmFamilies, StatesAreAsLargeAsPublished) {
  const Llm qwen = named("Qwen3.5 397B");
  EXPECT_EQ(kv_bytes_per_token(qwen, DataType::bf16), 15 * 2048);
  EXPECT_EQ(linear_state_bytes(*qwen.linear), 64 * 128 * 128 * 4 + 12288 * 3 * 2);
}

// vLLM's log for a Qwen3.5 of 32 value heads, fp32 states and 4 KV heads of 256 says: blocks of 528 tokens, and 0.76
// % of padding (its pull request 37467).
TEST(LlmFamilies, AStateTakesTheBlocksThatVllmGivesIt) {
  Llm m{.layers = 4, .heads = 16, .kv_heads = 4, .head_size = 256};
  m.attention_of = {Attention::linear, Attention::linear, Attention::linear, Attention::full};
  m.linear = {
      .key_heads = 16, .value_heads = 32, .key_size = 128, .value_size = 128, .convolution = 4, .state_bytes = 4};
  const KvGroups groups = kv_groups(m, DataType::bf16);
  EXPECT_EQ(groups.groups, 4);
  EXPECT_EQ(groups.windowed, 3);
  EXPECT_EQ(groups.windowed_blocks(16) * 16, 528);
  EXPECT_EQ(groups.windowed_blocks(528), 1);
  EXPECT_NEAR(528 * kv_bytes_per_token_and_layer(m, DataType::bf16) / linear_state_bytes(*m.linear), 1.0076, 5e-5);
  EXPECT_EQ(groups.blocks(1, 16), 1 + 3 * 33);  // from the first token on
  EXPECT_EQ(groups.blocks(100, 16), 100 + 3 * 33);
}

// Four layers of width 8: attention 8 x 8 + 2 x 8 x 4 + 8 x 8 = 192, norms 2 x 8 and 2 x 4; a dense MLP 3 x 8 x 32,
// or a router 8 x 4 and four experts of 3 x 8 x 2, two of them active. Around them 2 x 16 x 8 and a norm of 8.
TEST(LlmFamilies, QwenNamesTheLayersWithoutExperts) {
  const auto model = [](const std::string& more) {
    return R"({"model_type": "qwen3_moe", "hidden_size": 8, "intermediate_size": 32, "moe_intermediate_size": 2,
      "num_experts": 4, "num_experts_per_tok": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4,
      "num_hidden_layers": 4, "vocab_size": 16, "tie_word_embeddings": false, )" +
           more + "}";
  };
  const double others = 4 * (192 + 16 + 8) + 2 * 16 * 8 + 8;
  const Llm two = read(model(R"("mlp_only_layers": [0, 2])"));
  EXPECT_EQ(parameters(two), others + 2 * 768 + 2 * (32 + 4 * 48));
  EXPECT_EQ(active_parameters(two), others + 2 * 768 + 2 * (32 + 2 * 48));
  EXPECT_FALSE(two.only(2, 4).has_experts(0));
  EXPECT_TRUE(two.only(2, 4).has_experts(1));
  const Llm one = read(model(R"("decoder_sparse_step": 2, "mlp_only_layers": [1])"));
  EXPECT_EQ(parameters(one), others + 3 * 768 + (32 + 4 * 48));
  EXPECT_EQ(message_for(model(R"("mlp_only_layers": [4])")),
            "'mlp_only_layers' must be a list of whole numbers from 0 to 3");
}

TEST(LlmFamilies, SayWhoseLoadsABiasKeepsEven) {
  for (const char* name : {"deepseek-v3", "deepseek-v3.2", "glm-4.5-air", "kimi-k2", "minimax-m2.5"})
    EXPECT_TRUE(load_llm(name, {}).experts->even_loads) << name;
  for (const char* name : {"deepseek-v2-lite", "gpt-oss-120b", "llama-4-maverick", "mixtral-8x7b", "qwen3-30b-a3b"})
    EXPECT_FALSE(load_llm(name, {}).experts->even_loads) << name;
}

TEST(LlmFamilies, SayWhatTheyDoNotKnow) {
  EXPECT_THAT(message_for(R"({"model_type": "mamba2"})"), testing::HasSubstr("mamba2"));
  EXPECT_THAT(message_for(R"({"model_type": "gemma3", "vision_config": {}})"), testing::HasSubstr("'text_config'"));
  EXPECT_THAT(message_for(R"({"model_type": "gemma2", "hidden_size": 64, "intermediate_size": 100,
    "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 10, "layer_types": ["full_attention", "mamba"]})"),
              testing::AllOf(testing::HasSubstr("mamba"), testing::HasSubstr("linear_attention")));
  EXPECT_THAT(message_for(R"({"model_type": "gemma2", "hidden_size": 64, "intermediate_size": 100,
    "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 10, "layer_types": ["full_attention"]})"),
              testing::HasSubstr("1 entries for 2 layers"));
}

}  // namespace servecast::llm_families_test
