#include "calibrate/measure/expert_visits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace servecast::expert_visits_test {

using testing::ElementsAre;

std::vector<std::int64_t> loads_of(const ExpertVisits& visits, const char* mode) {
  Rng rng(1, "visits");
  return expert_loads(visits, mode, rng).value();
}

TEST(ExpertVisits, Balanced) {
  EXPECT_THAT(loads_of({.tokens = 5, .experts = 4, .top_k = 2}, "balanced"), ElementsAre(3, 3, 2, 2));
}
TEST(ExpertVisits, EveryVisitIsMadeAndNoExpertHasATokenTwice) {
  for (const char* mode : {"balanced", "power_law_1.01"})
    for (const ExpertVisits& visits :
         {ExpertVisits{1, 8, 2}, {3, 256, 8}, {40, 3, 3}, {64, 64, 6}, {1000, 128, 8}, {8, 8, 7}}) {
      const std::vector<std::int64_t> loads = loads_of(visits, mode);
      ASSERT_EQ(loads.size(), static_cast<std::size_t>(visits.experts));
      EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}), visits.tokens * visits.top_k);
      EXPECT_LE(*std::ranges::max_element(loads), visits.tokens);
      EXPECT_GE(*std::ranges::min_element(loads), 0);
    }
}
// Density x^-1.01 between 1 and 800 is nearly even in log x: mean 799 / ln 800 = 120, so the busiest of many experts
// has 6 to 7 times the mean, and half have less than sqrt(800) / 120 = a quarter of it.
TEST(ExpertVisits, ThePowerLawSkews) {
  std::vector<std::int64_t> loads = loads_of({.tokens = 1000, .experts = 512, .top_k = 4}, "power_law_1.01");
  std::ranges::sort(loads);
  const double mean = 1000.0 * 4 / 512;
  EXPECT_NEAR(static_cast<double>(loads.back()) / mean, 6.7, 1);
  EXPECT_NEAR(static_cast<double>(loads[256]) / mean, 0.24, 0.13);
}
TEST(ExpertVisits, TheLargestLogitsAreTheVisits) {
  const ExpertVisits visits{.tokens = 50, .experts = 16, .top_k = 3};
  const std::vector<std::int64_t> loads = loads_of(visits, "power_law_1.01");
  Rng rng(2, "logits");
  const std::vector<float> logits = gate_logits(visits, loads, rng);
  std::vector<std::int64_t> counted(16);
  for (std::size_t token = 0; token < 50; ++token) {
    std::vector<std::size_t> order(16);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater{}, [&](std::size_t expert) { return logits[token * 16 + expert]; });
    for (std::size_t i = 0; i < 3; ++i) ++counted[order[i]];
  }
  EXPECT_EQ(counted, loads);
}
TEST(ExpertVisits, KnowsNoOtherMode) {
  Rng rng(1, "visits");
  EXPECT_FALSE(expert_loads({.tokens = 1, .experts = 2}, "zipf", rng));
}

}  // namespace servecast::expert_visits_test
