#include "models/hw/latency/step_tables.h"

#include <gtest/gtest.h>

namespace servecast::step_tables_test {

/// Eight tokens; every per-layer operator takes tokens / 100 ms; attention its row x 10 + its column.
StepTables small_tables() {
  const StepTables::ByTokens line{0, .01, .02, .03, .04, .05, .06, .07, .08};
  StepTables t{.attn_pre_proj = line,
               .attn_post_proj = line,
               .attn_rope = line,
               .attn_kv_cache_save = line,
               .input_layernorm = line,
               .post_attention_layernorm = line,
               .mlp_up_proj = line,
               .mlp_down_proj = line,
               .mlp_act = line,
               .add = line};
  t.attn_decode = t.attn_prefill = {.columns = 3, .cells = {0, 1, 2, 10, 11, 12, 20, 21, 22}};
  return t;
}

// 1 sequence of 70 tokens: 9 operators at 8 tokens and the cache write at 1 = .72 + .01; decode row 1, column
// ceil(70 / 64) = 2: 12; times 3 layers.
TEST(StepTables, DecodeByHand) {
  const auto model = make_step_tables(small_tables(), {.layers_per_stage = 3});
  const StageTime t = model->stage({.decode_sequences = 1, .decode_kv_tokens = 70}, 0);
  EXPECT_NEAR(t.seconds, 3 * (0.73 + 12) * 1e-3, 1e-15);
  EXPECT_EQ(t.compute_s, 0);
  EXPECT_FALSE(t.extrapolated);
}

// 2 sequences, 129 tokens: the mean 64.5 is cut to 64: column 1 of row 2 = 21, x 1.1.
TEST(StepTables, MeanContextIsCutAndBatchesCostATenthMore) {
  const auto model = make_step_tables(small_tables(), {});
  EXPECT_NEAR(model->stage({.decode_sequences = 2, .decode_kv_tokens = 129}, 0).seconds, (0.74 + 23.1) * 1e-3, 1e-15);
}

// Chunks of 1 and 1 after 64 tokens: prefix 64 = row 1, root of 1 + 1 rounds to 1: 11, x 1.1.
TEST(StepTables, ChunksByHand) {
  StepWork work;
  work.add_chunk(1, 64);
  work.add_chunk(1, 0);
  const StageTime t = make_step_tables(small_tables(), {})->stage(work, 0);
  EXPECT_NEAR(t.seconds, (0.74 + 12.1) * 1e-3, 1e-15);
  EXPECT_EQ(t.compute_s, t.seconds);
}

TEST(StepTables, TensorAndPipelineParallelAddTransfers) {
  StepTables t = small_tables();
  t.all_reduce = t.add;
  t.send_recv = t.add;
  const auto model = make_step_tables(t, {.stages = 2});
  const StepWork work{.decode_sequences = 1, .decode_kv_tokens = 64};
  EXPECT_NEAR(model->stage(work, 0).seconds, (0.73 + 11 + 2 * (0.08 + 0.02) + 0.08) * 1e-3, 1e-15);
  EXPECT_NEAR(model->stage(work, 1).seconds, (0.73 + 11 + 2 * (0.08 + 0.02)) * 1e-3, 1e-15);
}

TEST(StepTables, BeyondTheTableTakesTheLastEntryAndSaysSo) {
  const auto model = make_step_tables(small_tables(), {});
  EXPECT_TRUE(model->stage({.decode_sequences = 1, .decode_kv_tokens = 129}, 0).extrapolated);
  EXPECT_TRUE(model->stage({.decode_sequences = 3, .decode_kv_tokens = 3}, 0).extrapolated);
  StepWork long_prompt;
  long_prompt.add_chunk(9, 0);
  const StageTime t = model->stage(long_prompt, 0);
  EXPECT_TRUE(t.extrapolated);
  EXPECT_NEAR(t.seconds, (0.8 + 2) * 1e-3, 1e-15);
}

}  // namespace servecast::step_tables_test
