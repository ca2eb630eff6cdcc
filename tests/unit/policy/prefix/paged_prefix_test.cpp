#include <gtest/gtest.h>

#include <vector>

#include "models/base/rng.h"
#include "models/policy/kv_cache.h"

namespace servecast::paged_prefix_test {

std::unique_ptr<KvCache> cache_of(std::int64_t blocks) {
  auto cache = Registry<KvCache>::all().at("paged_prefix").prepare()->make();
  cache->resize(16 * blocks);
  return cache;
}

struct Prompt {
  explicit Prompt(std::vector<BlockHash> blocks, std::int64_t tokens, std::int32_t block_tokens = 16)
      : hashes(std::move(blocks)) {
    request.prompt_tokens = tokens;
    request.block_tokens = block_tokens;
    request.prefix_blocks = hashes;
  }
  std::vector<BlockHash> hashes;
  Request request{};
  KvHeld held{};

  bool compute(KvCache& cache) {
    const bool room = cache.has_room(request, held, request.prompt_tokens, true);
    EXPECT_EQ(cache.hold(request, held, request.prompt_tokens, true), room);
    if (!room) return false;
    cache.computed(request, held, request.prompt_tokens);
    return true;
  }
};

TEST(PagedPrefix, ASecondPromptUsesTheFirstOnesBlocks) {
  const auto cache = cache_of(10);
  Prompt first({1, 2, 3}, 40);  // two full blocks and half of one
  EXPECT_EQ(cache->cached_tokens(first.request), 0);
  ASSERT_TRUE(first.compute(*cache));
  EXPECT_EQ(cache->used_blocks(), 3);
  Prompt second({1, 2, 7}, 48);
  EXPECT_EQ(cache->cached_tokens(second.request), 32);
  ASSERT_TRUE(second.compute(*cache));
  EXPECT_EQ(cache->used_blocks(), 4);  // two shared, one of each
  cache->release(first.request, first.held);
  EXPECT_EQ(cache->used_blocks(), 3);
  cache->release(second.request, second.held);
  EXPECT_EQ(cache->free_blocks(), 10);
}

// All of a prompt is cached, but its last token must be computed to give the first output token.
TEST(PagedPrefix, TheLastTokenIsAlwaysComputed) {
  const auto cache = cache_of(10);
  Prompt first({1, 2}, 32);
  ASSERT_TRUE(first.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(first.request), 16);
  Prompt longer({1, 2}, 33);
  EXPECT_EQ(cache->cached_tokens(longer.request), 32);
}

// 6 blocks: A's three are free again, the end of A before its beginning. Five new blocks take the three never
// used, then A's third and second block: only its first is left.
TEST(PagedPrefix, TheEndOfAPromptIsForgottenBeforeItsBeginning) {
  const auto cache = cache_of(6);
  Prompt a({1, 2, 3}, 48);
  ASSERT_TRUE(a.compute(*cache));
  cache->release(a.request, a.held);
  Prompt asks_again({1, 2, 3}, 49);
  EXPECT_EQ(cache->cached_tokens(asks_again.request), 48);
  Prompt other({}, 80);
  ASSERT_TRUE(other.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(asks_again.request), 16);
}

// What is used again is forgotten last.
TEST(PagedPrefix, TheLeastRecentlyUsedGoesFirst) {
  const auto cache = cache_of(3);
  Prompt a({1}, 16);
  Prompt b({2}, 16);
  ASSERT_TRUE(a.compute(*cache));
  ASSERT_TRUE(b.compute(*cache));
  cache->release(a.request, a.held);
  cache->release(b.request, b.held);
  Prompt uses_a({1}, 17);
  ASSERT_TRUE(uses_a.compute(*cache));
  cache->release(uses_a.request, uses_a.held);
  Prompt other({}, 32);  // two blocks: the one of uses_a's last token, then b's... which came before a's
  ASSERT_TRUE(other.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Prompt({1}, 17).request), 16);
  EXPECT_EQ(cache->cached_tokens(Prompt({2}, 17).request), 0);
}

// Hash blocks of 64 tokens in a cache of 16: shared four blocks at a time. Of 10 that do not divide: not at all.
TEST(PagedPrefix, SharesInUnitsOfTheLargerBlock) {
  const auto cache = cache_of(20);
  Prompt big({1, 2}, 128, 64);
  ASSERT_TRUE(big.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Prompt({1, 9}, 128, 64).request), 64);
  Prompt odd({5, 6, 7, 8}, 40, 10);
  ASSERT_TRUE(odd.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(odd.request), 0);
  Prompt small({11, 12, 13, 14}, 16, 4);  // four hash blocks make one block of the cache
  ASSERT_TRUE(small.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Prompt({11, 12, 13, 14, 15}, 20, 4).request), 16);
}

// Random prompts over a tree of beginnings: blocks are never lost, and never handed out twice.
TEST(PagedPrefix, BlocksAreConserved) {
  const auto cache = cache_of(60);
  Rng rng(3, "prompts");
  std::vector<Prompt> running;
  std::int64_t cached = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::vector<BlockHash> hashes;
    BlockHash node = 0;
    for (std::uint64_t n = rng.below(9); n > 0; --n) hashes.push_back(node = node * 3 + 1 + rng.below(3));
    const auto most = static_cast<std::int64_t>(16 * hashes.size());
    Prompt prompt(hashes, std::max<std::int64_t>(1, most - static_cast<std::int64_t>(rng.below(16))));
    cached += cache->cached_tokens(prompt.request);
    if (prompt.compute(*cache)) {
      running.push_back(std::move(prompt));
      running.back().request.prefix_blocks = running.back().hashes;
    }
    while (running.size() > 12 || (!running.empty() && rng.uniform() < 0.4)) {
      const std::size_t i_done = rng.below(running.size());
      cache->release(running[i_done].request, running[i_done].held);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i_done));
    }
    std::int64_t apart = 0;  // blocks if nothing were shared
    for (const Prompt& p : running) apart += p.held.blocks;
    ASSERT_LE(cache->used_blocks(), apart);
    ASSERT_GE(cache->free_blocks(), 0);
  }
  EXPECT_GT(cached, 50'000);
  for (const Prompt& p : running) cache->release(p.request, p.held);
  EXPECT_EQ(cache->free_blocks(), 60);
}

// Half of the layers have a window of 32 tokens, in blocks of 16: a sequence holds at most 3 blocks of these. Of 96
// tokens that is 6 + 3.
std::unique_ptr<KvCache> windowed_cache(std::int64_t blocks) {
  auto cache = Registry<KvCache>::all().at("paged_prefix").prepare()->make();
  cache->set_groups({.groups = 2, .windowed = 1, .window_tokens = 32, .layers = 1});
  cache->resize(16 * blocks / 2);
  return cache;
}

TEST(PagedPrefix, WindowedLayersHoldTheWindow) {
  const auto cache = windowed_cache(40);
  EXPECT_EQ(cache->total_blocks(), 40);
  Prompt prompt({1, 2, 3, 4, 5, 6}, 96);
  ASSERT_TRUE(prompt.compute(*cache));
  EXPECT_EQ(cache->used_blocks(), 9);
  cache->release(prompt.request, prompt.held);
  EXPECT_EQ(cache->free_blocks(), 40);
  Prompt longer({1, 2, 3, 4, 9}, 80);
  EXPECT_EQ(cache->cached_tokens(longer.request), 64);
}

// 15 blocks. A prompt of 6 blocks takes 6 + 3; what windowed layers had of its 6 units is in the other 6. A second
// one of 2 blocks takes 4 of these, the oldest, and keeps its own 2 in place of two more: nothing windowed of the
// first is left, so it is not found, though full layers have it whole.
TEST(PagedPrefix, APrefixWithoutItsWindowIsNotFound) {
  const auto cache = windowed_cache(15);
  Prompt first({1, 2, 3, 4, 5, 6}, 96);
  ASSERT_TRUE(first.compute(*cache));
  Prompt again({1, 2, 3, 4, 5, 6, 7}, 112);
  EXPECT_EQ(cache->cached_tokens(again.request), 96);
  Prompt second({11, 12}, 32);
  ASSERT_TRUE(second.compute(*cache));
  EXPECT_EQ(cache->free_blocks(), 2);
  EXPECT_EQ(cache->cached_tokens(again.request), 0);
}

// Half of the layers attend within chunks of 64 tokens. 15 blocks: a prompt of 6 takes 6 + 2. A second one of 2 takes
// what chunked layers kept of the first one's oldest units. Of the first, its chunk under way is still there, so all
// 96 tokens are found; where a chunk ends, nothing chunked is asked for, and where the chunk that ended at 64 tokens
// is wanted in part, it is gone.
TEST(PagedPrefix, ChunkedLayersWantTheChunkUnderWay) {
  auto cache = Registry<KvCache>::all().at("paged_prefix").prepare()->make();
  cache->set_groups({.groups = 2, .windowed = 1, .window_tokens = 64, .layers = 1, .chunked = true});
  cache->resize(16 * 15 / 2 + 8);
  Prompt first({1, 2, 3, 4, 5, 6}, 96);
  ASSERT_TRUE(first.compute(*cache));
  EXPECT_EQ(cache->used_blocks(), 6 + 2);
  Prompt second({11, 12}, 32);
  ASSERT_TRUE(second.compute(*cache));
  Prompt whole({1, 2, 3, 4, 5, 6, 7}, 112);
  EXPECT_EQ(cache->cached_tokens(whole.request), 96);
  Prompt to_the_chunk({1, 2, 3, 4, 9}, 80);
  EXPECT_EQ(cache->cached_tokens(to_the_chunk.request), 64);
  Prompt inside({1, 2, 3, 9}, 64);
  EXPECT_EQ(cache->cached_tokens(inside.request), 0);
}

}  // namespace servecast::paged_prefix_test
