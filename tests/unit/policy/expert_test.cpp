// Experts: what every routing, cache, prefetch and miss policy keeps, and what is special about each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/policy/buddy_accuracy.h"
#include "models/policy/expert_balance.h"
#include "models/policy/expert_buddies.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/expert_slots.h"
#include "models/policy/routing_statistics.h"

namespace servecast {
namespace {

using testing::ElementsAre;

constexpr ExpertShape shape{.layers = 5, .experts = 16, .active = 3};
const auto print_name = [](const auto& policy) { return policy.param; };

template <class Interface>
std::unique_ptr<Interface> make(const std::string& name) {
  return Registry<Interface>::all().at(name).prepare()->make();
}

/// Three generations of ten tokens; token t of layer l takes t + l and the two behind it.
RoutingTrace made_trace() {
  RoutingTrace trace{.shape = shape, .first_token = {0, 10, 20, 30}};
  for (int token = 0; token < 30; ++token)
    for (int layer = 0; layer < shape.layers; ++layer)
      for (int rank = 0; rank < shape.active; ++rank) {
        trace.experts.push_back(static_cast<std::uint8_t>((token + layer + rank) % shape.experts));
        trace.gates.push_back(static_cast<std::uint8_t>(rank == 0 ? 155 : rank == 1 ? 60 : 40));
      }
  return trace;
}

RoutingData made_data() {
  RoutingData data{.trace = made_trace(), .counts = ExpertCounts{}};
  std::vector<double> counts(static_cast<std::size_t>(shape.experts), 1);
  counts[4] = 40;
  data.counts->layers = {{.layer = 0, .counts = counts}, {.layer = 3, .counts = counts}};
  return data;
}

class AnyExpertRouting : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyExpertRouting, testing::ValuesIn(Registry<ExpertRouting>::names()), print_name);

TEST_P(AnyExpertRouting, NamesDifferentExpertsWithGatesThatFallAndSumToOneAndRepeats) {
  const RoutingData data = made_data();
  const auto one = make<ExpertRouting>(GetParam());
  const auto other = make<ExpertRouting>(GetParam());
  Rng one_rng(7, "routing");
  Rng other_rng(7, "routing");
  EXPECT_EQ(one->problem(shape, data), std::nullopt);
  one->resize(shape, data, one_rng);
  other->resize(shape, data, other_rng);
  std::vector<ExpertChoice> choices(15);
  std::vector<ExpertChoice> again(15);
  for (std::uint32_t token = 0; token < 200; ++token) {
    const RoutedToken at{.request = RequestId{token % 4}, .position = token / 4};
    one->route(at, one_rng, choices);
    other->route(at, other_rng, again);
    for (std::size_t layer = 0; layer < 5; ++layer) {
      std::set<ExpertId> experts;
      double sum = 0;
      for (std::size_t rank = 0; rank < 3; ++rank) {
        const ExpertChoice& choice = choices[layer * 3 + rank];
        EXPECT_LT(index(choice.expert), 16U);
        EXPECT_EQ(choice.expert, again[layer * 3 + rank].expert);
        EXPECT_EQ(choice.gate, again[layer * 3 + rank].gate);
        if (rank > 0) {
          EXPECT_LE(choice.gate, choices[layer * 3 + rank - 1].gate);
        }
        experts.insert(choice.expert);
        sum += choice.gate;
      }
      EXPECT_EQ(experts.size(), 3U);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    if (token % 50 == 49) one->forget(at.request), other->forget(at.request);
  }
}

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

class AnyExpertCache : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyExpertCache, testing::ValuesIn(Registry<ExpertCache>::names()), print_name);

TEST_P(AnyExpertCache, NeverHoldsMoreThanItsSlotsAndFindsAllWithRoomForAll) {
  const auto policy = make<ExpertCache>(GetParam());
  std::vector<std::uint64_t> uses(20);
  std::iota(uses.begin(), uses.end(), 1);
  for (const std::int64_t size : {1, 3, 20}) {
    ExpertSlots slots(size, *policy, uses);
    if (policy->starts_full()) slots.fill();
    Rng rng(1, "uses");
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 500; ++i) {
      const auto entry = static_cast<std::uint32_t>(rng.below(20));
      const bool held = slots.holds(CacheEntry{entry});
      EXPECT_EQ(slots.use(CacheEntry{entry}, static_cast<std::uint64_t>(i + 20)), held);
      if (size == 20) {
        EXPECT_EQ(held, policy->starts_full() || seen.contains(entry));
      }
      seen.insert(entry);
      std::int64_t holds = 0;
      for (std::uint32_t e = 0; e < 20; ++e) holds += slots.holds(CacheEntry{e}) ? 1 : 0;
      ASSERT_EQ(holds, slots.held());
      ASSERT_LE(holds, size);
    }
    slots.clear();
    EXPECT_EQ(slots.held(), 0);
  }
}

TEST(FrequencyPinned, KeepsTheMostUsedWhateverComes) {
  const auto policy = make<ExpertCache>("frequency_pinned");
  ExpertSlots slots(2, *policy, {5, 9, 1, 7});
  slots.fill();
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(slots.use(CacheEntry{2}));
  EXPECT_TRUE(slots.use(CacheEntry{1}));
  EXPECT_TRUE(slots.use(CacheEntry{3}));
}

class AnyExpertPrefetch : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyExpertPrefetch, testing::ValuesIn(Registry<ExpertPrefetch>::names()), print_name);

TEST_P(AnyExpertPrefetch, NamesExpertsOfTheModelOnceEachAndRepeats) {
  const auto one = make<ExpertPrefetch>(GetParam());
  const auto other = make<ExpertPrefetch>(GetParam());
  one->resize(shape);
  other->resize(shape);
  Rng rng(1, "sights");
  Rng one_rng(2, "guesses");
  Rng other_rng(2, "guesses");
  const auto some = [&] {
    std::set<ExpertId> experts;
    for (std::uint64_t n = rng.below(8); experts.size() < n;)
      experts.insert(ExpertId{static_cast<std::uint16_t>(rng.below(16))});
    return std::vector<ExpertId>(experts.begin(), experts.end());
  };
  for (int i = 0; i < 300; ++i) {
    const auto here = some(), coming = some(), before = some();
    const LayerSight sight{.layer = 1 + i % 4, .here = here, .coming = coming, .before = before};
    const auto guess = one->predict(sight, one_rng);
    EXPECT_EQ(guess, other->predict(sight, other_rng));
    EXPECT_EQ(std::set<ExpertId>(guess.begin(), guess.end()).size(), guess.size());
    for (const ExpertId expert : guess) EXPECT_LT(index(expert), 16U);
  }
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

/// One layer of three experts per token, as a policy sees it.
struct Layer {
  std::vector<ExpertChoice> choices{};
  std::vector<bool> on_gpu = std::vector<bool>(16, false);
  MissCosts costs{.expert_bytes = 10, .load_s = 1, .host_expert_s = 0.5, .host_token_s = 0.2};

  void token(std::vector<int> experts, std::vector<double> gates) {
    for (std::size_t i = 0; i < experts.size(); ++i)
      choices.push_back({ExpertId{static_cast<std::uint16_t>(experts[i])}, gates[i]});
  }
  std::vector<ServedChoice> answer(const ExpertMiss& miss) const {
    std::vector<ServedChoice> served;
    for (const ExpertChoice& c : choices)
      served.push_back({on_gpu[index(c.expert)] ? ServedBy::gpu : ServedBy::load, c.expert});
    Rng rng(1, "misses");
    miss.answer({.layer = 0, .active = 3, .choices = choices, .on_gpu = on_gpu, .costs = costs}, rng, served);
    return served;
  }
};

std::vector<ServedBy> ways(const std::vector<ServedChoice>& served) {
  std::vector<ServedBy> all;
  for (const ServedChoice& s : served) all.push_back(s.by);
  return all;
}

class AnyExpertMiss : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyExpertMiss, testing::ValuesIn(Registry<ExpertMiss>::names()), print_name);

TEST_P(AnyExpertMiss, LeavesWhatIsThereAndStandsInOnlyByWhatIsThereAndNotTwice) {
  const auto miss = make<ExpertMiss>(GetParam());
  EXPECT_EQ(miss->problem(), std::nullopt);
  miss->prepare(made_trace());
  Rng rng(5, "layers");
  for (int round = 0; round < 300; ++round) {
    Layer layer;
    for (std::size_t e = 0; e < 16; ++e) layer.on_gpu[e] = rng.uniform() < 0.6;
    for (int t = 0; t < 4; ++t) {
      const int first = static_cast<int>(rng.below(14));
      layer.token({first, first + 1, first + 2}, {0.34, 0.33, 0.33});
    }
    const auto served = layer.answer(*miss);
    for (std::size_t i = 0; i < served.size(); ++i) {
      const bool there = layer.on_gpu[index(layer.choices[i].expert)];
      EXPECT_EQ(there, served[i].by == ServedBy::gpu);
      const bool stands_in = served[i].by == ServedBy::buddy;
      EXPECT_EQ(served[i].expert != layer.choices[i].expert, stands_in);
      EXPECT_TRUE(!stands_in || layer.on_gpu[index(served[i].expert)]);
    }
    for (std::size_t token = 0; token < served.size(); token += 3) {
      const std::set<ExpertId> experts{served[token].expert, served[token + 1].expert, served[token + 2].expert};
      EXPECT_EQ(experts.size(), 3U);
    }
  }
}

TEST(CpuMisses, LoadsWhatManyTokensWant) {
  Layer layer;  // on the host one expert takes 0.5 s, from the third token on 0.2 s per token; a load 1 s
  for (int t = 0; t < 6; ++t) layer.token({1, t == 0 ? 2 : 3, 4}, {0.4, 0.3, 0.3});
  layer.on_gpu[4] = true;
  const auto by = ways(layer.answer(*make<ExpertMiss>("cpu")));
  EXPECT_EQ(by[0], ServedBy::load) << "six tokens: 1.2 s";
  EXPECT_EQ(by[1], ServedBy::host);
  EXPECT_EQ(by[4], ServedBy::host) << "five tokens: 1 s, as long as the load";
}

/// Sets numbers by their keys.
struct Change final : Fields {
  std::vector<std::pair<std::string, double>> to;
  template <class T>
  void change(const About& about, T& value) {
    for (const auto& [key, number] : to)
      if (key == about.key) value = static_cast<T>(number);
  }
  void visit(const About& a, double& v) override { change(a, v); }
  void visit(const About& a, std::int64_t& v) override { change(a, v); }
  void visit(const About& a, bool& v) override {
    for (const auto& [key, number] : to)
      if (key == a.key) v = number != 0;
  }
  void visit(const About&, std::string&) override {}
  void visit(const About& a, std::optional<double>& v) override {
    for (const auto& [key, number] : to)
      if (key == a.key) v = number;
  }
  void visit(const About&, std::optional<std::int64_t>&) override {}
  void visit(const About&, std::vector<double>&) override {}
  void visit(const About&, std::vector<std::string>&) override {}
  void enter(const About&) override {}
  bool enter_optional(const About&, bool) override { return false; }
  std::size_t enter_list(const About&, std::size_t) override { return 0; }
  void enter_item(std::size_t) override {}
  void leave() override {}
};

/// `buddy` with other settings.
std::unique_ptr<ExpertMiss> buddy(const std::vector<std::pair<std::string, double>>& settings) {
  const auto prepared = Registry<ExpertMiss>::all().at("buddy").prepare();
  Change change;
  change.to = settings;
  prepared->fields(change);
  auto policy = prepared->make();
  policy->prepare(made_trace());
  return policy;
}

/// Token 0 asks for 3, 4, 5, of which 4 is missing; in the profile 4 was chosen with 2, 3, 5 and 6.
Layer one_missing(std::vector<double> gates) {
  Layer layer;
  layer.token({3, 4, 5}, std::move(gates));
  for (const int there : {2, 3, 5, 6}) layer.on_gpu[static_cast<std::size_t>(there)] = true;
  return layer;
}
const std::vector<double> even{0.34, 0.33, 0.33};

TEST(BuddyStandIns, PassesTheTokenGateOnlyAboveTau) {
  EXPECT_EQ(ways(one_missing(even).answer(*buddy({}))), (std::vector{ServedBy::gpu, ServedBy::buddy, ServedBy::gpu}));
  const std::vector<double> sure{0.8, 0.1, 0.1};  // entropy (0.8 ln 1.25 + 0.2 ln 10) / ln 3 = 0.582
  EXPECT_EQ(ways(one_missing(sure).answer(*buddy({})))[1], ServedBy::load);
  EXPECT_EQ(ways(one_missing(sure).answer(*buddy({{"tau", 0.57}})))[1], ServedBy::buddy);
  EXPECT_EQ(ways(one_missing(sure).answer(*buddy({{"tau", 0.57}, {"margin", 0.6}})))[1], ServedBy::load);
  EXPECT_EQ(ways(one_missing(sure).answer(*buddy({{"temperature", 4}})))[1], ServedBy::buddy) << "flatter gates";
  EXPECT_EQ(ways(one_missing(even).answer(*buddy({{"zero_loss", 1}})))[1], ServedBy::load);
}

TEST(BuddyStandIns, StandsAsideWhereTheBatchIsMisCached) {
  Layer layer = one_missing(even);
  EXPECT_EQ(ways(layer.answer(*buddy({{"beta", 0.33}})))[1], ServedBy::load) << "1 of 3 is missing";
  EXPECT_EQ(ways(layer.answer(*buddy({{"beta", 0.34}})))[1], ServedBy::buddy);
  EXPECT_EQ(ways(layer.answer(*buddy({{"pcie_budget_bytes", 9}})))[1], ServedBy::load) << "one takes 10";
  EXPECT_EQ(ways(layer.answer(*buddy({{"pcie_budget_bytes", 10}})))[1], ServedBy::buddy);
}

TEST(BuddyStandIns, TakesTheLikeliestThatIsThereAndAtMostRho) {
  Layer layer = one_missing(even);
  EXPECT_THAT(layer.answer(*buddy({}))[1].expert, testing::AnyOf(ExpertId{2}, ExpertId{6}));
  layer.on_gpu[2] = false;
  EXPECT_EQ(layer.answer(*buddy({}))[1].expert, ExpertId{6});
  Layer three;
  three.token({3, 4, 5}, even);
  for (const std::size_t there : {1U, 2U, 6U, 7U}) three.on_gpu[there] = true;
  const auto by = ways(three.answer(*buddy({{"rho", 2}, {"beta", 1}})));
  EXPECT_EQ(std::ranges::count(by, ServedBy::buddy), 0) << "all are missing: beta";
  three.token({1, 2, 6}, even);
  const auto two = ways(three.answer(*buddy({{"rho", 2}})));
  EXPECT_THAT(two, ElementsAre(ServedBy::buddy, ServedBy::buddy, ServedBy::load, ServedBy::gpu, ServedBy::gpu,
                               ServedBy::gpu));
}

TEST(ExpertBuddies, ListsTheFewestThatMakeUpAlpha) {
  RoutingTrace trace{.shape = {.layers = 1, .experts = 4, .active = 2}, .first_token = {0, 10}};
  for (int token = 0; token < 10; ++token) {  // 0 with 1 six times, with 2 three times, with 3 once
    trace.experts.push_back(0);
    trace.experts.push_back(static_cast<std::uint8_t>(token < 6 ? 1 : token < 9 ? 2 : 3));
    trace.gates.insert(trace.gates.end(), {130, 125});
  }
  const ExpertBuddies most(trace, {.alpha = 0.85, .k_max = 16});
  ASSERT_EQ(most.of(0, ExpertId{0}).size(), 2U);
  EXPECT_EQ(most.of(0, ExpertId{0})[0].expert, ExpertId{1});
  EXPECT_DOUBLE_EQ(most.of(0, ExpertId{0})[0].q, 0.6);
  EXPECT_DOUBLE_EQ(most.q(0, ExpertId{2}, ExpertId{0}), 1);
  EXPECT_EQ(ExpertBuddies(trace, {.alpha = 1, .k_max = 1}).of(0, ExpertId{0}).size(), 1U);
  const ExpertBuddies smooth(trace, {.alpha = 1, .k_max = 16, .laplace = 1});
  EXPECT_DOUBLE_EQ(smooth.q(0, ExpertId{0}, ExpertId{3}), 2.0 / 13);  // (1 + 1) / (10 + 3)
  EXPECT_DOUBLE_EQ(buddy_score(0.6, 0.5, 2, {.eta = 0.4, .kappa = 0.1}), 0.6 * 1.2 * 0.8);
}

TEST(BuddyAccuracy, IsThePublishedTable) {
  EXPECT_NEAR(buddy_accuracy_lost(0.75, 3).lost_fraction, 0.735 - 0.695, 1e-12);
  EXPECT_NEAR(buddy_accuracy_lost(0.5, 4).lost_fraction, 0.735 - 0.55, 1e-12);
  EXPECT_NEAR(buddy_accuracy_lost(0.4375, 3).lost_fraction, 0.735 - 0.64, 1e-12) << "half way from 0.375 to 0.5";
  EXPECT_NEAR(random_accuracy_lost(0.375).lost_fraction, 0.735 - 0.16, 1e-12);
  EXPECT_EQ(buddy_accuracy_lost(1, 3).lost_fraction, 0);
  EXPECT_FALSE(buddy_accuracy_lost(0.375, 3).extrapolated);
  EXPECT_TRUE(buddy_accuracy_lost(0.25, 3).extrapolated);
  EXPECT_TRUE(buddy_accuracy_lost(0.5, 2).extrapolated);
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

}  // namespace
}  // namespace servecast
