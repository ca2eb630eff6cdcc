#include "models/hw/roofline/bound.h"

#include <gtest/gtest.h>

namespace servecast::bound_test {

/// One layer of attention (4 heads of 8, 2 KV heads) and a gated MLP, vocabulary 100.
Llm small() {
  Llm llm;
  llm.layers = 2;
  llm.hidden = 32;
  llm.heads = 4;
  llm.kv_heads = 2;
  llm.head_size = 8;
  llm.intermediate = 64;
  llm.vocabulary = 100;
  return llm;
}

TEST(Bound, WorkByHand) {
  const BoundModel m = bound_model(small(), DataType::bf16, DataType::bf16);
  // A layer: q and o 2 x 32 x 32, k and v 2 x 32 x 16, three MLP matrices of 32 x 64: 9,216 weights; two layers.
  EXPECT_DOUBLE_EQ(m.linear_flop_per_token, 2.0 * 2 * 9216);
  EXPECT_DOUBLE_EQ(m.head_flop, 2.0 * 100 * 32);
  EXPECT_DOUBLE_EQ(m.attention_flop_per_pair, 2 * 2.0 * 4 * (8 + 8));  // two layers, two products
  EXPECT_DOUBLE_EQ(m.active_bytes, 2.0 * 2 * 9216 + 2.0 * 100 * 32);
  EXPECT_DOUBLE_EQ(m.kv_bytes_per_token, 2 * 2.0 * 2 * 8 * 2);
  // 3 tokens computed behind 2 that were found: 3 x 2 + (1 + 2 + 3) pairs. Two tokens after the first attend to 6 and 7.
  const LeastWork work = least_work(m, {.computed_tokens = 3, .found_tokens = 2, .output_tokens = 3}, 10);
  EXPECT_DOUBLE_EQ(work.prompt_flop, 3 * m.linear_flop_per_token + m.head_flop + 12 * m.attention_flop_per_pair);
  EXPECT_DOUBLE_EQ(work.decode_flop,
                   2 * (m.linear_flop_per_token + m.head_flop) + 13 * m.attention_flop_per_pair);
  EXPECT_DOUBLE_EQ(work.decode_bytes, 2 * m.active_bytes / 10 + 13 * m.kv_bytes_per_token);
}

TEST(Bound, OneTokenNeedsNoDecode) {
  const LeastWork work = least_work(bound_model(small(), DataType::bf16, DataType::bf16),
                                    {.computed_tokens = 5, .output_tokens = 1}, 1);
  EXPECT_EQ(work.decode_flop, 0);
  EXPECT_EQ(work.decode_bytes, 0);
}

TEST(Bound, RateIsThatOfTheTightestWindow) {
  // 4 units between 0 and 10; 3 of them, in two pieces, between 5 and 6.
  const std::vector<DueWork> work{{.from_s = 0, .due_s = 10, .work = 1},
                                  {.from_s = 5, .due_s = 6, .work = 2},
                                  {.from_s = 5, .due_s = 6, .work = 1}};
  EXPECT_DOUBLE_EQ(least_rate(work, 0), 3);
  EXPECT_DOUBLE_EQ(least_rate(work, 1), 1);  // without the largest
  EXPECT_DOUBLE_EQ(least_rate(work, 3), 0);
  EXPECT_EQ(least_rate({}, 0), 0);
}

/// A server that works at the least rate, earliest deadline first, is just in time: a bound above it would be wrong.
TEST(Bound, RateIsEnoughForEvenArrivals) {
  std::vector<DueWork> work;
  for (int i = 0; i < 1000; ++i)
    work.push_back({.from_s = static_cast<double>(i), .due_s = static_cast<double>(i) + 2, .work = 1});
  // n pieces are due within n + 1 seconds: below 1 per second, and nearer to it the longer the window.
  EXPECT_NEAR(least_rate(work, 0), 1000.0 / 1001, 1e-12);
}

}  // namespace servecast::bound_test
