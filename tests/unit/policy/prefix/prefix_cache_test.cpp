#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/contract/prompts.h"

namespace servecast::prefix_cache_test {

using testing::ElementsAre;

TEST(PrefixTrie, SameBlockBehindAnotherPrefixIsAnotherNode) {
  PrefixTrie trie;
  const CacheEntry a = trie.child(PrefixTrie::root, 7);
  const CacheEntry ab = trie.child(a, 8);
  const CacheEntry b = trie.child(PrefixTrie::root, 8);
  EXPECT_EQ(a, CacheEntry{1});  // numbered as they appear
  EXPECT_EQ(ab, CacheEntry{2});
  EXPECT_EQ(b, CacheEntry{3});
  EXPECT_EQ(trie.child(a, 8), ab);
  EXPECT_EQ(trie.parent(ab), a);
  EXPECT_EQ(trie.parent(b), PrefixTrie::root);
  EXPECT_EQ(trie.size(), 4u);
}

TEST(PrefixTrie, FindsAllAgainWhenItHasGrown) {
  PrefixTrie trie;
  std::vector<CacheEntry> made;
  for (BlockHash block = 0; block < 20'000; ++block)
    made.push_back(trie.child(block % 3 == 0 || made.empty() ? PrefixTrie::root : made.back(), block * 1'000'003));
  EXPECT_EQ(trie.size(), 20'001u);
  for (BlockHash block = 0; block < 20'000; ++block)
    EXPECT_EQ(trie.child(block % 3 == 0 ? PrefixTrie::root : made[block - 1], block * 1'000'003), made[block]);
  EXPECT_EQ(trie.size(), 20'001u);
}

TEST(EvictionQueue, IsSortedByRankThenByTheHigherNumber) {
  EvictionQueue queue(1000);
  std::set<std::pair<std::uint64_t, std::int64_t>> sorted;  // rank, minus number
  std::vector<std::uint64_t> ranks(1000);
  Rng rng(3, "queue");
  for (int i = 0; i < 20'000; ++i) {
    const auto number = static_cast<std::uint32_t>(rng.below(1000));
    const CacheEntry entry{number};
    if (queue.contains(entry)) {
      queue.withdraw(entry);
      sorted.erase({ranks[number], -std::int64_t{number}});
    } else {
      ranks[number] = rng.below(50);
      queue.offer(entry, ranks[number]);
      sorted.insert({ranks[number], -std::int64_t{number}});
    }
    ASSERT_EQ(queue.empty(), sorted.empty());
    if (sorted.empty()) continue;
    ASSERT_EQ(queue.first_rank(), sorted.begin()->first);
    ASSERT_EQ(-static_cast<std::int64_t>(index(queue.first())), sorted.begin()->second);
  }
}

TEST(PrefixCache, FindsUpToTheFirstMissingBlock) {
  EXPECT_THAT(replay(Paths({{1, 2}, {1, 3, 2}, {2}, {1, 3, 2, 4}}), "lru", 100).found, ElementsAre(0, 1, 0, 3));
}

TEST(PrefixCache, LeavesGoBeforeWhatTheyStandOn) {
  // 4 pushes out 3, the end of the first prompt, though 1 was used before it.
  const Paths paths({{1, 2, 3}, {4}, {1, 2, 3}});
  EXPECT_THAT(replay(paths, "lru", 3).found, ElementsAre(0, 0, 2));
}

TEST(PrefixCache, WithoutThatTheHeadGoesAndTheRestIsOfNoUse) {
  const Paths paths({{1, 2, 3}, {4}, {1, 2, 3}});
  EvictionReplay run(paths, "fifo", 3);
  run.serve(paths, 0);
  run.serve(paths, 1);
  EXPECT_FALSE(run.cache.holds(paths.nodes[0][0]));
  EXPECT_TRUE(run.cache.holds(paths.nodes[0][1]));
  EXPECT_TRUE(run.cache.holds(paths.nodes[0][2]));
  run.serve(paths, 2);
  EXPECT_EQ(run.found.back(), 0u);
  EXPECT_TRUE(run.cache.holds(paths.nodes[0][0]));  // back, in the place of 2, which then pushes out 3, then 3 4
}

TEST(PrefixCache, APromptLongerThanTheCacheLosesItsOwnLastBlock) {
  // 1 and 2 come in; to make room for 3 only 2 may leave, and behind nothing 3 stays out.
  const Paths paths({{1, 2, 3}});
  const EvictionReplay run = replay(paths, "lru", 2);
  EXPECT_TRUE(run.cache.holds(paths.nodes[0][0]));
  EXPECT_EQ(run.cache.used_blocks(), 1);
  EXPECT_TRUE(run.cache.was_full());
}

TEST(PrefixCache, WhatARequestFoundStaysWhileItIsServed) {
  // The second prompt finds 1 2. For 4 goes 3; for 5 only 4 may go.
  const Paths paths({{1, 2, 3}, {1, 2, 4, 5}});
  const EvictionReplay run = replay(paths, "lru", 3);
  EXPECT_THAT(run.found, ElementsAre(0, 2));
  EXPECT_TRUE(run.cache.holds(paths.nodes[0][1]));
  EXPECT_EQ(run.cache.used_blocks(), 2);
}

TEST(PrefixCache, AnEmptyPromptChangesNothing) {
  EXPECT_THAT(replay(Paths({{1}, {}, {1}}), "lru", 1).found, ElementsAre(0, 0, 1));
}

/// The same rules with plain sets and searches over everything.
class SpelledOut {
 public:
  SpelledOut(std::string policy, std::size_t capacity) : policy_(std::move(policy)), capacity_(capacity) {}

  std::size_t serve(const Paths& paths, std::size_t i) {
    const auto& nodes = paths.nodes[i];
    std::size_t found = 0;
    while (found < nodes.size() && held_.contains(nodes[found])) ++found;
    const std::set<CacheEntry> stay(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(found));
    for (std::size_t b = 0; b < found; ++b) use(nodes[b], paths.next_uses[i][b]);
    for (std::size_t b = found; b < nodes.size(); ++b) {
      if (held_.contains(nodes[b])) continue;
      if (held_.size() == capacity_ && !evict(paths.trie, stay, paths.next_uses[i][b])) break;
      const CacheEntry parent = paths.trie.parent(nodes[b]);
      if (policy_ != "fifo" && parent != PrefixTrie::root && !held_.contains(parent)) break;
      held_.insert(nodes[b]);
      entered_[nodes[b]] = ++clock_;
      use(nodes[b], paths.next_uses[i][b]);
    }
    return found;
  }

 private:
  void use(CacheEntry node, std::uint64_t next) {
    used_[node] = ++clock_;
    next_[node] = next;
  }
  /// Is it better to lose a than b?
  bool goes_first(CacheEntry a, CacheEntry b) {
    if (policy_ == "fifo") return entered_[a] < entered_[b];
    if (policy_ == "lru") return used_[a] < used_[b];
    return next_[a] != next_[b] ? next_[a] > next_[b] : a > b;
  }
  bool evict(const PrefixTrie& trie, const std::set<CacheEntry>& stay, std::uint64_t newcomers_next_use) {
    std::optional<CacheEntry> victim;
    for (const CacheEntry node : held_) {
      const bool leaf = std::ranges::none_of(held_, [&](CacheEntry other) { return trie.parent(other) == node; });
      if (policy_ != "fifo" && (!leaf || stay.contains(node))) continue;
      if (!victim || goes_first(node, *victim)) victim = node;
    }
    if (!victim || (policy_ == "belady" && next_[*victim] <= newcomers_next_use)) return false;
    held_.erase(*victim);
    return true;
  }

  std::string policy_;
  std::size_t capacity_;
  std::uint64_t clock_ = 0;
  std::set<CacheEntry> held_{};
  std::map<CacheEntry, std::uint64_t> entered_{}, used_{}, next_{};
};

TEST(PrefixCache, DoesWhatTheRulesSpelledOutDo) {
  for (const std::string policy : {"fifo", "lru", "belady"})
    for (const std::int64_t capacity : {1, 2, 3, 5, 9, 20, 45}) {
      const Paths paths(random_prompts(static_cast<std::uint64_t>(capacity), 250));
      SpelledOut slow(policy, static_cast<std::size_t>(capacity));
      EvictionReplay fast(paths, policy, capacity);
      for (std::size_t i = 0; i < paths.nodes.size(); ++i) {
        fast.serve(paths, i);
        ASSERT_EQ(fast.found.back(), slow.serve(paths, i)) << policy << ", " << capacity << " blocks, prompt " << i;
      }
    }
}

}  // namespace servecast::prefix_cache_test
