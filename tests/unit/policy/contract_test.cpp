// What every registered policy must keep, whatever it is: a new policy file is covered without a new test.
#include "sim/contract/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "models/policy/migration.h"
#include "models/policy/placement.h"
#include "models/policy/router.h"
#include "models/policy/speculative.h"
#include "sim/contract/made_up_pool.h"
#include "tests/unit/policy/contract.h"

namespace servecast::contract_test {

/// With what these must be given.
Subject usable(const std::string& policy) {
  const std::map<std::string, std::map<std::string, std::string>> needed{
      {"hpa", {{"waiting_requests", "8"}, {"slo", "true"}}},
      {"predictive", {{"requests_per_s", "20"}}},
      {"scheduled", {{"times.0.at_s", "0"}, {"times.0.replicas", "3"}}}};
  const auto found = needed.find(policy);
  return {.name = policy, .settings = found == needed.end() ? std::map<std::string, std::string>() : found->second};
}

struct Case {
  const ContractCheck* check;
  std::string policy;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ContractCheck& check : contract_checks())
    for (const std::string& policy : check.policies()) all.push_back({&check, policy});
  return all;
}

class Contract : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Contract, testing::ValuesIn(cases()), [](const auto& p) {
  std::string name = std::string(p.param.check->kind) + "_" + p.param.policy + "_" + std::string(p.param.check->name);
  std::ranges::replace(name, ' ', '_');
  return name;
});

TEST_P(Contract, IsKept) {
  EXPECT_THAT(checked(*GetParam().check, usable(GetParam().policy)).broken(), testing::IsEmpty());
}

TEST(Registries, HoldEachNameOnce) {
  EXPECT_GT(registrations().size(), 50U);
  for (const Registration& policy : registrations()) EXPECT_FALSE(policy.taken) << policy.name;
}

const ContractCheck& check_named(std::string_view kind, std::string_view name) {
  return *std::ranges::find_if(contract_checks(),
                               [&](const ContractCheck& c) { return c.kind == kind && c.name == name; });
}

/// Keeps no promise: the checks must say so.
class BadRouter final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit BadRouter(const Settings&) {}
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    if (++asked_ > 200) throw std::runtime_error("had enough");
    return ReplicaId{static_cast<std::uint32_t>(replicas[0].waiting_tokens) + 77};
  }
  bool reads_state() const override { return false; }

 private:
  int asked_ = 0;
};

TEST(Checks, NameThePromisesThatAreBroken) {
  ASSERT_TRUE(Registry<Router>::add<BadRouter>("bad_for_the_test", "keeps nothing"));
  const Subject bad{.name = "bad_for_the_test"};
  EXPECT_THAT(checked(check_named("router", "PicksAReplicaThatItWasShownAndRepeats"), bad).broken(),
              testing::ElementsAre("picks one of the replicas that it was shown"));
  EXPECT_THAT(checked(check_named("router", "PicksOneThatServesWhileReplicasComeAndGo"), bad).broken(),
              testing::Contains(testing::HasSubstr("had enough")));
  EXPECT_THAT(checked(check_named("router", "ServesAPoolOfOne"), bad).broken(), testing::SizeIs(1));
}

class AnyPlacement : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyPlacement, testing::ValuesIn(Registry<Placement>::names()), print_name);

TEST_P(AnyPlacement, MovesSomethingUnlessItShares) {
  const auto placement = make<Placement>(GetParam());
  bool moves = false;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Request request{.id = RequestId{i}, .prompt_tokens = 1 + i * 97, .output_tokens = 2};
    moves = moves || placement->move(request) != KvMove::stays;
  }
  EXPECT_EQ(moves, GetParam() != "colocated" && !placement->sm_partition());
}

class AnyMigration : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyMigration, testing::ValuesIn(Registry<Migration>::names()), print_name);

TEST_P(AnyMigration, PairsSomethingUnlessItIsNone) {
  const std::vector<ReplicaView> views{
      {.waiting_tokens = 800, .running_requests = 29, .used_blocks = 100, .total_blocks = 100},
      {.total_blocks = 100}};
  EXPECT_EQ(make<Migration>(GetParam())->pairs(views, 16).empty(), GetParam() == "none");
}

class AnySpeculation : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnySpeculation, testing::ValuesIn(Registry<Speculation>::names()), print_name);

TEST_P(AnySpeculation, DraftsUnlessItIsNone) {
  EXPECT_EQ(make<Speculation>(GetParam())->max_drafts() == 0, GetParam() == "none");
}

// A router that remembers nothing of its own decides as one that sees the pool for the first time.
class AnyRouter : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyRouter, testing::ValuesIn(Registry<Router>::names()), print_name);

TEST_P(AnyRouter, ThatIsToldWhatChangedDecidesAsOneThatLooksAtEverything) {
  const std::set<std::string> remember{"round_robin", "prefix_cache_aware", "conductor", "llmd", "prefix_affinity"};
  if (remember.contains(GetParam())) GTEST_SKIP() << "decides by what it did before";
  const auto router = make<Router>(GetParam());
  MadeUpPool pool = idle_pool(37);
  Rng changes(4, "changes");
  std::vector<std::uint32_t> changed;
  for (int round = 0; round < 500; ++round) {
    const Request request{.prompt_tokens = 10};
    Rng rng(static_cast<std::uint64_t>(round), "router");
    Rng same(static_cast<std::uint64_t>(round), "router");
    ASSERT_EQ(router->pick(request, pool.seen(changed), rng),
              make<Router>(GetParam())->pick(request, pool.seen(), same));
    changed.clear();
    for (std::uint64_t n = changes.below(4); n > 0; --n) {
      const auto i = static_cast<std::uint32_t>(changes.below(pool.views.size()));
      pool.views[i].waiting_requests = static_cast<std::int64_t>(changes.below(5));
      pool.views[i].waiting_tokens = 100 * pool.views[i].waiting_requests;
      pool.views[i].running_requests = static_cast<std::int64_t>(changes.below(5));
      pool.views[i].used_blocks = static_cast<std::int64_t>(changes.below(100));
      changed.push_back(i);
    }
  }
}

}  // namespace servecast::contract_test
