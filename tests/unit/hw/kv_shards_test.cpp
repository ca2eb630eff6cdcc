#include "models/hw/memory/kv_shards.h"

#include <gtest/gtest.h>

#include <map>

namespace servecast::kv_shards_test {

Llm grouped() { return {.name = "made up", .layers = 80, .heads = 64, .kv_heads = 8, .head_size = 128}; }
constexpr double head_bytes = 2 * 128 * 2;  // key and value of one head in one layer, bf16

using Ways = std::map<std::pair<std::int64_t, std::int64_t>, double>;
Ways ways(const Llm& llm, const Shape& from, const Shape& to) {
  Ways out;
  for (const KvShard& s : kv_shards(llm, DataType::bf16, from, to)) out[{s.from_gpu, s.to_gpu}] = s.bytes_per_token;
  return out;
}

TEST(KvShards, LikeShapesSendRankToRank) {
  EXPECT_EQ(ways(grouped(), {2}, {2}), (Ways{{{0, 0}, 80 * 4 * head_bytes}, {{1, 1}, 80 * 4 * head_bytes}}));
}

// Four heads each become two each: ranks 0 and 1 get theirs from rank 0.
TEST(KvShards, AWiderReplicaGetsFewerHeadsPerGpu) {
  const double b = 80 * 2 * head_bytes;
  EXPECT_EQ(ways(grouped(), {2}, {4}), (Ways{{{0, 0}, b}, {{0, 1}, b}, {{1, 2}, b}, {{1, 3}, b}}));
}

TEST(KvShards, ANarrowerOneGathers) {
  const double b = 80 * 2 * head_bytes;
  EXPECT_EQ(ways(grouped(), {4}, {2}), (Ways{{{0, 0}, b}, {{1, 0}, b}, {{2, 1}, b}, {{3, 1}, b}}));
}

// 80 layers in two stages of 40; two ranks hold copies of the same head and take turns to give it.
TEST(KvShards, StagesHoldTheirLayersAndCopiesTakeTurns) {
  EXPECT_EQ(ways({.name = "made up", .layers = 80, .heads = 8, .kv_heads = 1, .head_size = 128}, {2, 2}, {2}),
            (Ways{{{0, 0}, 40 * head_bytes},
                  {{1, 1}, 40 * head_bytes},
                  {{2, 0}, 40 * head_bytes},
                  {{3, 1}, 40 * head_bytes}}));
}

// Every GPU of the group holds the whole latent vector: 512 + 64 elements.
TEST(KvShards, TheLatentVectorIsSentToEveryGpu) {
  const Llm llm{.name = "made up",
                .layers = 10,
                .heads = 16,
                .kv_heads = 16,
                .latent = LatentAttention{.kv_rank = 512, .rope_head_size = 64}};
  const double b = 10 * 576 * 2;
  EXPECT_EQ(ways(llm, {1}, {2}), (Ways{{{0, 0}, b}, {{0, 1}, b}}));
  EXPECT_EQ(ways(llm, {2}, {1}), (Ways{{{0, 0}, b}}));
}

// Without copies, the shards of a sequence are its KV, whatever the shapes.
TEST(KvShards, AddUpToTheKv) {
  for (std::int64_t a : {1, 2, 4, 8})
    for (std::int64_t b : {1, 2, 4, 8})
      for (std::int64_t p : {1, 2, 3}) {
        double sum = 0;
        for (const auto& [gpus, bytes] : ways(grouped(), {a, p}, {b, 2})) sum += bytes;
        EXPECT_DOUBLE_EQ(sum, kv_bytes_per_token(grouped(), DataType::bf16));
      }
}

}  // namespace servecast::kv_shards_test
