// Each kind of distribution: its mean and one more number, from 1e5 draws.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/input/trace/generate/distribution.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_distribution_test {

std::vector<double> draws(const DistributionSpec& spec, const std::filesystem::path& folder = {}) {
  const auto distribution = make_distribution(spec, folder);
  Rng rng(1, "test");
  std::vector<double> values(100'000);
  for (double& value : values) value = distribution->draw(rng);
  std::ranges::sort(values);
  return values;
}
double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<std::string> problems_of(const DistributionSpec& spec) {
  SpecProblems problems(nullptr);
  check_distribution(spec, "len", problems);
  std::vector<std::string> messages;
  for (const Problem& p : problems.all()) messages.push_back(p.path + ": " + p.message);
  return messages;
}

TEST(Distribution, Fixed) {
  const auto values = draws({.fixed = 7.5});
  EXPECT_EQ(values.front(), 7.5);
  EXPECT_EQ(values.back(), 7.5);
}

TEST(Distribution, Uniform) {
  const auto values = draws({.uniform = UniformSpec{.min = 10, .max = 30}});
  EXPECT_NEAR(mean(values), 20, 0.1);
  EXPECT_NEAR(values.front(), 10, 0.01);
  EXPECT_NEAR(values.back(), 30, 0.01);
}

TEST(Distribution, LognormalByMedianAndSigma) {
  const auto values = draws({.lognormal = LognormalSpec{.median = 100, .sigma = 0.5}});
  EXPECT_NEAR(values[50'000], 100, 1);
  EXPECT_NEAR(mean(values), 100 * std::exp(0.125), 1);  // median * exp(sigma^2 / 2)
}

TEST(Distribution, LognormalByMeanAndSigma) {
  EXPECT_NEAR(mean(draws({.lognormal = LognormalSpec{.mean = 100, .sigma = 0.5}})), 100, 1);
}

TEST(Distribution, LognormalByMeanAndP90) {
  const auto values = draws({.lognormal = LognormalSpec{.mean = 100, .p90 = 180}});
  EXPECT_NEAR(mean(values), 100, 1);
  EXPECT_NEAR(values[90'000], 180, 2);
}

TEST(Distribution, Exponential) {
  const auto values = draws({.exponential = ExponentialSpec{.mean = 50}});
  EXPECT_NEAR(mean(values), 50, 0.7);
  EXPECT_NEAR(values[50'000], 50 * std::log(2.0), 0.7);
}

TEST(Distribution, Zipf) {
  // 2^-2 : 3^-2 : 4^-2 = 36 : 16 : 9 of 61
  const auto values = draws({.zipf = ZipfSpec{.exponent = 2, .min = 2, .max = 4}});
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 2)), 1e5 * 36 / 61, 600);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 3)), 1e5 * 16 / 61, 600);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 4)), 1e5 * 9 / 61, 600);
}

TEST(Distribution, Histogram) {
  const auto values = draws({.histogram = HistogramSpec{.values = {5, 50, 500}, .weights = {1, 0, 3}}});
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 5)), 25'000, 600);
  EXPECT_EQ(std::ranges::count(values, 50), 0);
}

TEST(Distribution, HistogramOfAFile) {
  const TempFolder folder;
  folder.write("lengths.csv", "weight,value\n1,5\n3,500\n");
  const auto values = draws({.histogram = HistogramSpec{.file = "lengths.csv"}}, folder.path());
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 5)), 25'000, 600);
}

TEST(Distribution, HistogramFileThatIsWrong) {
  const TempFolder folder;
  const std::string file = folder / "lengths.csv";
  const auto message = [&](const std::string& text) {
    folder.write("lengths.csv", text);
    return message_of([&] { draws({.histogram = HistogramSpec{.file = "lengths.csv"}}, folder.path()); });
  };
  EXPECT_EQ(message("value,weight\n5,often\n"), file + ":2:3: 'often' is no number; a weight must be 0 or more");
  EXPECT_EQ(message("value,weight\n5,0\n"), file + ": has no row with a weight above zero");
  EXPECT_EQ(message(""), file + ": is empty; a histogram has the columns value,weight");
  EXPECT_EQ(message("length,weight\n1,1\n"), file + ":1:1: there is no column 'value'. Found: length, weight");
}

TEST(Distribution, IsClipped) {
  const auto values = draws({.exponential = ExponentialSpec{.mean = 50}, .min = 10, .max = 60});
  EXPECT_EQ(values.front(), 10);
  EXPECT_EQ(values.back(), 60);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 60)), 1e5 * std::exp(-1.2), 600);
}

TEST(Distribution, SaysWhatIsMissing) {
  using Messages = std::vector<std::string>;
  EXPECT_EQ(problems_of({}),
            Messages{"len: 'len' needs one of: fixed, uniform, lognormal, exponential, zipf, histogram"});
  EXPECT_EQ(problems_of({.fixed = 1, .exponential = ExponentialSpec{.mean = 1}}),
            Messages{"len: 'len' takes one of these, not several: fixed, exponential"});
  EXPECT_EQ(problems_of({.uniform = UniformSpec{.min = 2, .max = 1}}),
            Messages{"len.uniform.max: 'max' must not be below 'min'"});
  EXPECT_EQ(problems_of({.zipf = ZipfSpec{.min = 2, .max = 1}}),
            Messages{"len.zipf.max: 'max' must not be below 'min'"});
  EXPECT_EQ(problems_of({.fixed = 1, .min = 2, .max = 1}), Messages{"len.max: 'max' must not be below 'min'"});
  const std::string two =
      "len.lognormal: 'lognormal' needs two numbers: median and sigma, mean and sigma, or mean and p90";
  EXPECT_EQ(problems_of({.lognormal = LognormalSpec{.mean = 1}}), Messages{two});
  EXPECT_EQ(problems_of({.lognormal = LognormalSpec{.median = 1, .mean = 1, .sigma = 1}}), Messages{two});
  EXPECT_EQ(problems_of({.lognormal = LognormalSpec{.mean = 100, .p90 = 300}}),
            Messages{"len.lognormal.p90: 'p90' must be 1 to 2.27 times the mean, not 3.00 times"});
  EXPECT_EQ(problems_of({.histogram = HistogramSpec{}}),
            Messages{"len.histogram: 'histogram' needs values and weights, or a file with both"});
  EXPECT_EQ(problems_of({.histogram = HistogramSpec{.values = {1, 2}, .weights = {1}}}),
            Messages{"len.histogram.weights: 'weights' has 1 entries, 'values' has 2; one weight for each value"});
  EXPECT_EQ(problems_of({.histogram = HistogramSpec{.values = {1}, .weights = {0}}}),
            Messages{"len.histogram.weights: 'weights' are all zero; at least one must be above"});
}

}  // namespace servecast::trace_distribution_test
