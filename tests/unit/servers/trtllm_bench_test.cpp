#include "calibrate/servers/read/trtllm_bench.h"

#include <gtest/gtest.h>

#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"

namespace servecast::trtllm_bench_test {

BuiltEngine on_h100(const char* llm_name, DataType type, std::int64_t gpus, std::int64_t in, std::int64_t out,
                    BuiltEngine (*limits)(const BenchedEngine&) = trtllm_bench_build) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  const Llm llm = load_llm(llm_name, {});
  return limits({.gpu = gpu,
                 .llm = llm,
                 .weights = type,
                 .kv = type == DataType::mxfp4 ? DataType::bf16 : type,
                 .tensor_parallel = gpus,
                 .prompt_tokens = in,
                 .output_tokens = out});
}

// Llama-3.1-8B in fp8: 65,536 bytes a token, 8.03 of 79.18 "GB" are weights. 0.95 x 71.15 GiB hold 1,107,400 tokens.
TEST(TrtllmBench, SettingsOfAnEngineByHand) {
  const BuiltEngine short_both = on_h100("llama-3.1-8b", DataType::fp8, 1, 128, 128);
  EXPECT_EQ(short_both.max_batch_size, 4096) << "4,325 sequences, capped";
  EXPECT_EQ(short_both.max_num_tokens, 8192) << "two tokens of each in the mean";
  const BuiltEngine long_answers = on_h100("llama-3.1-8b", DataType::fp8, 1, 128, 2048);
  EXPECT_EQ(long_answers.max_batch_size, 512) << "508.9";
  EXPECT_EQ(long_answers.max_num_tokens, 2048) << "541, at least 2,048";
  const BuiltEngine long_prompts = on_h100("llama-3.1-8b", DataType::fp8, 1, 2048, 128);
  EXPECT_EQ(long_prompts.max_batch_size, 512);
  EXPECT_EQ(long_prompts.max_num_tokens, 9216) << "17 x 508.9 = 8,652";
}

// Llama-3.1-70B in bf16 on two: 327,680 bytes a token, 141.1 of 158.4 are weights: 53,700 tokens, 12.7 sequences.
TEST(TrtllmBench, FewSequencesGetTheLeast) {
  const BuiltEngine engine = on_h100("llama-3.1-70b", DataType::bf16, 2, 128, 4096);
  EXPECT_EQ(engine.max_batch_size, 64);
  EXPECT_EQ(engine.max_num_tokens, 2048);
}

// The PyTorch flow counts weights in GiB: 7.48, so that 71.7 GiB leave room for 272 sequences of 4,096.
TEST(TrtllmBench, WholePromptsFitBesideAllDecodesInThePytorchFlow) {
  const BuiltEngine engine = on_h100("llama-3.1-8b", DataType::fp8, 1, 2048, 2048, trtllm_bench_throughput);
  EXPECT_EQ(engine.max_batch_size, 384);
  EXPECT_EQ(engine.max_num_tokens, 2048 + 384);
}

// gpt-oss-20b counts 20.9e9 weights of 2 bytes, 38.9 GiB: 0.95 x 40.3 GiB hold 417 sequences of 2,048 tokens of
// 49,152 bytes.
TEST(TrtllmBench, Mxfp4CountsTwoBytesAWeight) {
  const BuiltEngine engine = on_h100("gpt-oss-20b", DataType::mxfp4, 1, 1024, 1024, trtllm_bench_throughput);
  EXPECT_EQ(engine.max_batch_size, 512);
  EXPECT_EQ(engine.max_num_tokens, 2048);
}

}  // namespace servecast::trtllm_bench_test
