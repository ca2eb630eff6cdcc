// What every registered eviction keeps, and what is special about each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "tests/unit/policy/prefix/prompts.h"

namespace servecast::eviction_test {

using testing::ElementsAre;

class AnyEviction : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyEviction, testing::ValuesIn(Registry<Eviction>::names()),
                         [](const auto& policy) { return policy.param; });

TEST_P(AnyEviction, NeverHoldsMoreThanItsCapacity) {
  const Paths paths(random_prompts(1, 400));
  for (const std::int64_t capacity : {1, 2, 7, 40, 10'000}) {
    Replay run(paths, GetParam(), capacity);
    for (std::size_t i = 0; i < paths.nodes.size(); ++i) {
      run.serve(paths, i);
      std::int64_t held = 0;
      for (std::uint32_t node = 1; node < paths.trie.size(); ++node) held += run.cache.holds(CacheEntry{node});
      ASSERT_EQ(run.cache.used_blocks(), held);
      ASSERT_LE(held, capacity);
    }
  }
}

TEST_P(AnyEviction, KeepsABlockOnlyBehindItsPrefixIfItSaysSo) {
  if (!make_eviction(GetParam())->leaves_only()) GTEST_SKIP() << "lets any block leave";
  const Paths paths(random_prompts(2, 400));
  Replay run(paths, GetParam(), 25);
  for (std::size_t i = 0; i < paths.nodes.size(); ++i) {
    run.serve(paths, i);
    for (std::uint32_t node = 1; node < paths.trie.size(); ++node)
      if (run.cache.holds(CacheEntry{node})) {
        ASSERT_TRUE(run.cache.holds(paths.trie.parent(CacheEntry{node})));
      }
  }
}

TEST_P(AnyEviction, WithRoomForAllFindsAllThatWasThereBefore) {
  const auto prompts = random_prompts(3, 300);
  const Paths paths(prompts);
  const Replay run = replay(paths, GetParam(), static_cast<std::int64_t>(paths.trie.size()));
  std::set<Prompt> seen;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    std::size_t known = 0;
    for (std::size_t blocks = 1; blocks <= prompts[i].size(); ++blocks)
      known +=
          !seen.insert(Prompt(prompts[i].begin(), prompts[i].begin() + static_cast<std::ptrdiff_t>(blocks))).second;
    EXPECT_EQ(run.found[i], known);
  }
  EXPECT_FALSE(run.cache.was_full());
}

TEST_P(AnyEviction, Repeats) {
  const Paths paths(random_prompts(4, 300));
  EXPECT_EQ(replay(paths, GetParam(), 30).found, replay(paths, GetParam(), 30).found);
}

/// Belady's choice is the best there is: by blocks, over a whole trace that begins with an empty cache.
TEST_P(AnyEviction, NeverBeatsBelady) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Paths paths(random_prompts(seed, 300));
    for (const std::int64_t capacity : {1, 3, 8, 20, 60, 150})
      EXPECT_LE(replay(paths, GetParam(), capacity).found_blocks(), replay(paths, "belady", capacity).found_blocks())
          << "seed " << seed << ", " << capacity << " blocks";
  }
}

/// A larger cache of these holds all that a smaller one does, so each prompt finds at least as much.
TEST(Eviction, LruAndBeladyFindMoreInALargerCache) {
  for (const std::string policy : {"lru", "belady"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Paths paths(random_prompts(seed, 300));
      std::size_t smaller = 0;
      for (std::int64_t capacity = 1; capacity < 100; ++capacity) {
        const std::size_t larger = replay(paths, policy, capacity).found_blocks();
        EXPECT_GE(larger, smaller) << policy << ", seed " << seed << ", " << capacity << " blocks";
        smaller = larger;
      }
    }
}

// The classic string of Belady, Nelson and Shedler: prompts of one block each.
const std::vector<Prompt> anomaly{{1}, {2}, {3}, {4}, {1}, {2}, {5}, {1}, {2}, {3}, {4}, {5}};

std::size_t hits(const std::string& policy, std::int64_t capacity) {
  return replay(Paths(anomaly), policy, capacity).found_blocks();
}

TEST(Eviction, FifoFindsLessInALargerCacheOnTheClassicString) {
  EXPECT_EQ(hits("fifo", 3), 3u);  // 9 faults of 12
  EXPECT_EQ(hits("fifo", 4), 2u);  // 10 faults
}

TEST(Eviction, LruOnTheClassicString) {
  EXPECT_EQ(hits("lru", 3), 2u);  // 10 faults
  EXPECT_EQ(hits("lru", 4), 4u);  // 8 faults
}

TEST(Eviction, BeladyOnTheClassicString) {
  // 3 blocks: 1 2 3 stay, 4 (used again after these) and 5 are not taken in: hits 1 2 1 2 3.
  EXPECT_EQ(hits("belady", 3), 5u);
  // 4 blocks: 1 2 3 4 stay, 5 is used again after 4: hits 1 2 1 2 3 4.
  EXPECT_EQ(hits("belady", 4), 6u);
}

TEST(Eviction, BeladyTakesNothingInThatIsNotUsedAgain) {
  EXPECT_THAT(replay(Paths({{1}, {2}, {1}}), "belady", 1).found, ElementsAre(0, 0, 1));
  EXPECT_THAT(replay(Paths({{1}, {2}, {1}}), "lru", 1).found, ElementsAre(0, 0, 0));
}

TEST(Eviction, FifoDoesNotCareForUse) {
  // 1 is used again before 3 comes, which makes it the older one for fifo only.
  const std::vector<Prompt> prompts{{1}, {2}, {1}, {3}, {1}};
  EXPECT_THAT(replay(Paths(prompts), "fifo", 2).found, ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(replay(Paths(prompts), "lru", 2).found, ElementsAre(0, 0, 1, 0, 1));
}

}  // namespace servecast::eviction_test
