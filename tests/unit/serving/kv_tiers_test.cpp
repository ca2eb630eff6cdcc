#include "sim/serving/resources/kv_tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/policy/prefix/prefix_units.h"
#include "tests/unit/serving/tiers.h"

namespace servecast::kv_tiers_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// Tells the tiers that these blocks of a prompt were computed, or dropped.
void tell(const std::vector<BlockHash>& blocks, auto reported) {
  PrefixName name;
  for (const BlockHash block : blocks) reported((name = name.then(block)).value());
}
void compute(KvTiers& tiers, const std::vector<BlockHash>& blocks, RequestId by = {}) {
  tell(blocks, [&](BlockHash name) { tiers.computed(by, name, 10); });
  tiers.write_computed();
}
void drop(KvTiers& tiers, const std::vector<BlockHash>& blocks) {
  tell(blocks, [&](BlockHash name) { tiers.dropped(name, 10); });
}

KvTiers two_tiers(TierWrite upper, TierWrite lower, std::int64_t upper_tokens = 40) {
  std::vector<KvTiers::Tier> tiers;
  tiers.push_back({.write = upper, .own = store(upper_tokens)});
  tiers.push_back({.write = lower, .own = store(1000)});
  return KvTiers(ReplicaId{7}, std::move(tiers));
}

constexpr ReplicaId me{7};

TEST(KvTiers, WrittenThroughItIsFoundAtOnce) {
  KvTiers tiers = two_tiers(TierWrite::through, TierWrite::through, 1000);
  const auto blocks = numbered(1, 6);
  compute(tiers, blocks);
  // 60 tokens, of which the last must be computed: five blocks, two of which the GPU has.
  const TierHits hits = tiers.find(prompt(blocks, 60), 20, 10);
  EXPECT_EQ(hits.from_tokens, 20);
  EXPECT_THAT(hits.sources, ElementsAre(KvSource{0, me, 30}));
  EXPECT_THAT(tiers.find(prompt(numbered(2, 6), 60), 0, 10).sources, IsEmpty()) << "another prefix";
}

// The upper tier keeps four blocks: the beginning of the prompt, which was written last. The rest comes from below.
TEST(KvTiers, WhatTheUpperTierHasNoRoomForComesFromTheLower) {
  KvTiers tiers = two_tiers(TierWrite::through, TierWrite::on_evict);
  const auto blocks = numbered(1, 6);
  compute(tiers, blocks);
  EXPECT_THAT(tiers.find(prompt(blocks, 61), 0, 10).sources, ElementsAre(KvSource{0, me, 40}, KvSource{1, me, 20}));
  EXPECT_EQ(tiers[0].own->dropped_tokens(), 20);
  EXPECT_EQ(tiers[1].own->written_tokens(), 20);
}

TEST(KvTiers, WrittenOnEvictItIsFoundOnceItHasLeftTheGpu) {
  KvTiers tiers = two_tiers(TierWrite::on_evict, TierWrite::on_evict, 1000);
  const auto blocks = numbered(1, 3);
  compute(tiers, blocks);
  EXPECT_THAT(tiers.find(prompt(blocks, 31), 0, 10).sources, IsEmpty());
  drop(tiers, blocks);
  EXPECT_THAT(tiers.find(prompt(blocks, 31), 0, 10).sources, ElementsAre(KvSource{0, me, 30}));
}

TEST(KvTiers, AHoleEndsWhatIsFound) {
  KvTiers tiers = two_tiers(TierWrite::through, TierWrite::on_evict, 1000);
  const auto blocks = numbered(1, 5);
  PrefixName name;
  for (const BlockHash block : blocks)
    if (name = name.then(block); block != 3) tiers.computed({}, name.value(), 10);
  EXPECT_THAT(tiers.find(prompt(blocks, 51), 0, 10).sources, ElementsAre(KvSource{0, me, 20}));
  EXPECT_THAT(tiers.find(prompt(blocks, 51), 30, 10).sources, ElementsAre(KvSource{0, me, 20}));
}

// Four ranks: request 6 computes on rank 2, request 7 on rank 3. What leaves the GPU is still known to be theirs.
TEST(KvTiers, UnitsLieWithTheRankOfTheRequestThatComputedThem) {
  for (const auto write : {TierWrite::through, TierWrite::on_evict}) {
    std::vector<KvTiers::Tier> own;
    own.push_back({.write = write, .own = store(1000)});
    KvTiers tiers(me, std::move(own), 4);
    const auto blocks = numbered(1, 5);
    compute(tiers, {1, 2}, RequestId{6});
    PrefixName behind = PrefixName().then(1).then(2);
    for (const BlockHash block : {3, 4}) tiers.computed(RequestId{7}, (behind = behind.then(block)).value(), 10);
    tiers.write_computed();
    drop(tiers, numbered(1, 4));
    EXPECT_THAT(tiers.find(prompt(blocks, 50), 0, 10).sources,
                ElementsAre(KvSource{0, me, 20, 2}, KvSource{0, me, 20, 3}));
  }
}

// Two replicas write to one tier, reported in the wrong order of time. A look at 2 s sees what was written before.
TEST(SharedTier, IsWrittenInTheOrderOfTime) {
  for (const bool one_first : {true, false}) {
    SharedTier shared(20, Registry<Eviction>::all().at("fifo").prepare()->make());
    const auto write_one = [&] {
      shared.write({1, 10, ReplicaId{0}}, 0.5);
      shared.write({2, 10, ReplicaId{0}}, 1.5);
    };
    const auto write_other = [&] {
      shared.write({3, 10, ReplicaId{1}}, 1.0);
      shared.write({4, 10, ReplicaId{1}}, 2.0);
    };
    if (one_first) write_one();
    write_other();
    if (!one_first) write_one();
    const TierStore& seen = shared.store_at(2.0);
    EXPECT_FALSE(seen.find(1, 2)) << "the first to come has left";
    EXPECT_TRUE(seen.find(2, 2));
    EXPECT_EQ(seen.find(3, 2)->owner, ReplicaId{1});
    EXPECT_FALSE(seen.find(4, 2)) << "not before its instant is over";
    EXPECT_TRUE(shared.store_at(2.5).find(4, 2.5));
  }
}

}  // namespace servecast::kv_tiers_test
