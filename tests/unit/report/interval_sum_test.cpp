#include "sim/report/statistics/interval_sum.h"

#include <gmock/gmock.h>

#include "models/base/rng.h"

namespace servecast::interval_sum_test {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double tick_s = 1e-9;

TEST(Seconds, TheLastOneIsAsLongAsWhatIsLeft) {
  EXPECT_EQ(Seconds(10).count(), 10u);
  EXPECT_EQ(Seconds(10).width(9), ticks_per_s);
  EXPECT_EQ(Seconds(10.25).count(), 11u);
  EXPECT_EQ(Seconds(10.25).width(10), ticks_per_s / 4);
  EXPECT_EQ(Seconds(0.5).count(), 1u);
  EXPECT_EQ(Seconds(0.5).width(0), ticks_per_s / 2);
  EXPECT_EQ(Seconds(0).count(), 1u);
  EXPECT_EQ(Seconds(0).width(0), ticks_per_s);
}

TEST(IntervalSum, MeanPerSecond) {
  IntervalSum sum;
  sum.add(0.25, 2.5);  // 0.75 of the first second, all of the next, half of the third
  sum.add(1, 2, 3);    // exactly the second
  EXPECT_THAT(sum.means(Seconds(4)), ElementsAre(0.75, 4, 0.5, 0));
}

TEST(IntervalSum, InsideOneSecondAndOfNoLength) {
  IntervalSum sum;
  sum.add(1.25, 1.5, 2);
  sum.add(0.7, 0.7);
  EXPECT_THAT(sum.means(Seconds(2)), ElementsAre(0, 0.5));
}

TEST(IntervalSum, UpToTheEndOfAShortLastSecond) {
  IntervalSum sum;
  sum.add(0, 1.5);
  sum.add(1.25, 1.5, 4);
  EXPECT_THAT(sum.means(Seconds(1.5)), ElementsAre(1, 3));  // (0.5 x 1 + 0.25 x 4) / 0.5
  EXPECT_THAT(IntervalSum{}.means(Seconds(2)), ElementsAre(0, 0));
}

TEST(IntervalSum, CutsWhatLiesBeyondTheEnd) {
  IntervalSum sum;
  sum.add(0.5, 100);
  EXPECT_THAT(sum.means(Seconds(2)), ElementsAre(0.5, 1));
}

TEST(IntervalSum, NothingIsExactlyNothingAndFullExactlyFull) {
  Rng rng(1, "intervals");
  IntervalSum sum;
  for (int i = 0; i < 1000; ++i) {  // busy from 0 to 100, handed over 1,000 times at odd instants; none after that
    double from = 0;
    while (from < 100) {
      const double to = std::min(100.0, from + 10 * rng.uniform());
      sum.add(from, to);
      from = to;
    }
  }
  const std::vector<double> means = sum.means(Seconds(200));
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(means[i], i < 100 ? 1000 : 0) << i;
}

TEST(IntervalSum, AgreesWithAddingUpSecondBySecond) {
  Rng rng(2, "intervals");
  IntervalSum sum;
  std::vector<double> slow(50);
  for (int i = 0; i < 500; ++i) {
    const double from = 50 * rng.uniform();
    const double to = from + (50 - from) * rng.uniform();
    const auto weight = static_cast<std::int64_t>(1 + rng.below(9));
    sum.add(from, to, weight);
    for (std::size_t k = 0; k < slow.size(); ++k) {
      const double begin = static_cast<double>(k);
      slow[k] += static_cast<double>(weight) * std::max(0.0, std::min(to, begin + 1) - std::max(from, begin));
    }
  }
  const std::vector<double> means = sum.means(Seconds(50));
  for (std::size_t k = 0; k < slow.size(); ++k) EXPECT_THAT(means[k], DoubleNear(slow[k], 5000 * tick_s));
}

}  // namespace servecast::interval_sum_test
