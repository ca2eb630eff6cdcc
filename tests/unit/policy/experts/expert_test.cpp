// Experts: what is special about each routing, cache and prefetch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/policy/expert_prefetch.h"
#include "models/policy/experts/expert_balance.h"
#include "models/policy/experts/expert_slots.h"
#include "models/policy/experts/routing_statistics.h"
#include "sim/contract/made_experts.h"
#include "tests/unit/policy/contract.h"

namespace servecast::expert_test {

using testing::ElementsAre;

TEST(TraceRouting, GivesEachRequestAGenerationTokenByTokenAndStartsOverAtItsEnd) {
  const RoutingData data = made_data();
  const auto routing = make<ExpertRouting>("trace");
  Rng rng(1, "routing");
  routing->resize(shape, data, rng);
  std::vector<ExpertChoice> first(15), ninth(15), eleventh(15);
  routing->route({RequestId{5}, 0}, rng, first);
  routing->route({RequestId{5}, 9}, rng, ninth);
  routing->route({RequestId{5}, 10}, rng, eleventh);
  EXPECT_EQ(index(ninth[0].expert), (index(first[0].expert) + 9) % 16);
  EXPECT_EQ(first[0].expert, eleventh[0].expert);
  EXPECT_NEAR(first[0].gate, 155.0 / 255, 1e-12);
}

TEST(TraceRouting, RefusesATraceOfAnotherModel) {
  const auto routing = make<ExpertRouting>("trace");
  EXPECT_THAT(routing->problem({.layers = 5, .experts = 8, .active = 3}, made_data()).value(),
              testing::HasSubstr("the model has 8 in a layer"));
}

TEST(PopularityRouting, DrawsTheFavouriteNearlyAlwaysAndFollowsPairs) {
  RoutingData data = made_data();
  std::vector<double> pairs(256, 0);
  for (std::size_t from = 0; from < 16; ++from) pairs[from * 16 + (from + 1) % 16] = 1;  // i leads to i + 1
  data.counts->pairs = {{.from = 0, .to = 3, .counts = pairs}};
  const auto routing = make<ExpertRouting>("popularity");
  Rng rng(1, "routing");
  routing->resize(shape, data, rng);
  std::vector<ExpertChoice> choices(15);
  int favourite = 0;
  for (std::uint32_t token = 0; token < 300; ++token) {
    routing->route({RequestId{0}, token}, rng, choices);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      favourite += choices[rank].expert == ExpertId{4} ? 1 : 0;
      // Layers 0 and 1 are nearest to the counted layer 0, layers 2 and above to layer 3.
      EXPECT_EQ(index(choices[2 * 3 + rank].expert), (index(choices[1 * 3 + rank].expert) + 1) % 16);
    }
  }
  EXPECT_GT(favourite,
            285);  // 40 of 55 at each of three draws without putting back: 1 - 15/55 * 14/54 * 13/53 = 0.983
}

TEST(SyntheticRouting, KeepsAndSkewsAsItsSettingsSay) {
  const auto routing = make<ExpertRouting>("synthetic");
  Rng rng(3, "routing");
  const ExpertShape like_gpt_oss{.layers = 24, .experts = 32, .active = 4};
  routing->resize(like_gpt_oss, {}, rng);
  const RoutingStatistics s = describe_routing(record_routing(*routing, like_gpt_oss, 100, 100, rng), rng);
  // The recorded routing of gpt-oss-20b has 0.437, 0.495, 0.624 and 0.965 (`servecast trace experts`).
  EXPECT_NEAR(s.repeat_fraction, 0.437, 0.03);
  EXPECT_NEAR(s.top_quarter_fraction, 0.495, 0.03);
  EXPECT_NEAR(s.successor_fraction, 0.624, 0.05);
  EXPECT_NEAR(s.gate_entropy_mean, 0.965, 0.005);
}

TEST(FrequencyPinned, KeepsTheMostUsedWhateverComes) {
  const auto policy = make<ExpertCache>("frequency_pinned");
  ExpertSlots slots(2, *policy, {5, 9, 1, 7});
  slots.fill();
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(slots.use(CacheEntry{2}));
  EXPECT_TRUE(slots.use(CacheEntry{1}));
  EXPECT_TRUE(slots.use(CacheEntry{3}));
}

TEST(CoActivation, LearnsWhatFollows) {
  const auto prefetch = make<ExpertPrefetch>("co_activation");
  prefetch->resize(shape);
  Rng rng(1, "guesses");
  const std::vector<ExpertId> here{ExpertId{2}}, coming{ExpertId{9}}, others{ExpertId{3}}, theirs{ExpertId{1}};
  EXPECT_TRUE(prefetch->predict({.layer = 1, .here = here, .coming = coming}, rng).empty()) << "nothing seen yet";
  prefetch->predict({.layer = 1, .here = others, .coming = theirs}, rng);
  EXPECT_THAT(prefetch->predict({.layer = 1, .here = here, .coming = coming}, rng), ElementsAre(ExpertId{9}));
  EXPECT_TRUE(prefetch->predict({.layer = 2, .here = here, .coming = coming}, rng).empty()) << "of another layer";
}

TEST(GateLookahead, IsRightAsOftenAsItsRecall) {
  const auto prefetch = make<ExpertPrefetch>("gate_lookahead");
  prefetch->resize(shape);
  Rng rng(1, "guesses");
  const std::vector<ExpertId> coming{ExpertId{1}, ExpertId{5}, ExpertId{9}};
  int right = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto guess = prefetch->predict({.layer = 1, .coming = coming}, rng);
    EXPECT_EQ(guess.size(), 3U) << "a wrong one for each that is missed";
    for (const ExpertId expert : guess) right += static_cast<int>(std::ranges::count(coming, expert));
  }
  EXPECT_NEAR(right / 6000.0, 0.85, 0.02);  // three standard deviations: 0.014
}

TEST(TokenEntropy, IsNormalised) {
  const std::vector<ExpertChoice> flat{{ExpertId{0}, 0.5}, {ExpertId{1}, 0.5}};
  const std::vector<ExpertChoice> sure{{ExpertId{0}, 1}, {ExpertId{1}, 0}};
  const std::vector<ExpertChoice> skewed{{ExpertId{0}, 0.9}, {ExpertId{1}, 0.1}};
  EXPECT_NEAR(token_entropy(flat), 1, 1e-15);
  EXPECT_NEAR(token_entropy(sure), 0, 1e-15);
  EXPECT_NEAR(token_entropy(skewed), 0.4690, 1e-4);  // -(0.9 log2 0.9 + 0.1 log2 0.1)
  EXPECT_GT(token_entropy(skewed, 2), token_entropy(skewed));
}

TEST(ExpertBalance, ReplicatesTheBusiestAndPacksEvenly) {
  const std::vector<double> loads{8, 4, 2, 2};
  EXPECT_DOUBLE_EQ(place_in_order(loads, 2).max_over_mean, 12.0 / 8);  // 8 + 4 and 2 + 2
  // Two more copies: the expert of 8 becomes 4 + 4, then (first of equals) 8 / 3 thrice; 4, 2.67 x 3, 2, 2 in threes.
  const ExpertPlacement p = place_experts(loads, 2, 2);
  EXPECT_THAT(p.copies, ElementsAre(3, 1, 1, 1));
  EXPECT_EQ(p.on[0].size(), 3U);
  EXPECT_EQ(p.on[1].size(), 3U);
  // 4, then 2.67 and 2.67 to the other, 2.67 to the first, then 2 to the second (5.33), 2 to the first.
  EXPECT_NEAR(p.max_over_mean, (4 + 8.0 / 3 + 2) / 8, 1e-12);
}

}  // namespace servecast::expert_test
