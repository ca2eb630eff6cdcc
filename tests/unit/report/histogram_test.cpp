#include "sim/report/statistics/histogram.h"

#include <gtest/gtest.h>

#include "models/base/rng.h"

namespace servecast::histogram_test {

TEST(Statistics, OfTheNumbersOneToTwoHundred) {
  std::vector<double> values;
  for (int i = 200; i >= 1; --i) values.push_back(i);
  const std::optional<Statistics> d = statistics_of(values);
  // Mean 201 / 2; the q-quantile of 1..200 is 200 q.
  EXPECT_EQ(d, (Statistics{.mean = 100.5, .p50 = 100, .p90 = 180, .p95 = 190, .p99 = 198, .max = 200}));
}

TEST(Statistics, OfOneValueAndOfNone) {
  std::vector<double> one{0.25};
  EXPECT_EQ(statistics_of(one), (Statistics{0.25, 0.25, 0.25, 0.25, 0.25, 0.25}));
  std::vector<double> none;
  EXPECT_EQ(statistics_of(none), std::nullopt);
}

TEST(Histogram, CountSumAndMaxAreExact) {
  Histogram h;
  h.add(0.5, 3);
  h.add(2, 1);
  h.add(7, 0);  // no occurrence at all
  EXPECT_EQ(h.count(), 4);
  EXPECT_EQ(h.sum(), 3.5);  // 3 x 0.5 + 2
  EXPECT_EQ(h.max(), 2);
  EXPECT_EQ(h.statistics()->mean, 0.875);
  EXPECT_EQ(Histogram{}.statistics(), std::nullopt);
}

TEST(Histogram, QuantileIsTheMiddleOfTheBucketWithinWhatWasSeen) {
  Histogram h;
  h.add(1.0, 1);
  h.add(1.5, 8);
  h.add(3.0, 1);
  // Buckets of the octave from 1 are 1/1024 wide: [1.5, 1.5 + 1/1024) has its middle at 1.5 + 1/2048.
  EXPECT_EQ(h.quantile(0.5), 1.5 + 1.0 / 2048);
  EXPECT_EQ(h.quantile(0.1), 1.0 + 1.0 / 2048);
  EXPECT_EQ(h.quantile(1), 3.0);  // the middle would lie above the largest value

  Histogram same;
  same.add(0.025, 1000);
  EXPECT_EQ(same.quantile(0.5), 0.025);  // clamped from both sides
}

TEST(Histogram, ZeroAndHugeValuesHaveAPlace) {
  Histogram h;
  h.add(0, 2);
  EXPECT_EQ(h.quantile(0.5), 0);
  h.add(1e30);
  EXPECT_GE(h.quantile(1), 0x1p34);  // all that large share one bucket
  EXPECT_EQ(h.max(), 1e30);
  EXPECT_LT(h.quantile(0.5), 1e-9);
}

TEST(Histogram, StaysWithinHalfAThousandthOfTheExactQuantile) {
  Rng rng(1, "gaps");
  Histogram h;
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(rng.lognormal(-4, 2));  // from microseconds to minutes
    h.add(values.back());
  }
  const Statistics exact = *statistics_of(values);
  const Statistics coarse = *h.statistics();
  for (const auto p : {&Statistics::p50, &Statistics::p90, &Statistics::p95, &Statistics::p99})
    EXPECT_NEAR(coarse.*p, exact.*p, exact.*p * 0.0005);
  EXPECT_EQ(coarse.max, exact.max);
  EXPECT_NEAR(coarse.mean, exact.mean, exact.mean * 1e-12);
}

TEST(Histogram, MergeIsAsIfAllHadBeenAddedToOne) {
  Histogram a, b, both;
  for (const double x : {0.01, 0.02, 0.02}) {
    a.add(x);
    both.add(x);
  }
  for (const double x : {0.5, 0.001}) {
    b.add(x, 4);
    both.add(x, 4);
  }
  a += b;
  EXPECT_EQ(a.count(), 11);
  EXPECT_EQ(a.statistics(), both.statistics());
  a += Histogram{};
  EXPECT_EQ(a.statistics(), both.statistics());
}

}  // namespace servecast::histogram_test
