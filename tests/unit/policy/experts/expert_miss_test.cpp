// What becomes of missing experts: BuddyMoE's gates, lists and choice.
#include "models/policy/expert_miss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "models/policy/experts/expert_buddies.h"
#include "sim/contract/made_experts.h"
#include "tests/unit/policy/contract.h"

namespace servecast::expert_miss_test {

using testing::ElementsAre;

/// One layer of three experts per token, as a policy sees it.
struct Layer {
  std::vector<ExpertChoice> choices{};
  std::vector<bool> on_gpu = std::vector<bool>(16, false);
  std::vector<double> stands_for{};
  std::vector<double> left_s{};
  std::vector<double> link_free_s{};
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
    miss.answer({.layer = 0,
                 .active = 3,
                 .choices = choices,
                 .on_gpu = on_gpu,
                 .stands_for = stands_for,
                 .left_s = left_s,
                 .link_free_s = link_free_s,
                 .costs = costs},
                rng, served);
    return served;
  }
};

std::vector<ServedBy> ways(const std::vector<ServedChoice>& served) {
  std::vector<ServedBy> all;
  for (const ServedChoice& s : served) all.push_back(s.by);
  return all;
}

TEST(CpuMisses, LoadsWhatManyTokensWant) {
  Layer layer;  // on the host one expert takes 0.5 s, from the third token on 0.2 s per token; a load 1 s
  for (int t = 0; t < 6; ++t) layer.token({1, t == 0 ? 2 : 3, 4}, {0.4, 0.3, 0.3});
  layer.on_gpu[4] = true;
  const auto by = ways(layer.answer(*make<ExpertMiss>("cpu")));
  EXPECT_EQ(by[0], ServedBy::load) << "six tokens: 1.2 s";
  EXPECT_EQ(by[1], ServedBy::host);
  EXPECT_EQ(by[4], ServedBy::host) << "five tokens: 1.5 s after the other one; a second load is there at 2 s";
}

// The host takes 0.5 s for one. Expert 1 is there in 0.4 s by a prefetch, 2 in 0.6 s; the link is busy until then.
TEST(CpuMisses, WaitsForWhatIsLeftOfAPrefetchWhereThatIsSooner) {
  Layer layer;
  layer.token({1, 2, 3}, {0.4, 0.3, 0.3});
  layer.left_s.assign(16, std::numeric_limits<double>::infinity());
  layer.left_s[1] = 0.4;
  layer.left_s[2] = 0.6;
  layer.link_free_s = {0.6};
  EXPECT_THAT(ways(layer.answer(*make<ExpertMiss>("cpu"))),
              ElementsAre(ServedBy::load, ServedBy::host, ServedBy::host));
  layer.token({1, 2, 3}, {0.4, 0.3, 0.3});  // two tokens each, the second of which stands for nine: 10 x 0.2 = 2 s
  layer.stands_for = {1, 9};
  EXPECT_EQ(ways(layer.answer(*make<ExpertMiss>("cpu"))), std::vector(6, ServedBy::load));
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

// What a prefetch has on its way does not speak against the cache: two of three experts are there or coming.
TEST(BuddyStandIns, AnExpertOnItsWayMayBeStoodInFor) {
  Layer layer;
  layer.token({1, 2, 3}, {0.34, 0.33, 0.33});
  for (std::size_t e = 0; e < 16; ++e) layer.on_gpu[e] = e != 1 && e != 2;
  const auto miss = buddy({{"tau", 0}, {"beta", 0.5}});
  EXPECT_EQ(layer.answer(*miss)[0].by, ServedBy::load) << "two of three are missing";
  layer.left_s.assign(16, std::numeric_limits<double>::infinity());
  layer.left_s[2] = 0.1;
  EXPECT_EQ(layer.answer(*miss)[0].by, ServedBy::buddy);
  EXPECT_EQ(layer.answer(*miss)[1].by, ServedBy::buddy);
}

}  // namespace servecast::expert_miss_test
