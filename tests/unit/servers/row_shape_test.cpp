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
