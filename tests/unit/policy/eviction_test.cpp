// What is special about each eviction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "sim/contract/prompts.h"

namespace servecast::eviction_test {

using testing::ElementsAre;

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
