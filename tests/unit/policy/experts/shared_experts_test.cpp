#include "models/policy/experts/shared_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "models/policy/expert_miss.h"
#include "models/policy/experts/accuracy_lost.h"
#include "models/policy/experts/pruned_routing.h"
#include "sim/contract/set_by_key.h"

namespace servecast::shared_experts_test {

using testing::ElementsAre;

ExpertId id(int expert) { return ExpertId{static_cast<std::uint16_t>(expert)}; }

const ExpertShape four{.layers = 2, .experts = 4, .active = 2};

// Two layers of four. The second model has tuned experts 1 and 2 of the first layer, 0 and 3 of the second; the third
// lacks 0 and 1, and 2 and 3, and has tuned one of those that are left.
SharedExperts three_models() {
  SharedExperts shared(four);
  shared.add({.kept = std::vector(8, true), .tuned = {false, true, true, false, true, false, false, true}});
  shared.add({.kept = {false, false, true, true, true, true, false, false},
              .tuned = {false, false, false, true, true, false, false, false}});
  return shared;
}

TEST(SharedExperts, NumbersTunedOnesBehindTheBase) {
  const SharedExperts shared = three_models();
  EXPECT_EQ(shared.all(), 4u + 2 + 1);
  EXPECT_EQ(shared.own(0), 0u);
  EXPECT_EQ(shared.own(1), 2u);
  EXPECT_EQ(shared.own(2), 1u);
  EXPECT_EQ(shared.of(1, 0, id(0)), id(0));
  EXPECT_EQ(shared.of(1, 0, id(2)), id(5));
  EXPECT_EQ(shared.of(1, 1, id(3)), id(5));
  EXPECT_EQ(shared.of(2, 0, id(3)), id(6));
  EXPECT_FALSE(shared.has(2, 0, id(1)));
  EXPECT_TRUE(shared.has(2, 1, id(1)));
}

TEST(SharedExperts, TunedOnesKnowTheirBase) {
  const SharedExperts shared = three_models();
  for (std::size_t model = 0; model < 3; ++model)
    for (std::size_t layer = 0; layer < 2; ++layer)
      for (int e = 0; e < 4; ++e) {
        if (!shared.has(model, layer, id(e))) continue;
        EXPECT_EQ(shared.base(layer, shared.of(model, layer, id(e))), id(e)) << model << " " << layer << " " << e;
      }
}

TEST(SharedExperts, TheMostUsedOnesAreChosenTheFirstAtATie) {
  const std::vector<std::uint64_t> uses{5, 9, 9, 1, 2, 2, 2, 2};
  EXPECT_THAT(most_used(uses, four, 2), ElementsAre(false, true, true, false, true, true, false, false));
  EXPECT_THAT(most_used(uses, four, 1, {true, false, false, true, false, false, true, true}),
              ElementsAre(true, false, false, false, false, false, true, false));
}

class InOrder final : public ExpertRouting {
 public:
  void resize(const ExpertShape&, const RoutingData&, Rng&) override {}
  void route(const RoutedToken&, Rng&, std::span<ExpertChoice> choices) override {
    for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = {id(static_cast<int>(i % 2)), 0.5};
  }
};

TEST(SharedExperts, APrunedModelIsRoutedAmongWhatIsLeft) {
  PrunedRouting pruned(std::make_unique<InOrder>(), {false, true, false, true, true, false, true, false}, four);
  std::vector<ExpertChoice> choices(4);
  Rng rng(1, "pruned");
  pruned.route({}, rng, choices);
  std::vector<int> experts;
  for (const ExpertChoice& c : choices) experts.push_back(static_cast<int>(index(c.expert)));
  EXPECT_THAT(experts, ElementsAre(1, 3, 0, 2));
}

std::vector<ServedBy> served(const std::map<std::string, std::string>& settings, std::vector<bool> base_on_gpu) {
  const std::vector<ExpertChoice> choices{{id(0), 0.5}, {id(1), 0.3}, {id(2), 0.2}};
  const std::vector<bool> on_gpu{true, false, false, false};
  std::vector<ServedChoice> all;
  for (const ExpertChoice& c : choices)
    all.push_back({on_gpu[index(c.expert)] ? ServedBy::gpu : ServedBy::load, c.expert});
  Rng rng(1, "misses");
  made_policy<ExpertMiss>("base_expert", settings)
      ->answer({.active = 3, .choices = choices, .on_gpu = on_gpu, .base_on_gpu = std::move(base_on_gpu)}, rng, all);
  std::vector<ServedBy> ways;
  for (const ServedChoice& choice : all) ways.push_back(choice.by);
  return ways;
}

TEST(BaseExpert, StandsInWhereItIsThere) {
  using enum ServedBy;
  EXPECT_THAT(served({}, {true, true, false, false}), ElementsAre(gpu, base, load));
  EXPECT_THAT(served({{"fallback", "skip"}}, {true, true, false, false}), ElementsAre(gpu, base, none));
  EXPECT_THAT(served({{"most_per_token", "1"}}, {true, true, true, false}), ElementsAre(gpu, base, load));
  EXPECT_THAT(served({}, {}), ElementsAre(gpu, load, load));
}

// The published points and what lies between them.
TEST(PrunedLoss, GoesThroughThePublishedPoints) {
  EXPECT_EQ(pruned_loss("mixtral-8x7b", 1).points, 0);
  EXPECT_DOUBLE_EQ(pruned_loss("mixtral-8x7b", 0.75).points, 2.9);
  EXPECT_DOUBLE_EQ(pruned_loss("mixtral-8x7b", 0.5).points, 7.1);
  EXPECT_DOUBLE_EQ(pruned_loss("mixtral-8x7b", 0.625).points, 5.0);
  EXPECT_FALSE(pruned_loss("mixtral-8x7b", 0.5).extrapolated);
  EXPECT_TRUE(pruned_loss("mixtral-8x7b", 0.25).extrapolated);
  EXPECT_TRUE(pruned_loss("gpt-oss-20b", 0.75).extrapolated);
}

TEST(UntunedLoss, IsTheGainByItsShare) {
  EXPECT_EQ(untuned_loss(16, 0).points, 0);
  EXPECT_EQ(untuned_loss(16, 0.25).points, 4);
  EXPECT_EQ(untuned_loss(16, 1).points, 16);
  EXPECT_EQ(untuned_loss(16, 0.25).most_points, 16);
}

}  // namespace servecast::shared_experts_test
