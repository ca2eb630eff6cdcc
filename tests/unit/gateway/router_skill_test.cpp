// RouteLLM (arXiv 2406.18665): the curve of a router; sim/reproduce/systems/s19_routellm.cpp has its published
// figures.
#include "models/policy/stages/router_skill.h"

#include <gtest/gtest.h>

namespace servecast::router_skill_test {

TEST(RouterSkill, GuessingRecoversWhatItPaysFor) {
  const RouterSkill router(0.5);
  for (const double share : {0.0, 0.3, 1.0}) {
    EXPECT_EQ(router.recovered(share), share);
    EXPECT_EQ(router.calls(share), share);
  }
}

TEST(RouterSkill, ItsParts) {
  for (const double apgr : {0.51, 0.6, 0.802, 0.95}) {
    const RouterSkill router(apgr);
    double mean = 0;
    double gains = 0;
    for (int i = 0; i < 10'000; ++i) {
      mean += router.recovered((i + 0.5) / 10'000) / 10'000;
      gains += router.gain((i + 0.5) / 10'000) / 10'000;
    }
    EXPECT_NEAR(mean, apgr, 1e-4);
    EXPECT_NEAR(gains, 1, 1e-3);
    EXPECT_NEAR(router.recovered(router.calls(0.8)), 0.8, 1e-12);
    EXPECT_NEAR(router.gain(router.share_above(1)), 1, 1e-9);
  }
}

}  // namespace servecast::router_skill_test
