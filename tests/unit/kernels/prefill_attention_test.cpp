#include "kernels/attention/prefill_attention.h"

#include <algorithm>

#include "tests/unit/kernels/made_attention.h"

namespace servecast::prefill_attention_test {

struct Chunks {
  AttentionSizes sizes{};  // `context`: prefix and new tokens
  std::vector<int> new_tokens{};
};

template <class Number>
double prefill_error(const Chunks& chunks) {
  Rng rng(43, "prefill attention");
  const AttentionSizes& sizes = chunks.sizes;
  MadeKv<Number> kv(sizes, rng);
  std::vector<std::int32_t> start{0};
  for (const int tokens : chunks.new_tokens) start.push_back(start.back() + tokens);
  const auto dim = static_cast<std::size_t>(sizes.key_dim);
  const auto heads = static_cast<std::size_t>(sizes.q_heads);
  auto queries = random_array<Number>(static_cast<std::size_t>(start.back()) * heads * dim, rng, 4);
  Array<Number> out(queries.size());
  const Array<std::int32_t> starts(start);
  const Array<std::int32_t> context(sizes.context);
  const PrefillAttention a{.kv = kv.view(),
                           .queries = queries.data(),
                           .query_start = starts.data(),
                           .context = context.data(),
                           .out = out.data(),
                           .sequences = static_cast<int>(sizes.context.size()),
                           .q_heads = sizes.q_heads,
                           .most_new_tokens = *std::ranges::max_element(chunks.new_tokens),
                           .scale = 0.1F};
  run_in_both_orders(out, [&] { EXPECT_TRUE(prefill_attention(a, sizes.key_dim, kv_number<Number>(), nullptr)); });
  std::vector<double> reference;
  for (std::size_t s = 0; s < chunks.new_tokens.size(); ++s)
    for (int token = 0; token < chunks.new_tokens[s]; ++token)
      for (int head = 0; head < sizes.q_heads; ++head) {
        const Query query{.sequence = static_cast<int>(s),
                          .head = head,
                          .visible = sizes.context[s] - chunks.new_tokens[s] + token + 1,
                          .scale = 0.1};
        const auto row = static_cast<std::size_t>(start[s] + token) * heads + static_cast<std::size_t>(head);
        for (const double x : attention_reference(sizes, kv, query, &queries[row * dim])) reference.push_back(x);
      }
  return relative_error(out, reference);
}

Chunks chunks_of(int head_dim, int group, std::vector<int> context, std::vector<int> new_tokens) {
  return {{.context = std::move(context),
           .q_heads = group,
           .kv_heads = 1,
           .key_dim = head_dim,
           .value_dim = head_dim,
           .block_tokens = 16},
          std::move(new_tokens)};
}

TEST(PrefillAttention, WholePromptsOfDifferentLengths) {
  EXPECT_LT(prefill_error<Half>(chunks_of(64, 1, {1, 64, 65, 130, 17}, {1, 64, 65, 130, 17})), rounding<Half>);
}
TEST(PrefillAttention, EveryHeadSize) {
  for (const int head_dim : {64, 128, 256}) {
    EXPECT_LT(prefill_error<Half>(chunks_of(head_dim, 1, {70}, {70})), rounding<Half>) << head_dim;
    EXPECT_LT(prefill_error<Bf16>(chunks_of(head_dim, 1, {40}, {40})), rounding<Bf16>) << head_dim;
  }
}
TEST(PrefillAttention, ChunksBehindAPrefix) {
  EXPECT_LT(prefill_error<Half>(chunks_of(64, 2, {100, 129, 64}, {20, 65, 1})), rounding<Half>);
}
TEST(PrefillAttention, QueriesShareKvHeads) {
  Chunks chunks = chunks_of(64, 6, {50}, {30});
  chunks.sizes.kv_heads = 2;
  chunks.sizes.block_tokens = 64;
  EXPECT_LT(prefill_error<Bf16>(chunks), rounding<Bf16>);
}
// With the matrix instructions of warp groups: 128 queries a block, tiles of 128 and 64 tokens.
TEST(PrefillAttentionOfGroups, WholePromptsOfDifferentLengths) {
  const OnHopper hopper;
  EXPECT_LT(prefill_error<Half>(chunks_of(64, 1, {1, 128, 129, 17}, {1, 128, 129, 17})), rounding<Half>);
}
TEST(PrefillAttentionOfGroups, EveryHeadSize) {
  const OnHopper hopper;
  for (const int head_dim : {64, 128, 256}) {
    EXPECT_LT(prefill_error<Half>(chunks_of(head_dim, 1, {70}, {70})), rounding<Half>) << head_dim;
    EXPECT_LT(prefill_error<Bf16>(chunks_of(head_dim, 1, {140}, {40})), rounding<Bf16>) << head_dim;
  }
}
TEST(PrefillAttentionOfGroups, ChunksOfGroupsOfHeads) {
  const OnHopper hopper;
  Chunks chunks = chunks_of(64, 4, {200, 300, 64}, {20, 150, 1});
  chunks.sizes.kv_heads = 2;
  chunks.sizes.block_tokens = 64;
  EXPECT_LT(prefill_error<Half>(chunks), rounding<Half>);
}
TEST(PrefillAttention, SaysWhatIsNotBuilt) {
  EXPECT_FALSE(prefill_attention({}, 96, KvNumber::fp16, nullptr));
  EXPECT_FALSE(prefill_attention({}, 64, KvNumber::fp8, nullptr));
}

}  // namespace servecast::prefill_attention_test
