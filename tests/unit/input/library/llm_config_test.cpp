#include "sim/input/library/llm_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace servecast::llm_config_test {

using testing::ElementsAre;
using testing::HasSubstr;

struct Published {
  std::string name;
  double total = 0;              // parameters, billions
  double active = 0;             // 0: all
  double kv_bytes = 0;           // per token in bf16; 0: not published
  bool embedding_active = true;  // counted in the published active figure
};

// Totals: model cards and papers. KV: vLLM and DeepSeek papers, and 2 x layers x KV heads x head size x 2 bytes.
const std::vector<Published> published{
    {.name = "llama-2-7b", .total = 6.74, .kv_bytes = 524288},
    {.name = "llama-2-13b", .total = 13.0, .kv_bytes = 819200},
    {.name = "llama-2-70b", .total = 69.0, .kv_bytes = 327680},
    {.name = "llama-3-8b", .total = 8.03, .kv_bytes = 131072},
    {.name = "llama-3-70b", .total = 70.6, .kv_bytes = 327680},
    {.name = "llama-3.1-8b", .total = 8.03, .kv_bytes = 131072},
    {.name = "llama-3.1-minitron-4b-depth", .total = 4.54, .kv_bytes = 65536},
    {.name = "llama-3.1-minitron-4b-width", .total = 4.51, .kv_bytes = 131072},
    {.name = "llama-3.1-70b", .total = 70.6, .kv_bytes = 327680},
    {.name = "llama-3.1-405b", .total = 405.9, .kv_bytes = 516096},
    {.name = "codellama-34b", .total = 33.7},
    {.name = "qwen2.5-7b", .total = 7.61},
    {.name = "qwen2.5-32b", .total = 32.8},
    {.name = "qwen2.5-72b", .total = 72.7},
    {.name = "qwen3-8b", .total = 8.2},
    {.name = "qwen3-14b", .total = 14.8},
    {.name = "qwen3-32b", .total = 32.8},
    {.name = "qwen3-30b-a3b", .total = 30.5, .active = 3.35},
    {.name = "qwen3-235b-a22b", .total = 235, .active = 22},
    {.name = "mistral-7b", .total = 7.25},
    {.name = "yi-34b", .total = 34.4},
    {.name = "llama-30b", .total = 32.5},
    {.name = "mixtral-8x7b", .total = 46.7, .active = 12.9},
    {.name = "mixtral-8x22b", .total = 141, .active = 39},
    {.name = "deepseek-v2-lite", .total = 15.7, .active = 2.45, .embedding_active = false},
    {.name = "deepseek-v3", .total = 671, .active = 36.7, .kv_bytes = 70272, .embedding_active = false},
    {.name = "kimi-k2", .total = 1026, .active = 31.7, .kv_bytes = 70272, .embedding_active = false},
    {.name = "minimax-m2.5", .total = 229, .active = 9.8 + 1.23},  // "A10B" counts neither embedding nor LM head
    {.name = "opt-13b", .total = 12.85, .kv_bytes = 819200},
    {.name = "opt-66b", .total = 65.7},
    {.name = "gpt-oss-20b", .total = 20.9, .active = 3.61, .embedding_active = false},
    {.name = "gpt-oss-120b", .total = 116.8, .active = 5.13, .embedding_active = false},
    {.name = "gemma-3-27b", .total = 27.43},  // 25.60 and 1.42 of embeddings, and 0.42 of the encoder (its report)
    {.name = "glm-4.5-air", .total = 106.9, .active = 12.2 + 1.24},   // "A12B" counts neither embedding nor LM head
    {.name = "llama-4-scout", .total = 108.6, .active = 17.2 + 0.9},  // "17B" is without the encoder
    {.name = "llama-4-maverick", .total = 401.6, .active = 17.2 + 0.9},
    {.name = "qwen3.5-397b-a17b", .total = 396.8, .active = 16.8 + 1.02, .kv_bytes = 30720},  // "A17B": no LM head
    {.name = "qwen3-next-80b-a3b", .total = 79.7, .active = 3.87, .kv_bytes = 24576},
    {.name = "deepseek-v3.2",
     .total = 671.9,
     .active = 36.7 + 0.85,
     .kv_bytes = 70272 + 61 * 132,
     .embedding_active = false},
    {.name = "phi-4", .total = 14.66, .kv_bytes = 204800},
};

TEST(BundledLlms, MatchPublishedSizes) {
  for (const Published& p : published) {
    const Llm llm = load_llm(p.name, {});
    EXPECT_EQ(llm.name, p.name);
    EXPECT_NEAR(parameters(llm) / 1e9, p.total, 0.01 * p.total) << p.name;
    const double active = p.active > 0 ? p.active : p.total;
    const double left_out = p.embedding_active ? 0 : embedding_parameters(llm);
    EXPECT_NEAR((active_parameters(llm) - left_out) / 1e9, active, 0.01 * active) << p.name;
    if (p.kv_bytes > 0) {
      EXPECT_EQ(kv_bytes_per_token(llm, DataType::bf16), p.kv_bytes) << p.name;
    }
  }
}

TEST(BundledLlms, AreAllInThisTest) {
  std::vector<std::string> names;
  for (const Published& p : published) names.push_back(p.name);
  EXPECT_THAT(list_llms(), testing::UnorderedElementsAreArray(names));
}

// DeepSeek-V3 is published in fp8, all but embeddings, norms and router: 671 GB of 671e9 weights, and 1.85e9 more for
// these in two bytes. gpt-oss-120b: 114.7e9 expert weights of 4.25 bits (its card: 60.8 GiB for the checkpoint).
TEST(BundledLlms, AreStoredAsTheyArePublished) {
  EXPECT_EQ(load_llm("llama-3.1-8b", {}).published.own, WeightTypes());
  const Llm deepseek = load_llm("deepseek-v3", {});
  EXPECT_EQ(deepseek.published.own, DataType::fp8_block);
  EXPECT_NEAR(weight_bytes(deepseek, deepseek.published.own) / 1e9, 673, 3);
  const Llm gpt_oss = load_llm("gpt-oss-120b", {});
  EXPECT_EQ(gpt_oss.published.own, WeightTypes(DataType::bf16, DataType::bf16, DataType::mxfp4));
  EXPECT_NEAR(weight_bytes(gpt_oss, gpt_oss.published.own) / 1.073741824e9, 60.8, 0.6);
}

// 6.74 B weights: fp16 13.5 GB, int8 6.7 (embeddings stay bf16: 7.0), int4 with groups of 128 3.6 to 3.9.
TEST(BundledLlms, QuantisedSizesOfA7B) {
  const Llm llm = load_llm("llama-2-7b", {});
  EXPECT_NEAR(weight_bytes(llm, DataType::bf16) / 1e9, 13.5, 0.05);
  EXPECT_NEAR(weight_bytes(llm, DataType::int8) / 1e9, 7.0, 0.05);
  EXPECT_NEAR(weight_bytes(llm, DataType::int4) / 1e9, 3.89, 0.05);
}

// Prefill arithmetic of Llama-2-7B for 512 / 1,024 / 2,048 tokens goes as 1 / 2.02 / 4.12: attention is a small part.
TEST(BundledLlms, PrefillArithmeticGrowsAlmostLinearly) {
  const Llm llm = load_llm("llama-2-7b", {});
  const auto prefill = [&](double tokens) { return tokens * flop_per_token(llm, (tokens + 1) / 2); };
  EXPECT_NEAR(prefill(1024) / prefill(512), 2.04, 0.02);
  EXPECT_NEAR(prefill(2048) / prefill(512), 4.12, 0.02);
}

class LlmConfigFile : public testing::Test {
 protected:
  LlmConfigFile() { std::filesystem::create_directories(folder_); }
  ~LlmConfigFile() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text) {
    const std::string file = (folder_ / "config.json").string();
    std::ofstream(file) << text;
    return file;
  }
  /// The messages for this text, without the folder.
  std::vector<std::string> problems(const std::string& text) {
    std::vector<std::string> messages;
    try {
      load_llm(write(text), {});
    } catch (const UserError& e) {
      for (const Problem& p : e.problems())
        messages.push_back(std::to_string(p.place.line) + ":" + std::to_string(p.place.column) + ": " + p.message);
    }
    return messages;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("servecast_llm_config_test_" + std::to_string(::getpid()));
};

TEST_F(LlmConfigFile, IgnoresOtherKeysAndTakesHuggingFaceDefaults) {
  const Llm llm = load_llm(write(R"({
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "rope_scaling": {"factor": 8.0}, "torch_dtype": "bfloat16",
    "hidden_size": 64, "intermediate_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 10})"),
                           {});
  EXPECT_EQ(llm.name, folder_.filename().string());  // the folder: config.json says nothing
  EXPECT_EQ(llm.kv_heads, 4);
  EXPECT_EQ(llm.head_size, 16);
  EXPECT_FALSE(llm.tied_embeddings);
}

TEST_F(LlmConfigFile, TheFolderAloneIsEnough) {
  write(R"({"model_type": "phi3", "hidden_size": 64, "intermediate_size": 100, "num_hidden_layers": 2,
            "num_attention_heads": 4, "vocab_size": 10, "sliding_window": null})");
  EXPECT_EQ(
      load_llm(folder_.filename().string() + "/", {}, (folder_.parent_path() / "scenario.yaml").string()).layers, 2);
}

TEST_F(LlmConfigFile, MistralWindowMissingIsNotNull) {
  const std::string rest = R"("hidden_size": 64, "intermediate_size": 100, "num_hidden_layers": 2,
                              "num_attention_heads": 4, "vocab_size": 10, "model_type": "mistral")";
  EXPECT_EQ(load_llm(write("{" + rest + "}"), {}).sliding_window, 4096);
  EXPECT_EQ(load_llm(write("{\"sliding_window\": null, " + rest + "}"), {}).sliding_window, 0);
}

// Phi-2: 2.78 B with its biases.
TEST_F(LlmConfigFile, PhiHasTwoMatricesAndBiases) {
  const Llm llm = load_llm(write(R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": null, "vocab_size": 51200})"),
                           {});
  EXPECT_NEAR(parameters(llm) / 1e9, 2.78, 0.01);
}

TEST_F(LlmConfigFile, UnknownFamilyNamesTheKnown) {
  const auto messages = problems("{\n  \"model_type\": \"lama\"\n}");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr("2:17: unknown model_type 'lama'; did you mean 'llama'? Known: deepseek_v2"));
}

TEST_F(LlmConfigFile, EveryProblemHasItsPlace) {
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": -1,
  "intermediate_size": "big", "num_hidden_layers": 2, "num_attention_heads": 4})"),
              ElementsAre("1:40: 'hidden_size' must be a whole number of at least 1 and at most 1000000000",
                          "1:1: 'vocab_size' is missing: this model_type needs it, a whole number of at least 1",
                          "2:24: 'intermediate_size' must be a whole number of at least 1 and at most 1000000000"));
}

TEST(BundledLlms, SayWhatTheyWereMadeOf) {
  // Winogrande, ARC-C, MMLU, HellaSwag, GSM8K, TruthfulQA (arXiv 2408.11796, table 1)
  const double whole = (77.3 + 57.9 + 65.3 + 81.8 + 48.6 + 45.0) / 6;
  const double width = (73.5 + 55.6 + 60.5 + 76.1 + 41.2 + 42.9) / 6;
  const double depth = (72.1 + 52.6 + 58.7 + 73.2 + 16.8 + 38.2) / 6;
  EXPECT_NEAR(load_llm("llama-3.1-minitron-4b-width", {}).derivation->lost_points, whole - width, 0.005);
  EXPECT_NEAR(load_llm("llama-3.1-minitron-4b-depth", {}).derivation->lost_points, whole - depth, 0.005);
  EXPECT_EQ(load_llm("llama-3.1-minitron-4b-depth", {}).derivation->from, "llama-3.1-8b");
  EXPECT_FALSE(load_llm("llama-3.1-8b", {}).derivation);
}

TEST_F(LlmConfigFile, SaysHowItIsQuantised) {
  const auto types = [&](const std::string& quantisation) {
    return load_llm(write(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
        "num_hidden_layers": 2, "num_attention_heads": 4, "quantization_config": )" +
                          quantisation + "}"),
                    {})
        .published.own;
  };
  EXPECT_EQ(types("null"), WeightTypes());
  EXPECT_EQ(types(R"({"quant_method": "fp8"})"), DataType::fp8);
  EXPECT_EQ(types(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"), DataType::fp8_block);
  EXPECT_EQ(types(R"({"quant_method": "awq", "bits": 4})"), DataType::int4);
  EXPECT_EQ(types(R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["model.layers.0.self_attn*"]})"),
            WeightTypes(DataType::bf16, DataType::nvfp4, DataType::nvfp4));
  WeightTypes output_alone(DataType::bf16, DataType::nvfp4, DataType::nvfp4);
  output_alone.output = DataType::nvfp4;
  EXPECT_EQ(types(R"({"quant_method": "modelopt", "quant_algo": "NVFP4",
                  "ignore": ["model.layers.0.self_attn.q_b_proj", "model.layers.0.self_attn.kv_b_proj"]})"),
            output_alone);
  const std::string group = R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": )";
  EXPECT_EQ(types(group + R"({"num_bits": 8, "type": "float", "strategy": "channel"}}}})"), DataType::fp8);
  EXPECT_EQ(
      types(group + R"({"num_bits": 4, "type": "int"}}}, "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*"]})"),
      WeightTypes(DataType::bf16, DataType::bf16, DataType::int4));
}

TEST_F(LlmConfigFile, RefusesWhatIsNotModelled) {
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
  "num_hidden_layers": 2, "num_attention_heads": 4, "quantization_config": {"quant_method": "aqlm"}})"),
              ElementsAre(HasSubstr("'quantization_config': unknown quant_method 'aqlm'")));
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
  "num_hidden_layers": 2, "num_attention_heads": 4, "quantization_config": {"quant_method": "gptq", "bits": 3}})"),
              ElementsAre(HasSubstr("says no number format that is modelled")));
  EXPECT_THAT(problems(R"({"model_type": "qwen2", "hidden_size": 64, "intermediate_size": 100,
  "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 10, "use_sliding_window": true})"),
              ElementsAre(HasSubstr("sliding window")));
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 3})"),
              ElementsAre("2:76: 'num_key_value_heads' must divide the attention heads"));
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 0})"),
              ElementsAre("2:76: 'num_key_value_heads' must divide the attention heads"));
}

TEST_F(LlmConfigFile, AKeyIsGivenOnce) {
  EXPECT_THAT(problems(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 100, "vocab_size": 10,
  "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32})"),
              ElementsAre(HasSubstr("'hidden_size' is given twice")));
}

TEST_F(LlmConfigFile, BrokenTextHasItsPlace) {
  const auto messages = problems("{\"model_type\": \"llama\",\n  \"hidden_size\": [1, 2\n");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr("is not valid YAML"));
}

TEST(LoadLlm, UnknownNameIsReportedWhereItStands) {
  try {
    load_llm("lama-2-7b", {.file = "scenario.yaml", .line = 4, .column = 10});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("scenario.yaml:4:10: unknown llm 'lama-2-7b'; did you mean 'llama-2-7b'?"));
  }
}

}  // namespace servecast::llm_config_test
