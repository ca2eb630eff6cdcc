// Shapes of rows are those that ran, whatever the sample folds into one another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"

namespace servecast::row_shape_test {

using testing::HasSubstr;

RowShape shape(const char* tp, const char* dp, const char* moe_tp, const char* moe_ep) {
  return row_shape(CsvRow("rows.csv", 2,
                          {{"tp_size", tp}, {"attention_dp_size", dp}, {"moe_tp_size", moe_tp}, {"moe_ep_size", moe_ep}}));
}

TEST(RowShape, FoldedSizesAreThoseOfTheGpus) {
  const RowShape split = shape("64", "1", "8", "8");  // 8 GPUs, TP8 and EP8
  EXPECT_EQ(split.gpus(), 8);
  EXPECT_EQ(split.attention_tp, 8);
  EXPECT_EQ(split.moe_ep, 8);
  EXPECT_EQ(split.moe_tp, 1);
  const RowShape own = shape("1", "16", "4", "4");  // 4 GPUs with requests of their own
  EXPECT_EQ(own.gpus(), 4);
  EXPECT_EQ(own.attention_dp, 4);
  const RowShape both = shape("4", "4", "1", "16");  // 4 GPUs, TP4 and EP4
  EXPECT_EQ(both.gpus(), 4);
  EXPECT_EQ(both.attention_tp, 4);
  EXPECT_EQ(both.moe_ep, 4);
}

TEST(RowShape, OthersAreAsTheyStand) {
  const RowShape plain = shape("8", "", "8", "1");
  EXPECT_EQ(plain.gpus(), 8);
  EXPECT_EQ(plain.moe_tp, 8);
  EXPECT_EQ(plain.moe_ep, 1);
  EXPECT_EQ(shape("2", "", "1", "0").gpus(), 2);  // 0 where there are no experts
}

TEST(RowShape, ExpertsAreSpreadOverAsManyGpusAsTheRowSays) {
  const BundledLlm experts{.name = "qwen3-30b-a3b", .weights = "bf16", .experts = true};
  EXPECT_EQ(shape_settings({.attention_tp = 2, .attention_dp = 4, .moe_ep = 8}, experts),
            "    tensor_parallel: 2\n    pipeline_parallel: 1\n    data_parallel: 4\n    expert_parallel: 8\n");
  EXPECT_EQ(shape_settings({.attention_tp = 8, .moe_tp = 8}, experts),
            "    tensor_parallel: 8\n    pipeline_parallel: 1\n");
  try {
    shape_settings({.attention_tp = 1, .attention_dp = 4}, {.name = "llama-3-8b", .weights = "bf16"});
    FAIL() << "not refused";
  } catch (const NoMatch& why) {
    EXPECT_THAT(why.what(), HasSubstr("no experts to spread"));
  }
}

ClosedLoopRun of_2025(const char* backend, const char* llm, const char* weights, std::int64_t prompt_tokens,
                      std::int64_t clients) {
  return {.llm = {.name = llm, .weights = weights},
          .weights = weights,
          .backend = backend,
          .shape = {.attention_tp = 4, .moe_tp = 4},
          .load = {.clients = clients, .prompt_tokens = prompt_tokens}};
}

// dsr1_fp4_b200_trt_slurm.sh: whole experts from 64 clients on, requests of each rank's own from 256, or 64 with
// prompts of 8,192 tokens.
TEST(RowShape, RunsOfAutumn2025AreSplitAsTheirScriptsSay) {
  const auto split = [](ClosedLoopRun run) {
    set_scripted_shape(run);
    const RowShape& s = run.shape;
    return std::vector{s.attention_tp, s.attention_dp, s.moe_tp, s.moe_ep};
  };
  const std::vector<std::int64_t> slices{4, 1, 4, 1}, whole{4, 1, 1, 4}, ranks{1, 4, 1, 4};
  EXPECT_EQ(split(of_2025("trtllm", "deepseek-v3", "nvfp4", 1024, 32)), slices);
  EXPECT_EQ(split(of_2025("trtllm", "deepseek-v3", "nvfp4", 1024, 64)), whole);
  EXPECT_EQ(split(of_2025("trtllm", "deepseek-v3", "nvfp4", 1024, 256)), ranks);
  EXPECT_EQ(split(of_2025("trtllm", "deepseek-v3", "nvfp4", 8192, 64)), ranks);
  EXPECT_EQ(split(of_2025("trtllm", "gpt-oss-120b", "mxfp4", 8192, 64)), whole);
  EXPECT_EQ(split(of_2025("sglang", "deepseek-v3", "nvfp4", 1024, 4)), whole);
  EXPECT_EQ(split(of_2025("vllm", "gpt-oss-120b", "mxfp4", 1024, 64)), slices);
}

TEST(EngineFile, IsThatOfTheVersionsFamily) {
  EXPECT_EQ(engine_file("vllm", "0.12.0"), "vllm-0.12");
  EXPECT_EQ(engine_file("vllm", "0.15.1rc2"), "vllm-0.15");
  EXPECT_EQ(engine_file("trtllm", "1.0.0rc3"), "trtllm-1.0");
  EXPECT_EQ(engine_file("trtllm", "1.3.0rc1"), "trtllm-1.2");
  EXPECT_EQ(engine_file("sglang", "0.5.9"), "sglang-0.5");
  EXPECT_THROW(engine_file("sglang", "0.3.2"), NoMatch);
  EXPECT_THROW(engine_file("vllm", "nightly"), NoMatch);
}

}  // namespace servecast::row_shape_test
