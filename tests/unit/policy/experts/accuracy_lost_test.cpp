// Points of accuracy that stand-ins cost, against what BuddyMoE publishes; the shares are those of the paper's
// scenario, which tests/unit/papers/s16_test.cpp measures.
#include "models/policy/experts/accuracy_lost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace servecast::accuracy_lost_test {

TEST(AccuracyLost, IsTheFormula) {
  EXPECT_NEAR(accuracy_lost({.replaced = 0.21, .unlike = 0.21}).fraction, 0.65 * (1 - std::exp(-1)), 1e-12);
  // 0.1 replaced by the likest there are: x = 0.1 - 0.1 x 0.1 = 0.09
  EXPECT_NEAR(accuracy_lost({.replaced = 0.1}).fraction, 0.65 * (1 - std::exp(-std::pow(0.09 / 0.21, 1.4))), 1e-12);
  EXPECT_EQ(accuracy_lost({}).fraction, 0);
  EXPECT_FALSE(accuracy_lost({}).extrapolated);
}

TEST(AccuracyLost, GrowsWithTheShareReplacedAndWithUnlikeness) {
  EXPECT_LT(accuracy_lost({.replaced = 0.0008, .unlike = 0.0008}).fraction, 0.001) << "0.08 % must not cost 4 points";
  double before = 0;
  for (double share = 0.01; share < 1; share += 0.01) {
    const AccuracyLost lost = accuracy_lost({.replaced = share, .unlike = share});
    EXPECT_GT(lost.fraction, before);
    EXPECT_LT(lost.fraction, 0.735) << "no more than there is";
    EXPECT_LT(accuracy_lost({.replaced = share, .unlike = 0.3 * share}).fraction, lost.fraction);
    EXPECT_LE(lost.least_fraction, lost.fraction);
    EXPECT_GE(lost.most_fraction, lost.fraction);
    EXPECT_EQ(lost.extrapolated, share > 0.384);
    before = lost.fraction;
  }
  EXPECT_EQ(accuracy_lost({.left_out = 0.1}).fraction, accuracy_lost({.replaced = 0.1, .unlike = 0.1}).fraction);
  EXPECT_TRUE(accuracy_lost({.left_out = 0.1}).extrapolated);
}

// arXiv 2511.10054: accuracy .735 untouched. Random stand-ins at 0.75, 0.5 and 0.375 of the experts; buddies, three
// per token; four per token.
TEST(AccuracyLost, ComesWithinSevenPointsOfThePublishedTable) {
  struct Published {
    double replaced, unlike, accuracy;
  };
  const std::vector<Published> points{{0.098, 0.098, 0.55},  {0.267, 0.267, 0.23},  {0.384, 0.384, 0.16},
                                      {0.030, 0.004, 0.695}, {0.073, 0.015, 0.635}, {0.093, 0.021, 0.645},
                                      {0.075, 0.016, 0.55},  {0.098, 0.024, 0.51}};
  double squares = 0;
  for (const Published& p : points) {
    const AccuracyLost lost = accuracy_lost({.replaced = p.replaced, .unlike = p.unlike});
    const double published = 0.735 - p.accuracy;
    EXPECT_NEAR(lost.fraction, published, 0.075) << p.accuracy;
    EXPECT_LE(lost.least_fraction, published + 0.001) << p.accuracy;
    EXPECT_GE(lost.most_fraction, published - 0.001) << p.accuracy;
    squares += (lost.fraction - published) * (lost.fraction - published);
  }
  EXPECT_NEAR(std::sqrt(squares / 8), 0.04, 0.002);
}

}  // namespace servecast::accuracy_lost_test
