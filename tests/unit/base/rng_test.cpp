#include "models/base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace servecast::rng_test {

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments(Draw draw) {
  constexpr int n = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  return {sum / n, squares / n - sum / n * (sum / n)};
}

TEST(Rng, StreamsWithDifferentNamesOrSeedsDiffer) {
  Rng a(1, "arrivals"), b(1, "arrivals"), other_name(1, "sizes"), other_seed(2, "arrivals");
  const double x = a.uniform();
  EXPECT_EQ(x, b.uniform());
  EXPECT_NE(x, other_name.uniform());
  EXPECT_NE(x, other_seed.uniform());
}

TEST(Rng, DistributionsHaveTheirMoments) {
  Rng rng(1, "test");
  const Moments uniform = moments([&] { return rng.uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 0.005);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.002);
  const Moments exponential = moments([&] { return rng.exponential(2); });
  EXPECT_NEAR(exponential.mean, 2, 0.03);
  EXPECT_NEAR(exponential.variance, 4, 0.15);
  const Moments normal = moments([&] { return rng.normal(); });
  EXPECT_NEAR(normal.mean, 0, 0.01);
  EXPECT_NEAR(normal.variance, 1, 0.02);
  for (double shape : {0.3, 1.0, 4.0}) {  // mean 1, variance 1/shape
    const Moments gamma = moments([&] { return rng.gamma(shape); });
    EXPECT_NEAR(gamma.mean, 1, 0.03) << shape;
    EXPECT_NEAR(gamma.variance * shape, 1, 0.06) << shape;
  }
}

TEST(Rng, BelowStaysBelowAndReachesAll) {
  Rng rng(3, "below");
  std::array<int, 5> seen{};
  for (int i = 0; i < 10'000; ++i) ++seen.at(rng.below(5));
  for (int count : seen) EXPECT_NEAR(count, 2000, 200);
}

}  // namespace servecast::rng_test
