// What a layer sees of a sequence, against every position walked through.
#include "models/hw/llm/attention_span.h"

#include <gtest/gtest.h>

#include "models/hw/latency/step_latency.h"

namespace servecast::attention_span_test {

/// Position `query` sees position `key`, both from 0, as HuggingFace's masks say (masking_utils.py).
bool sees(const AttentionSpan& span, std::int64_t query, std::int64_t key) {
  if (key > query) return false;
  if (span.chunk > 0) return key / span.chunk == query / span.chunk;
  return span.last == 0 || key > query - span.last;
}

struct Walked {
  double pairs = 0;
  double reached = 0;
  double seen_by_last = 0;
};

Walked walk(const AttentionSpan& span, std::int64_t tokens, std::int64_t prefix) {
  Walked w;
  for (std::int64_t key = 0; key < prefix + tokens; ++key) {
    bool reached = false;
    for (std::int64_t query = prefix; query < prefix + tokens; ++query) {
      w.pairs += sees(span, query, key) ? 1 : 0;
      reached = reached || sees(span, query, key);
    }
    w.reached += reached ? 1 : 0;
    w.seen_by_last += sees(span, prefix + tokens - 1, key) ? 1 : 0;
  }
  return w;
}

PromptChunks chunk(std::int64_t tokens, std::int64_t prefix) {
  return {.tokens = real(tokens),
          .prefix_tokens = real(prefix),
          .pairs = real(tokens) * (real(prefix) + 0.5 * real(tokens))};
}

// Of a pair with itself each token counts half.
TEST(AttentionSpan, ChunksAreAsEveryPositionSees) {
  for (const std::int64_t size : {1, 4, 7})
    for (std::int64_t prefix = 0; prefix < 20; ++prefix)
      for (std::int64_t tokens = 1; tokens < 20; ++tokens) {
        const AttentionSpan span{.chunk = size};
        const Walked walked = walk(span, tokens, prefix);
        ASSERT_EQ(span.pairs(chunk(tokens, prefix)), walked.pairs - 0.5 * real(tokens)) << size << " " << prefix;
        ASSERT_EQ(span.reached(chunk(tokens, prefix)), walked.reached) << size << " " << prefix << " " << tokens;
        ASSERT_EQ(span.seen(real(prefix + tokens)), walked.seen_by_last) << size << " " << prefix << " " << tokens;
      }
}

TEST(AttentionSpan, OthersSeeAllOrTheLast) {
  for (std::int64_t tokens = 1; tokens < 20; ++tokens) {
    EXPECT_EQ(AttentionSpan{}.seen(real(tokens)), walk({}, tokens, 0).seen_by_last);
    EXPECT_EQ(AttentionSpan{.last = 6}.seen(real(tokens)), walk({.last = 6}, tokens, 0).seen_by_last);
  }
  EXPECT_EQ(AttentionSpan{.last = 6}.pairs(chunk(10, 0)), 50);  // no window fills: 10 x 10 / 2, below 10 x 6
  EXPECT_EQ(AttentionSpan{.last = 6}.pairs(chunk(10, 100)), 60);
}

// Two sequences of 8,200 and 16,392 tokens see 8 each, whatever their mean; uncounted, the mean of 12,296 sees 4,104.
TEST(AttentionSpan, StepsCountWhatChunksShow) {
  StepWork work{.decode_sequences = 2, .decode_kv_tokens = 8200 + 16392, .decode_chunk_tokens = 16};
  EXPECT_EQ(work.decode_seen({.chunk = 8192}), 16);
  work.decode_chunk_tokens = 0;
  EXPECT_EQ(work.decode_seen({.chunk = 8192}), 2 * 4104);
  EXPECT_EQ(work.decode_seen({}), 8200 + 16392);
  EXPECT_EQ(work.decode_seen({.last = 4096}), 2 * 4096);
}

}  // namespace servecast::attention_span_test
