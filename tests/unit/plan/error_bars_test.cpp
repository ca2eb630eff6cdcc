#include "sim/plan/judge/error_bars.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/plan/study/objective.h"

namespace servecast::error_bars_test {

Promise latency(const char* metric, std::int64_t percentile) {
  return {.metric = metric, .percentile = percentile, .bound = 1};
}

double deviation(const Promise& promise, bool derived) {
  double squares = 0;
  for (int draw = 1; draw <= 4000; ++draw) squares += std::pow(std::log(measured_factor(promise, derived, draw)), 2);
  return std::sqrt(squares / 4000);
}

/// Draws of engines' errors have it all.
TEST(ErrorBars, LackNothingWhereKernelsWereMeasured) {
  EXPECT_EQ(deviation(latency("ttft_s", 99), false), 0);
  EXPECT_EQ(deviation(latency("tpot_s", 99), false), 0);
}

/// sqrt(0.31^2 - 0.156^2) / 1.645 = 0.1629.
TEST(ErrorBars, AreWiderWhereKernelsAreDerived) {
  EXPECT_NEAR(deviation(latency("tpot_s", 99), true), 0.1629, 0.006);
  EXPECT_NEAR(deviation(latency("ttft_s", 50), true), 0.1629, 0.006);
  EXPECT_NEAR(derived_widening(), 1.987, 1e-3);
}

TEST(ErrorBars, AreThoseOfDraws) {
  EXPECT_EQ(measured_factor(latency("ttft_s", 99), true, 0), 1);
  EXPECT_EQ(measured_factor({.metric = "attained_fraction", .bound = 0.9, .at_least = true}, true, 3), 1);
  const std::vector<Promise> both{latency("ttft_s", 99), latency("tpot_s", 99)};
  for (int draw = 1; draw < 50; ++draw) {
    EXPECT_LE(least_measured_factor(both, true, draw), measured_factor(both[0], true, draw));
    EXPECT_LE(least_measured_factor(both, true, draw), 1);
  }
}

/// All of the step time outside: as off as derived kernels, 31 % in place of 19 %. A half: the root of 19² + (31² -
/// 19²) / 4, over 19.
TEST(ErrorBars, WouldBeWiderWithStepsOutsideTheRange) {
  EXPECT_DOUBLE_EQ(extrapolated_widening(0), 1);
  EXPECT_NEAR(extrapolated_widening(1), 31.0 / 19, 1e-12);
  EXPECT_NEAR(extrapolated_widening(0.5), std::sqrt(361 + (31 * 31 - 361) / 4.0) / 19, 1e-12);
}

}  // namespace servecast::error_bars_test
