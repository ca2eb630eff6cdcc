#include "sim/plan/search/pareto.h"

#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"

namespace servecast::pareto_test {

TEST(Pareto, APointBeatsOnlyWhatIsNoBetterInAnything) {
  const ParetoPoint point{.x = 5, .y = 0.2, .z = -0.9};
  EXPECT_TRUE(point.beats({.x = 5, .y = 0.2, .z = -0.8}));
  EXPECT_TRUE(point.beats({.x = 6, .y = 0.3, .z = -0.9}));
  EXPECT_FALSE(point.beats(point));
  EXPECT_FALSE(point.beats({.x = 9, .y = 0.3, .z = -0.91}));  // answers better
  EXPECT_FALSE(point.beats({.x = 4, .y = 0.3, .z = -0.5}));
}

TEST(Pareto, TakesTheScoreOfAllAnswers) {
  Summary run{};
  EXPECT_EQ(expected_score(run), std::nullopt);
  run.gateway.quality = {{.score = 0.87}};
  EXPECT_EQ(expected_score(run), 0.87);
}

}  // namespace servecast::pareto_test
