#include "kernels/attention/decode_attention.h"

#include <algorithm>

#include "tests/unit/kernels/made_attention.h"

namespace servecast::decode_attention_test {

/// Random queries over `sizes`, against softmax in double.
template <class Number, class Kv>
double decode_error(const AttentionSizes& sizes, int splits) {
  Rng rng(41, "decode attention");
  MadeKv<Kv> kv(sizes, rng);
  const auto sequences = sizes.context.size();
  const auto rows = sequences * static_cast<std::size_t>(sizes.q_heads);
  const auto key_dim = static_cast<std::size_t>(sizes.key_dim);
  auto queries = random_array<Number>(rows * key_dim, rng, 4);  // scores that differ: a softmax that is not flat
  Array<Number> out(rows * static_cast<std::size_t>(sizes.value_dim));
  const Array<std::int32_t> context(sizes.context);
  DecodeAttention a{.kv = kv.view(),
                    .queries = queries.data(),
                    .context = context.data(),
                    .out = out.data(),
                    .sequences = static_cast<int>(sequences),
                    .q_heads = sizes.q_heads,
                    .splits = splits,
                    .scale = 1 / std::sqrt(static_cast<float>(sizes.key_dim)),
                    .key_scale = 0.5F,
                    .value_scale = 0.25F};
  Array<float> partial(static_cast<std::size_t>(decode_partial_floats(a, sizes.value_dim)));
  a.partial = partial.data();
  run_in_both_orders(out, [&] {
    partial.poison();
    const bool mla = sizes.key_dim != sizes.value_dim;
    EXPECT_TRUE(mla ? mla_decode_attention(a, kv_number<Number>(), nullptr)
                    : decode_attention(a, sizes.key_dim, kv_number<Number>(), kv_number<Kv>(), nullptr));
  });
  std::vector<double> reference;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto sequence = static_cast<int>(row) / sizes.q_heads;
    const Query query{.sequence = sequence,
                      .head = static_cast<int>(row) % sizes.q_heads,
                      .visible = sizes.context[static_cast<std::size_t>(sequence)],
                      .scale = static_cast<double>(a.scale * a.key_scale)};
    for (const double x : attention_reference(sizes, kv, query, &queries[row * key_dim])) reference.push_back(x / 4);
  }
  return relative_error(out, reference);
}

AttentionSizes sizes_of(int head_dim, int group, int kv_heads, int block_tokens, std::vector<int> context) {
  return {.context = std::move(context),
          .q_heads = group * kv_heads,
          .kv_heads = kv_heads,
          .key_dim = head_dim,
          .value_dim = head_dim,
          .block_tokens = block_tokens};
}

// Lengths about the ends of tiles (32 and 64) and blocks (16 and 64).
const std::vector<int> lengths{1, 15, 16, 33, 64, 65, 150};

TEST(DecodeAttention, EveryHeadSizeInFp16) {
  for (const int head_dim : {64, 128, 256})
    EXPECT_LT((decode_error<Half, Half>(sizes_of(head_dim, 4, 1, 16, lengths), 1)), rounding<Half>) << head_dim;
}
TEST(DecodeAttention, EveryHeadSizeInBf16) {
  for (const int head_dim : {64, 128, 256})
    EXPECT_LT((decode_error<Bf16, Bf16>(sizes_of(head_dim, 2, 2, 64, {65, 7}), 1)), rounding<Bf16>) << head_dim;
}
TEST(DecodeAttention, EveryHeadSizeOfFp8) {
  for (const int head_dim : {64, 128, 256}) {
    EXPECT_LT((decode_error<Half, Fp8>(sizes_of(head_dim, 2, 2, 16, {65, 7}), 2)), rounding<Half>) << head_dim;
    EXPECT_LT((decode_error<Bf16, Fp8>(sizes_of(head_dim, 2, 1, 64, {65, 7}), 1)), rounding<Bf16>) << head_dim;
  }
}
TEST(DecodeAttention, OneToManyQueriesPerKvHead) {
  for (const int group : {1, 2, 3, 7, 8, 16, 20})  // 20: more than the rows of one block
    EXPECT_LT((decode_error<Half, Half>(sizes_of(64, group, 2, 16, {40, 70}), 1)), rounding<Half>) << group;
}
TEST(DecodeAttention, SplitsGiveTheSame) {
  for (const int splits : {2, 3, 5, 9})  // 150 tokens are 3 tiles: some splits have none
    EXPECT_LT((decode_error<Half, Half>(sizes_of(128, 4, 1, 64, {150, 300, 1}), splits)), rounding<Half>) << splits;
}
TEST(DecodeAttention, LatentOfMla) {
  const AttentionSizes sizes{
      .context = {1, 31, 70}, .q_heads = 16, .kv_heads = 1, .key_dim = 576, .value_dim = 512, .block_tokens = 64};
  EXPECT_LT((decode_error<Half, Half>(sizes, 1)), rounding<Half>);
  EXPECT_LT((decode_error<Bf16, Bf16>(sizes, 3)), rounding<Bf16>);
}
TEST(DecodeAttention, SaysWhatIsNotBuilt) {
  EXPECT_FALSE(decode_attention({}, 96, KvNumber::fp16, KvNumber::fp16, nullptr));
  EXPECT_FALSE(decode_attention({}, 64, KvNumber::fp16, KvNumber::bf16, nullptr));
  EXPECT_FALSE(mla_decode_attention({}, KvNumber::fp8, nullptr));
}

}  // namespace servecast::decode_attention_test
