#include "kernels/elementwise/decoder_glue.h"

#include <algorithm>

#include "tests/unit/kernels/made.h"

namespace servecast::decoder_glue_test {

template <class Number>
constexpr bool is_bf16 = std::is_same_v<Number, Bf16>;

struct SplitSizes {
  int q_heads = 1;
  int kv_heads = 1;
  int head_dim = 64;
  int block_tokens = 16;
};

/// Tokens of two sequences, each with two blocks that lie apart.
template <class Number>
void check_split(const SplitSizes& s) {
  Rng rng(61, "split");
  const std::vector<std::int32_t> rows{0, 1, 1, 0};
  const std::vector<std::int32_t> positions{0, s.block_tokens - 1, s.block_tokens, 3};
  const std::vector<std::int32_t> table{4, 0, 2, 3};
  const auto tokens = static_cast<int>(rows.size());
  const int heads = s.q_heads + 2 * s.kv_heads;
  const auto width = static_cast<std::size_t>(s.head_dim);
  auto qkv = random_array<Number>(static_cast<std::size_t>(tokens * heads) * width, rng);
  const std::size_t cached = 5 * static_cast<std::size_t>(s.kv_heads * s.block_tokens) * width;
  auto table_of_angles = random_array<float>(static_cast<std::size_t>(2 * s.block_tokens) * width, rng);
  Array<Number> queries(static_cast<std::size_t>(tokens * s.q_heads) * width);
  Array<Number> keys(cached);
  Array<Number> values(cached);
  run_in_both_orders(queries, [&] {
    keys.poison();
    values.poison();
    split_qkv({.qkv = qkv.data(),
               .queries = queries.data(),
               .kv = {.keys = keys.data(),
                      .values = values.data(),
                      .block_table = table.data(),
                      .blocks_per_sequence = 2,
                      .block_tokens = s.block_tokens,
                      .kv_heads = s.kv_heads},
               .rows = rows.data(),
               .positions = positions.data(),
               .cos_sin = table_of_angles.data(),
               .tokens = tokens,
               .q_heads = s.q_heads,
               .head_dim = s.head_dim},
              is_bf16<Number>, nullptr);
  });
  const auto in = [&](int token, int head, std::size_t i) {
    return qkv.at((static_cast<std::size_t>(token * heads + head)) * width + i);
  };
  const auto turned = [&](int token, int head, std::size_t i) {
    const std::size_t half = width / 2;
    const std::size_t row = static_cast<std::size_t>(positions[static_cast<std::size_t>(token)]) * width;
    const double c = table_of_angles.at(row + i % half);
    const double sine = table_of_angles.at(row + half + i % half);
    return i < half ? in(token, head, i) * c - in(token, head, i + half) * sine
                    : in(token, head, i) * c + in(token, head, i - half) * sine;
  };
  const auto place = [&](int token, int head) {
    const auto t = static_cast<std::size_t>(token);
    const int block = table[static_cast<std::size_t>(rows[t] * 2 + positions[t] / s.block_tokens)];
    return static_cast<std::size_t>((block * s.kv_heads + head) * s.block_tokens + positions[t] % s.block_tokens) *
           width;
  };
  const double near = rounding<Number>;
  for (int token = 0; token < tokens; ++token)
    for (std::size_t i = 0; i < width; ++i) {
      for (int head = 0; head < s.q_heads; ++head)
        EXPECT_NEAR(queries.at(static_cast<std::size_t>(token * s.q_heads + head) * width + i),
                    turned(token, head, i), near);
      for (int head = 0; head < s.kv_heads; ++head) {
        EXPECT_NEAR(keys.at(place(token, head) + i), turned(token, s.q_heads + head, i), near);
        EXPECT_EQ(values.at(place(token, head) + i), in(token, s.q_heads + s.kv_heads + head, i));
      }
    }
  const auto written = [&](const Array<Number>& cache) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < cache.size(); ++i) count += std::isnan(cache.at(i)) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(written(keys), std::int64_t{tokens} * s.kv_heads * s.head_dim) << "and nothing else";
  EXPECT_EQ(written(values), std::int64_t{tokens} * s.kv_heads * s.head_dim);
}

TEST(SplitQkvKernel, TurnsAndPutsIntoBlocks) {
  check_split<Bf16>({.q_heads = 4, .kv_heads = 2, .head_dim = 64});
  check_split<Half>({.q_heads = 3, .kv_heads = 1, .head_dim = 128, .block_tokens = 64});
  check_split<Bf16>({.q_heads = 32, .kv_heads = 8, .head_dim = 128});  // more pairs than threads
}

TEST(WidenKernel, KeepsEveryNumber) {
  Rng rng(62, "widen");
  const auto from = random_array<Bf16>(8 * 300, rng);  // no multiple of the threads
  auto copy = random_array<Bf16>(8 * 300, rng);
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = from[i];
  Array<float> to(copy.size() + 8);
  run_in_both_orders(to, [&] { widen({.from = copy.data(), .to = to.data(), .count = 8 * 300}, true, nullptr); });
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(to.at(i), from.at(i));
  for (std::size_t i = from.size(); i < to.size(); ++i) EXPECT_TRUE(std::isnan(to.at(i))) << "behind the end";
}

}  // namespace servecast::decoder_glue_test
