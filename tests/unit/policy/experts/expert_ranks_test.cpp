// What the fullest of the GPUs that share a model's experts has to do.
#include "models/policy/experts/expert_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "models/policy/experts/routing_statistics.h"
#include "sim/contract/made_experts.h"

namespace servecast::expert_ranks_test {

/// One layer of 4 experts, 2 for each token: token t is sent to those of row t % rows.
RoutingTrace going_round(const std::vector<std::array<std::uint8_t, 2>>& rows, std::int64_t tokens) {
  RoutingTrace trace{.shape = {.layers = 1, .experts = 4, .active = 2}, .first_token = {0, tokens}};
  for (std::int64_t t = 0; t < tokens; ++t)
    for (const std::uint8_t expert : rows[static_cast<std::size_t>(t) % rows.size()]) {
      trace.experts.push_back(expert);
      trace.gates.push_back(127);
    }
  return trace;
}

RankLoad load_of(const RoutingTrace& trace, const ExpertRanks& layout, std::int64_t tokens) {
  Rng rng(1, "ranks");
  return fullest_ranks(trace, layout, 4096, rng).at(tokens);
}

// All tokens want experts 0 and 1, which are both on the first of two GPUs: it has all, twice the mean. Of 2 evenly
// routed visits to 2 experts it touches both; packed by load, each GPU has one of them.
TEST(ExpertRanks, WhoIsWantedTogetherIsBetterApart) {
  const RoutingTrace trace = going_round({{0, 1}}, 64);
  const RankLoad in_order = load_of(trace, {.ranks = 2, .balanced = false}, 1);
  EXPECT_EQ(in_order.visits, 2);
  EXPECT_EQ(in_order.touched_fraction, 1);
  const RankLoad packed = load_of(trace, {.ranks = 2}, 1024);
  EXPECT_EQ(packed.visits, 1);
  EXPECT_EQ(packed.touched_fraction, 0.5) << "1,024 visits would touch both, and one of the two is never wanted";
}

// Expert 0 is in every token, the others in a third each. Without copies its GPU has half of all visits and one of
// the others' thirds: (1/2 + 1/6) of 2. With four copies more 0 has three of eight places, and 8 places on 4 GPUs of
// two nodes even out: 1/6 each.
TEST(ExpertRanks, CopiesOfTheBusiestEvenOut) {
  const RoutingTrace trace = going_round({{0, 1}, {0, 2}, {0, 3}}, 3000);
  EXPECT_NEAR(load_of(trace, {.ranks = 2}, 4096).visits, 4.0 / 3, 0.03);
  const RankLoad four = load_of(trace, {.ranks = 4, .node_ranks = 2, .redundant = 4}, 4096);
  EXPECT_LT(four.visits, 1.15);
  EXPECT_LE(four.node_visits, four.visits);
  EXPECT_GE(four.node_visits, 1);
}

// Even routing is uneven by chance in small batches: of 2 visits one GPU of 4 has at least one, twice the mean.
TEST(ExpertRanks, SmallBatchesAreUnevenByChance) {
  const RoutingTrace trace = going_round({{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}}, 6000);
  double before = load_of(trace, {.ranks = 4}, 1).visits;
  EXPECT_EQ(before, 2);
  for (const std::int64_t tokens : {16, 256, 4096}) {
    const double now = load_of(trace, {.ranks = 4}, tokens).visits;
    EXPECT_LT(now, before) << tokens;
    before = now;
  }
  EXPECT_LT(before, 1.05);
}

class AnyRoutingOverRanks : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyRoutingOverRanks, testing::Values("trace", "synthetic"), print_name);

// No rank has less than the mean, or more than everything, and the same seed gives the same.
TEST_P(AnyRoutingOverRanks, LoadsAreBetweenTheMeanAndEverything) {
  RoutingData data{.trace = made_trace()};
  Rng structure(3, "structure");
  RoutingTrace recording;
  if (GetParam() == "trace") {
    recording = made_trace();
  } else {
    const auto routing = make<ExpertRouting>(GetParam());
    routing->resize(shape, data, structure);
    recording = record_routing(*routing, shape, 20, 20, structure);
  }
  for (const bool balanced : {false, true})
    for (std::int64_t tokens = 1; tokens <= 4096; tokens *= 4) {
      const ExpertRanks layout{.ranks = 8, .node_ranks = 4, .balanced = balanced};
      const RankLoad load = load_of(recording, layout, tokens);
      EXPECT_GE(load.visits, 1);
      EXPECT_LE(load.visits, 8);
      EXPECT_GE(load.visits + 1e-12, load.node_visits);
      EXPECT_GE(load.node_visits, 1);
      EXPECT_GT(load.touched_fraction, 0);
      EXPECT_LE(load.touched_fraction, 1);
      EXPECT_EQ(load.visits, load_of(recording, layout, tokens).visits);
    }
}

// Between two knots a straight line; beyond the last the last.
TEST(RankLoads, Interpolate) {
  std::vector<RankLoad> knots;  // at 1, 2 and 4 tokens
  for (const double visits : {4, 3, 2}) knots.push_back({.visits = visits, .node_visits = visits / 2});
  const RankLoads loads(knots);
  const std::map<std::int64_t, double> expected{{0, 1}, {1, 4}, {2, 3}, {3, 2.5}, {4, 2}, {5, 2}, {400, 2}};
  for (const auto& [tokens, visits] : expected) EXPECT_EQ(loads.at(tokens).visits, visits) << tokens;
  EXPECT_EQ(loads.at(3).node_visits, 1.25);
  EXPECT_EQ(RankLoads().at(7).visits, 1);
}

/// Of `tokens` tokens that choose `active` of `experts` evenly: what the fullest of the groups has, by drawing.
RankLoad drawn(const Experts& experts, std::int64_t groups, std::int64_t tokens) {
  constexpr int draws = 400;
  Rng rng(1, "even routing");
  const auto each = static_cast<std::size_t>(experts.count / groups);
  RankLoad sum{.visits = 0, .touched_fraction = 0};
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<std::size_t> order(static_cast<std::size_t>(experts.count));
    std::vector<double> visits(static_cast<std::size_t>(groups), 0);
    std::vector<std::set<std::size_t>> touched(visits.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t token = 0; token < tokens; ++token)
      for (std::size_t i = 0; i < static_cast<std::size_t>(experts.active); ++i) {
        std::swap(order[i], order[i + rng.below(order.size() - i)]);
        visits[order[i] / each] += 1;
        touched[order[i] / each].insert(order[i]);
      }
    const auto most = std::ranges::max_element(visits);
    sum.visits += *most * static_cast<double>(groups) / static_cast<double>(tokens * experts.active) / draws;
    sum.touched_fraction += static_cast<double>(touched[static_cast<std::size_t>(most - visits.begin())].size()) /
                            std::min(*most, static_cast<double>(each)) / draws;
  }
  return sum;
}

// DeepSeek-V3, Mixtral and gpt-oss-120b on 2 to 32 groups of GPUs: within a tenth of what drawing gives, from two
// visits of a group on; below that a few are no normal numbers.
TEST(RankLoads, TheFullestByChanceIsWhatDrawingGives) {
  for (const auto& [count, active] : std::vector<std::pair<std::int64_t, std::int64_t>>{{256, 8}, {8, 2}, {128, 4}})
    for (const std::int64_t groups : {2, 8, 32})
      for (const std::int64_t tokens : {1, 4, 16, 64, 256}) {
        if (groups > count) continue;
        const Experts experts{.count = count, .active = active};
        const RankLoad load = chosen_by_chance(experts, {.groups = groups, .node_groups = 1}).at(tokens);
        const RankLoad sample = drawn(experts, groups, tokens);
        const double tolerance = tokens * active >= 2 * groups ? 0.1 : 0.3;
        EXPECT_NEAR(load.visits / sample.visits, 1, tolerance) << count << ' ' << groups << ' ' << tokens;
        EXPECT_NEAR(load.touched_fraction / sample.touched_fraction, 1, 0.1)
            << count << ' ' << groups << ' ' << tokens;
      }
}

// One group has all; nodes of all groups too. In batches of a million tokens chance makes little difference.
TEST(RankLoads, ChanceNeedsGroupsAndFewTokens) {
  const Experts experts{.count = 256, .active = 8};
  EXPECT_EQ(chosen_by_chance(experts, {}).at(5).visits, 1);
  const RankLoads one_node = chosen_by_chance(experts, {.groups = 8, .node_groups = 8});
  EXPECT_EQ(one_node.at(5).node_visits, 1);
  EXPECT_GT(one_node.at(5).visits, 1.5);
  EXPECT_LT(one_node.at(1 << 20).visits, 1.01);
  EXPECT_EQ(one_node.at(1 << 20).touched_fraction, 1);
}

}  // namespace servecast::expert_ranks_test
