// KV of layers with a sliding window, in groups of layers.
#include "models/hw/llm/kv_groups.h"

#include <gtest/gtest.h>

#include "models/hw/memory/kv_shards.h"

namespace servecast::kv_groups_test {

Llm layered(std::int64_t layers, std::int64_t window, std::int64_t full_step) {
  Llm m{.name = "made up", .layers = layers, .heads = 64, .kv_heads = 8, .head_size = 64, .sliding_window = window};
  for (std::int64_t layer = 1; full_step > 0 && layer <= layers; ++layer)
    m.attention_of.push_back(layer % full_step == 0 ? Attention::full : Attention::sliding);
  return m;
}

// gpt-oss-120b: 18 layers of either kind. Gemma 3 27B: every sixth of 62 is full, so 10 full ones are a group and 52
// windowed ones six. With 5 windowed layers and 6 full ones, 6 is less than a quarter more: two groups of 6.
TEST(KvGroups, AreAsVllmFormsThem) {
  EXPECT_EQ(kv_groups(layered(36, 128, 2), DataType::bf16),
            (KvGroups{.groups = 2, .windowed = 1, .window_tokens = 128, .layers = 18}));
  EXPECT_EQ(kv_groups(layered(62, 1024, 6), DataType::bf16),
            (KvGroups{.groups = 7, .windowed = 6, .window_tokens = 1024, .layers = 10}));
  EXPECT_EQ(kv_groups(layered(11, 128, 2), DataType::bf16),
            (KvGroups{.groups = 2, .windowed = 1, .window_tokens = 128, .layers = 6}));
  EXPECT_EQ(kv_groups(layered(32, 4096, 0), DataType::bf16),
            (KvGroups{.groups = 1, .windowed = 1, .window_tokens = 4096, .layers = 32}));
  EXPECT_EQ(kv_groups(layered(32, 0, 0), DataType::bf16), (KvGroups{.layers = 32}));
}

// A window of 128 in blocks of 16: 127 tokens before the next one, in 8 blocks, or 9 where they begin inside one. Of
// 6,400 tokens, 400 blocks of full layers and 9 of windowed ones; of 100 tokens, 7 of either.
TEST(KvGroups, HoldNoMoreThanTheWindow) {
  const KvGroups groups = kv_groups(layered(36, 128, 2), DataType::bf16);
  EXPECT_EQ(groups.windowed_blocks(16), 9);
  EXPECT_EQ(groups.blocks(400, 16), 409);
  EXPECT_EQ(groups.blocks(7, 16), 14);
  EXPECT_EQ(KvGroups{}.blocks(400, 16), 400);
}

// vLLM's own test of get_max_concurrency_for_kv_cache_config: a window of 1,024 and steps of 1,024 tokens hold 129
// blocks of 16 while a step is computed. Here a sequence has those of the window between its steps: 65, and 64 more
// would make vLLM's 129.
TEST(KvGroups, AgreeWithVllmsOwnTest) {
  const KvGroups groups = kv_groups(layered(32, 1024, 2), DataType::bf16);
  EXPECT_EQ(groups.windowed_blocks(16) + 1024 / 16, 129);
}

// Three layers that attend within chunks of 64 tokens for each full one, in blocks of 16: of the tokens of a
// sequence, the last of which is being computed, vLLM keeps those from the last multiple of 64 before it
// (ChunkedLocalAttentionManager.get_num_skipped_tokens).
TEST(KvGroups, KeepTheChunkUnderWay) {
  Llm m{.layers = 4, .heads = 8, .kv_heads = 8, .head_size = 64, .attention_chunk = 64};
  m.attention_of = {Attention::chunked, Attention::chunked, Attention::chunked, Attention::full};
  const KvGroups groups = kv_groups(m, DataType::bf16);
  for (std::int64_t tokens = 1; tokens < 300; ++tokens) {
    const std::int64_t skipped = (tokens - 1) / 64 * 64;
    const std::int64_t runs = divided_up(tokens, 16);
    ASSERT_EQ(groups.blocks(runs, 16), runs + 3 * (runs - skipped / 16)) << tokens;
    const KvShard shard{.bytes_per_token = 1, .bounded_bytes_per_token = 3};
    ASSERT_EQ(shard.bytes(0, real(tokens), groups), real(tokens + 3 * (tokens % 64))) << tokens;
  }
  EXPECT_EQ((KvShard{.bounded_bytes_per_token = 1}.bytes(100, 120, groups)), 20);
  EXPECT_EQ((KvShard{.bounded_bytes_per_token = 1}.bytes(100, 130, groups)), 2);
}

// 1,000 tokens of gpt-oss: 18 layers of all tokens and 18 of 128. A token of a layer has 2 x 8 x 64 numbers of 2
// bytes.
TEST(KvShards, SendOfWindowedLayersTheWindow) {
  const auto shards = kv_shards(layered(36, 128, 2), DataType::bf16, {1}, {1});
  ASSERT_EQ(shards.size(), 1u);
  const KvGroups groups = kv_groups(layered(36, 128, 2), DataType::bf16);
  EXPECT_DOUBLE_EQ(shards[0].bytes(0, 1000, groups), 18 * (1000 + 128) * 2048.0);
  EXPECT_DOUBLE_EQ(shards[0].bytes(0, 1000, {}), 36 * 1000 * 2048.0);
  EXPECT_DOUBLE_EQ(shards[0].bytes(900, 1000, groups), 36 * 100 * 2048.0);
}

// Sent in three parts, a state goes once, with the last of them: of 3 linear layers as much as 100 tokens of one.
TEST(KvShards, SendAStateWithTheLastTokens) {
  const KvShard shard{.bytes_per_token = 2048, .bounded_bytes_per_token = 3 * 2048};
  const KvGroups groups{.groups = 4, .windowed = 3, .window_tokens = 100, .from_the_first = true};
  EXPECT_DOUBLE_EQ(shard.bytes(0, 500, groups, false), 500 * 2048.0);
  EXPECT_DOUBLE_EQ(shard.bytes(500, 1000, groups, false), 500 * 2048.0);
  EXPECT_DOUBLE_EQ(shard.bytes(1000, 1010, groups), (10 + 3 * 100) * 2048.0);
}

}  // namespace servecast::kv_groups_test
