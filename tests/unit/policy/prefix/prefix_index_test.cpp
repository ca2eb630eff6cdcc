// Clever structures against plain ones that do the same the slow way.
#include "models/policy/prefix/prefix_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/base/rng.h"
#include "models/policy/support/hash_ring.h"

namespace servecast::prefix_index_test {

/// All blocks of all replicas in one list each, searched from end to end.
class PlainIndex {
 public:
  explicit PlainIndex(std::size_t replicas) : trees_(replicas) {}

  PrefixIndex::Match longest(const Request& r) const {
    PrefixIndex::Match best;
    std::uint64_t latest = 0;
    for (std::size_t replica = 0; replica < trees_.size(); ++replica) {
      std::int64_t blocks = 0;
      std::uint64_t used = 0;
      for (const BlockHash hash : r.prefix_blocks) {
        const auto at = std::ranges::find(trees_[replica], hash, &Block::hash);
        if (at == trees_[replica].end()) break;
        ++blocks;
        used = at->used;
      }
      const std::int64_t tokens = blocks * r.block_tokens;
      if (tokens < best.tokens || (tokens == best.tokens && used <= latest)) continue;
      best = {.tokens = tokens, .replica = replica};
      latest = used;
    }
    return best;
  }
  void insert(const Request& r, std::size_t replica) {
    ++now_;
    const auto named = static_cast<std::int64_t>(r.prefix_blocks.size());
    const std::int64_t rest = r.prompt_tokens - named * r.block_tokens;
    if (rest > 0) trees_[replica].push_back({.tokens = rest, .used = now_, .depth = named + 1});
    for (std::int64_t i = 0; i < named; ++i) {
      const BlockHash hash = r.prefix_blocks[static_cast<std::size_t>(i)];
      const auto at = std::ranges::find(trees_[replica], hash, &Block::hash);
      if (at != trees_[replica].end())
        at->used = now_;
      else
        trees_[replica].push_back({.hash = hash, .tokens = r.block_tokens, .used = now_, .depth = i + 1});
    }
  }
  std::int64_t tokens(std::size_t replica) const {
    std::int64_t sum = 0;
    for (const Block& b : trees_[replica]) sum += b.tokens;
    return sum;
  }
  void evict(std::size_t replica, std::int64_t max_tokens) {
    while (tokens(replica) > max_tokens)
      trees_[replica].erase(std::ranges::min_element(trees_[replica], {}, [](const Block& b) {
        return std::pair(b.used, -b.depth);  // least recently used, leaves first
      }));
  }

 private:
  struct Block {
    BlockHash hash = 0;
    std::int64_t tokens = 0;
    std::uint64_t used = 0;
    std::int64_t depth = 0;
  };
  std::vector<std::vector<Block>> trees_;
  std::uint64_t now_ = 0;
};

// Prompts of a tree with three branches at every block, on four replicas.
TEST(PrefixIndex, IsThePlainOne) {
  PrefixIndex index(4);
  PlainIndex plain(4);
  Rng rng(1, "prompts");
  for (int round = 0; round < 3000; ++round) {
    std::vector<BlockHash> blocks;
    for (std::uint64_t hash = 1, n = 1 + rng.below(7); blocks.size() < n;) {
      hash = hash * 4 + rng.below(3);
      blocks.push_back(hash);
    }
    const Request request{
        .prompt_tokens = 16 * static_cast<std::int64_t>(blocks.size()) + static_cast<std::int64_t>(rng.below(16)),
        .block_tokens = 16,
        .prefix_blocks = blocks};
    const PrefixIndex::Match expected = plain.longest(request);
    const PrefixIndex::Match found = index.longest(request);
    ASSERT_EQ(found.tokens, expected.tokens);
    ASSERT_EQ(found.replica, expected.replica);
    const std::size_t replica = rng.below(4);
    index.insert(request, replica);
    plain.insert(request, replica);
    if (round % 50 == 49)
      for (std::size_t i = 0; i < 4; ++i) {
        index.evict(i, 900);
        plain.evict(i, 900);
      }
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(index.tokens(i), plain.tokens(i));
  }
}

TEST(PrefixIndex, ABlockThatThePromptDoesNotFillIsNotShared) {
  PrefixIndex index(1);
  const std::vector<BlockHash> blocks{1, 2};
  const Request request{.prompt_tokens = 20, .block_tokens = 16, .prefix_blocks = blocks};
  index.insert(request, 0);
  EXPECT_EQ(index.longest(request).tokens, 16);
  EXPECT_EQ(index.tokens(0), 20);
}

/// The point that follows the key, found by looking at every point.
ReplicaId plain_owner(const std::vector<ReplicaId>& replicas, std::int64_t points, std::uint64_t key) {
  std::map<std::uint64_t, ReplicaId> by_distance;  // going up, around the end of the ring
  for (const ReplicaId id : replicas)
    for (std::int64_t i = 0; i < points; ++i) by_distance[HashRing::point(id, i) - scramble(key)] = id;
  return by_distance.begin()->second;
}

TEST(HashRing, IsThePlainOne) {
  std::vector<ReplicaId> replicas;
  for (std::uint32_t i = 0; i < 5; ++i) replicas.push_back(ReplicaId{10 + i});
  HashRing ring(7);
  ring.assign(replicas);
  for (std::uint64_t key = 0; key < 2000; ++key) ASSERT_EQ(ring.owner(key), plain_owner(replicas, 7, key));
}

TEST(HashRing, AReplicaThatGoesMovesOnlyItsOwnKeys) {
  std::vector<ReplicaId> replicas;
  for (std::uint32_t i = 0; i < 10; ++i) replicas.push_back(ReplicaId{i});
  HashRing before;
  before.assign(replicas);
  replicas.pop_back();
  HashRing after;
  after.assign(replicas);
  int moved = 0;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    if (before.owner(key) == ReplicaId{9})
      ++moved;
    else
      EXPECT_EQ(after.owner(key), before.owner(key));
  }
  EXPECT_NEAR(moved, 100, 40);
}

}  // namespace servecast::prefix_index_test
