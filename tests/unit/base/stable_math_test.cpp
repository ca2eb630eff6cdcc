#include "models/base/stable_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace servecast::stable_math_test {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(StableMath, LogIsWithinTwoUnitsOfTheLibrarys) {
  for (double x = 1e-300; x < 1e300; x *= 1.7381)
    EXPECT_NEAR(stable::log(x), std::log(x), 2 * eps * std::max(1.0, std::abs(std::log(x)))) << x;
  for (double x = 0.5; x < 2; x += 0.001953) EXPECT_NEAR(stable::log(x), std::log(x), 2 * eps) << x;
  EXPECT_EQ(stable::log(1), 0);
}

TEST(StableMath, ExpIsWithinTwoUnitsOfTheLibrarys) {
  for (double x = -700; x < 700; x += 0.7177) EXPECT_NEAR(stable::exp(x) / std::exp(x), 1, 2 * eps) << x;
  EXPECT_EQ(stable::exp(0), 1);
  EXPECT_EQ(stable::exp(-1000), 0);
  EXPECT_EQ(stable::exp(1000), std::numeric_limits<double>::infinity());
}

TEST(StableMath, PowKeepsExactCasesNearlyExact) {
  EXPECT_EQ(stable::pow(0, 2), 0);
  EXPECT_NEAR(stable::pow(2, 10), 1024, 1024 * 8 * eps);
  for (double y = -3; y < 3; y += 0.31) EXPECT_NEAR(stable::pow(7.3, y) / std::pow(7.3, y), 1, 16 * eps) << y;
}

}  // namespace servecast::stable_math_test
