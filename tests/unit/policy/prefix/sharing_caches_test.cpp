// What every cache keeps in which prompts share their beginnings, with every eviction that it takes.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "models/base/rng.h"
#include "models/policy/eviction.h"
#include "tests/unit/policy/prefix/made_cache.h"

namespace servecast::sharing_caches_test {

std::vector<std::string> sharing_caches() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : Registry<KvCache>::all())
    if (entry.prepare()->make()->shares_prefixes()) names.push_back(name);
  return names;
}
std::vector<std::string> evictions() {
  std::vector<std::string> names = Registry<Eviction>::names();
  std::erase(names, "belady");
  return names;
}

/// Counts what a cache says that it holds: each unit comes in once and leaves once.
struct Ledger final : PrefixListener {
  std::set<BlockHash> here{};
  void computed(RequestId, BlockHash unit, std::int64_t) override { EXPECT_TRUE(here.insert(unit).second); }
  void dropped(BlockHash unit, std::int64_t) override { EXPECT_EQ(here.erase(unit), 1u); }
};

class SharingCache : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::unique_ptr<KvCache> cache_of(std::int64_t tokens, std::map<std::string, std::string> settings = {}) {
    settings["eviction.policy"] = std::get<1>(GetParam());
    return made_cache(std::get<0>(GetParam()), tokens, settings);
  }
};
INSTANTIATE_TEST_SUITE_P(All, SharingCache,
                         testing::Combine(testing::ValuesIn(sharing_caches()), testing::ValuesIn(evictions())),
                         [](const auto& p) { return std::get<0>(p.param) + "_" + std::get<1>(p.param); });

// Random prompts over a tree of beginnings, in chunks, some with output that later prompts go on from: blocks are
// never lost, and never handed out twice.
TEST_P(SharingCache, BlocksAreConserved) {
  for (const std::string block_tokens : {"1", "4", "8"}) {
    const auto cache = cache_of(960, {{"block_tokens", block_tokens}});
    Ledger ledger;
    cache->set_listener(ledger);
    const std::int64_t all = cache->free_blocks();
    Rng rng(3, "prompts" + block_tokens);
    std::deque<Holder> running;
    std::int64_t cached = 0;
    for (int i = 0; i < 4'000; ++i) {
      cache->set_clock(0.5 * i);
      std::vector<BlockHash> said;
      for (std::uint64_t n = 1 + rng.below(9), node = 0; n > 0; --n)
        said.push_back(node = node * 3 + 1 + rng.below(3));
      const std::size_t prompt_blocks = 1 + rng.below(said.size());
      const auto prompt = std::max<std::int64_t>(1, static_cast<std::int64_t>(4 * prompt_blocks - rng.below(4)));
      Holder holder({said.begin(), said.begin() + static_cast<std::ptrdiff_t>(prompt / 4)}, prompt, 4, said);
      if (block_tokens == "4") holder.request.adapter = AdapterId(static_cast<std::uint32_t>(i % 3));
      const std::int64_t hit = cache->cached_tokens(holder.request);
      ASSERT_LT(hit, prompt);
      cached += hit;
      const std::int64_t before = cache->free_blocks();
      if (cache->hold(holder.request, holder.held, hit + 1, true)) {
        cache->computed(holder.request, holder.held, hit + 1);
        if (cache->hold(holder.request, holder.held, prompt, false))
          cache->computed(holder.request, holder.held, prompt);
        running.push_back(std::move(holder));
      } else {
        ASSERT_EQ(cache->free_blocks(), before) << "a refusal changes nothing";
      }
      while (running.size() > 12 || (!running.empty() && rng.uniform() < 0.4)) {
        const std::size_t done = rng.below(running.size());
        Holder& leaving = running[done];
        const auto output = static_cast<std::int64_t>(1 + rng.below(20));
        const std::int64_t more = cache->blocks_for(leaving.request, prompt + output) + 2;
        if (leaving.held.tokens == leaving.request.prompt_tokens && cache->free_blocks() >= more)
          leaving.finish(*cache, output);
        else
          leaving.release(*cache);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(done));
      }
      std::int64_t apart = 0;  // blocks if nothing were shared
      for (const Holder& h : running) apart += h.held.blocks;
      ASSERT_LE(cache->used_blocks(), apart);
      ASSERT_GE(cache->free_blocks(), 0);
      ASSERT_LE(static_cast<std::int64_t>(ledger.here.size()) * 4, 960);
    }
    EXPECT_GT(cached, 2'000);
    for (Holder& h : running) h.release(*cache);
    EXPECT_EQ(cache->free_blocks(), all);
  }
}

TEST_P(SharingCache, FindsWhatWasComputedBefore) {
  const auto cache = cache_of(16 * 20, {{"block_tokens", "16"}});
  Holder first({1, 2, 3}, 60, 16);
  EXPECT_EQ(cache->cached_tokens(first.request), 0);
  ASSERT_TRUE(first.compute(*cache));
  Holder running({1, 2, 7}, 50, 16);
  EXPECT_EQ(cache->cached_tokens(running.request), 32) << "while its first user runs";
  first.release(*cache);
  EXPECT_EQ(cache->cached_tokens(running.request), 32) << "and after it";
  Holder same({1, 2}, 32, 16);
  EXPECT_EQ(cache->cached_tokens(same.request), 16) << "the last token is computed, and its page with it";
}

// The same passage behind another text is another block.
TEST_P(SharingCache, ABlockIsFoundOnlyBehindItsPrefix) {
  const auto cache = cache_of(16 * 20, {{"block_tokens", "16"}});
  Holder a({1, 5}, 40, 16);
  Holder b({2, 6}, 40, 16);
  ASSERT_TRUE(a.compute(*cache));
  ASSERT_TRUE(b.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Holder({1, 6}, 40, 16).request), 16);
  EXPECT_EQ(cache->cached_tokens(Holder({6}, 40, 16).request), 0);
}

// What one adapter, or model, computes is of no use to another one, at the root and below a common beginning.
TEST_P(SharingCache, AdaptersShareNothingWithEachOther) {
  for (const std::string page : {"8", "16", "32"}) {
    const auto cache = cache_of(16 * 40, {{"block_tokens", page}});
    Ledger ledger;
    cache->set_listener(ledger);
    const auto of = [](std::uint32_t adapter, std::vector<BlockHash> blocks) {
      Holder holder(std::move(blocks), 128, 16);
      holder.request.adapter = AdapterId(adapter);
      return holder;
    };
    const std::vector<BlockHash> text{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<Holder> holders;
    for (const std::uint32_t adapter : {0u, 1u, 2u}) {
      EXPECT_EQ(cache->cached_tokens(of(adapter, text).request), 0);
      holders.push_back(of(adapter, text));
      ASSERT_TRUE(holders.back().compute(*cache));
      EXPECT_EQ(cache->cached_tokens(of(adapter, {1, 2, 3, 4, 9, 9, 9, 9}).request), 64);
    }
    EXPECT_EQ(cache->cached_tokens(of(3, text).request), 0);
    EXPECT_EQ(ledger.here.size(), 3u * (page == "32" ? 4 : 8)) << "tiers below hear of three times the units";
    for (Holder& holder : holders) holder.release(*cache);
    EXPECT_EQ(cache->used_blocks(), 0);
  }
}

// A session: 40 tokens asked, 30 answered, 20 more. The answer's last token has not been computed, so 69 tokens could
// be found: whole blocks of 16 make 64.
TEST_P(SharingCache, ThePromptOfTheNextTurnFindsTheAnswer) {
  const std::vector<BlockHash> talk{1, 2, 3, 4, 5, 6};
  const auto cache = cache_of(16 * 20, {{"block_tokens", "16"}});
  Holder first({1, 2}, 40, 16, {1, 2, 3, 4, 5});
  ASSERT_TRUE(first.compute(*cache));
  Holder second({1, 2, 3, 4, 5}, 90, 16, talk);
  EXPECT_EQ(cache->cached_tokens(second.request), 32);
  first.finish(*cache, 30);
  EXPECT_EQ(cache->cached_tokens(second.request), 64);
  ASSERT_TRUE(second.compute(*cache));
  second.finish(*cache, 1);
  EXPECT_EQ(cache->used_blocks(), 0);
}

TEST_P(SharingCache, HasNoUseForTheFuture) {
  EXPECT_FALSE(cache_of(160)->problem());
  EXPECT_TRUE(made_cache(std::get<0>(GetParam()), 160, {{"eviction.policy", "belady"}})->problem());
}

// Room for three prompts of one block. A is used twice, then B, C and D once each: D takes A's place for fifo, B's
// for the others, of which lfu would let A stay whatever came.
std::string stays(const std::string& cache_policy, const std::string& eviction) {
  const auto cache = made_cache(cache_policy, 16 * 3, {{"block_tokens", "16"}, {"eviction.policy", eviction}});
  const auto ask = [&](BlockHash block) {
    Holder holder({block}, 16, 16);
    EXPECT_TRUE(holder.compute(*cache));
    holder.release(*cache);
  };
  ask(1);
  Holder again({1}, 17, 16);
  EXPECT_TRUE(again.compute(*cache));
  ask(2);
  again.release(*cache);
  ask(3);
  ask(4);
  std::string here;
  for (BlockHash block : {1, 2, 3, 4})
    if (cache->cached_tokens(Holder({block}, 17, 16).request) > 0) here += static_cast<char>('0' + block);
  return here;
}

TEST(SharingCaches, TheEvictionSaysWhoLeaves) {
  for (const std::string cache : {"paged_prefix", "radix"}) {
    EXPECT_EQ(stays(cache, "lru"), "134") << cache;
    EXPECT_EQ(stays(cache, "lfu"), "134") << cache;
    EXPECT_EQ(stays(cache, "ttl"), "134") << cache;
    EXPECT_EQ(stays(cache, "fifo"), "234") << cache;
  }
}

// After 120 s without use a block is as good as gone; a use in between, even one that recomputes it, renews it.
TEST(SharingCaches, WithTtlWhatIsOldIsNotFound) {
  for (const std::string name : {"paged_prefix", "radix"}) {
    const auto cache = made_cache(name, 16 * 20, {{"block_tokens", "16"}, {"eviction.policy", "ttl"}});
    ASSERT_TRUE(cache->reads_clock());
    const auto found_at = [&](double now_s) {
      cache->set_clock(now_s);
      Holder holder({1, 2}, 33, 16);
      const std::int64_t found = cache->cached_tokens(holder.request);
      EXPECT_TRUE(holder.compute(*cache));
      holder.release(*cache);
      return found;
    };
    EXPECT_EQ(found_at(0), 0);
    EXPECT_EQ(found_at(120), 32) << name;
    EXPECT_EQ(found_at(240.5), 0) << name;
    EXPECT_EQ(found_at(300), 32) << name;
    EXPECT_EQ(cache->used_blocks(), 0) << name;
  }
}

}  // namespace servecast::sharing_caches_test
