#include "models/hw/parallel/ranks.h"

#include <gtest/gtest.h>

namespace servecast::ranks_test {

StepWork prompts(std::initializer_list<std::int64_t> tokens) {
  StepWork work;
  for (const std::int64_t each : tokens) work.add_chunk(each, 0, 0.001 * static_cast<double>(each));
  return work;
}

// Of prompts as many as ranks the longest; of more, the longest and the mean of the others.
TEST(FullestRank, HasTheLongestPrompt) {
  const StepWork one = fullest_rank(prompts({100, 300, 200, 200}), 4, 1);
  EXPECT_EQ(one.prefill_sequences, 1);
  EXPECT_EQ(one.prefill_tokens, 300);
  EXPECT_EQ(one.prefill_squared_tokens, 90'000);
  EXPECT_EQ(one.prefill_pairs, 300 * 301 / 2);
  EXPECT_DOUBLE_EQ(one.prefill_attention_s, 0.3);
  EXPECT_EQ(one.group_tokens, 800);
  const StepWork two = fullest_rank(prompts({100, 300, 200}), 2, 1);
  EXPECT_EQ(two.prefill_sequences, 2);
  EXPECT_EQ(two.prefill_tokens, 300 + 150);
  EXPECT_DOUBLE_EQ(two.prefill_attention_s, 0.45);
}

TEST(FullestRank, HasAllOfAStepThatIsItsAlone) {
  const StepWork alone = fullest_rank(prompts({120}), 8, 1);
  EXPECT_EQ(alone.prefill_tokens, 120);
  EXPECT_EQ(alone.group_tokens, 120);
  const StepWork all = fullest_rank(prompts({120, 60, 30}), 1, 1);
  EXPECT_EQ(all.prefill_tokens, 210);
  EXPECT_DOUBLE_EQ(all.prefill_attention_s, 0.21);
}

// Two equal batches of a step: half of the rank's share each.
TEST(FullestRank, SharesItsPromptsOutOverBatches) {
  const StepWork half = fullest_rank(prompts({100, 100, 100, 100}), 2, 2);
  EXPECT_EQ(half.prefill_sequences, 1);
  EXPECT_EQ(half.prefill_tokens, 100);
  EXPECT_DOUBLE_EQ(half.prefill_attention_s, 0.1);
}

}  // namespace servecast::ranks_test
