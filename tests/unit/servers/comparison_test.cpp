#include "calibrate/servers/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/servers/forecasts.h"
#include "calibrate/servers/page/accuracy_page.h"
#include "calibrate/servers/page/rows_csv.h"

namespace servecast::comparison_test {

ComparedFigure row(double measured, double forecast) {
  return {.regime = Regime::open_loop, .system = "llama", .figure = ServerFigure::e2e_mean, .measured = measured, .forecast = forecast};
}

// Errors -20, +10, +5, 0 %: half of the sizes are at most 5 %, nine tenths at most 20 %.
TEST(Comparison, MediansOfErrors) {
  std::vector<ComparedFigure> rows{row(10, 8), row(10, 11), row(20, 21), row(5, 5)};
  rows.push_back({.measured = 1});
  const ErrorSummary s = summarise_errors(rows);
  EXPECT_EQ(s.rows, 4);
  EXPECT_EQ(s.without_forecast, 1);
  EXPECT_NEAR(s.median, 0.05, 1e-12);
  EXPECT_NEAR(s.p90, 0.2, 1e-12);
  EXPECT_NEAR(s.bias, 0, 1e-12);
}

// 9 to 11 about 10 holds 11, but not 12: half-width 10 %.
TEST(Comparison, CoverageCountsRowsWithAnInterval) {
  std::vector<ComparedFigure> rows{row(11, 10), row(12, 10), row(1, 1)};
  for (std::size_t i = 0; i < 2; ++i) {
    rows[i].p05 = 9;
    rows[i].p95 = 11;
  }
  const Coverage c = coverage_of(rows);
  EXPECT_EQ(c.rows, 2);
  EXPECT_EQ(c.held, 1);
  EXPECT_NEAR(c.median_half_width, 0.1, 1e-12);
}

// 11 tokens after the first; draws that end after 100 to 160 s, with 2 to 4 s a token. The first token comes as early
// as after 100 - 44 s and as late as after 160 - 22.
TEST(Comparison, IntervalOfADifferenceHoldsItHoweverItsPartsGoTogether) {
  const auto drawn = [](double ttft_s, double e2e_s, double tpot_s) {
    return Summary{.latencies = {.ttft_s = Statistics{.mean = ttft_s},
                                 .tpot_s = Statistics{.mean = tpot_s},
                                 .e2e_s = Statistics{.mean = e2e_s}}};
  };
  const Interval interval{.replicates = 20, .p05 = drawn(7, 100, 2), .p95 = drawn(9, 160, 4)};
  const MeasuredStage overloaded{.saturated = true, .output_tokens = 12};
  const FigureInterval of_answered = interval_of(interval, overloaded, ServerFigure::ttft_mean);
  EXPECT_EQ(of_answered.p05, 100 - 44);
  EXPECT_EQ(of_answered.p95, 160 - 22);
  const FigureInterval of_all = interval_of(interval, {.output_tokens = 12}, ServerFigure::ttft_mean);
  EXPECT_EQ(of_all.p05, 7);
  EXPECT_EQ(of_all.p95, 9);
}

// Clients of the second draw saw nothing.
TEST(Comparison, ForecastIsTheMeanOfAllDrawsThatHaveTheFigure) {
  const auto drawn = [](double ttft_s) { return Summary{.latencies = {.ttft_s = Statistics{.mean = ttft_s}}}; };
  const Forecast forecast{.summary = drawn(1), .others = {Summary{}, drawn(2), drawn(6)}};
  EXPECT_EQ(mean_figure_of(forecast, {}, ServerFigure::ttft_mean), 3);
  EXPECT_EQ(mean_figure_of({}, {}, ServerFigure::ttft_mean), std::nullopt);
}

TEST(Comparison, SummarySetsReportingRowsApartFromFittingOnes) {
  std::vector<ComparedFigure> rows{row(2, 2.1), row(2, 3)};
  rows[1].fitting = true;
  const std::string page = accuracy_summary({.figures = rows, .fitted_on = "Fitted on nothing."});
  EXPECT_NE(
      page.find("| [vLLM, open loop](accuracy/open_loop.md) | E2E mean | 1 | 5.0 % / 5.0 % | 1.5 % / 4.0 % | no | "
                "+5.0 % | – | – | 50.0 % / 50.0 % (1) | – |"),
      std::string::npos)
      << page;
}

// Asked: 1.5 % in the median, 4 % at the 90th percentile.
TEST(Comparison, SummarySaysWhatIsKept) {
  const auto kept = [](double most) {
    const std::vector<ComparedFigure> rows{row(2, 2.02), row(2, 2.02), row(2, most)};
    return accuracy_summary({.figures = rows});
  };
  EXPECT_THAT(kept(2.06), testing::HasSubstr("| 1.5 % / 4.0 % | yes |"));
  EXPECT_THAT(kept(2.1), testing::HasSubstr("| 1.5 % / 4.0 % | median |"));
}

TEST(Comparison, RegimePageHasALineForEachSystem) {
  const std::string page = regime_page(Regime::open_loop, std::vector{row(2, 2.1)});
  EXPECT_NE(page.find("| llama | E2E mean | 1 | 5.0 % / 5.0 % | +5.0 % | – | – |"), std::string::npos) << page;
  EXPECT_EQ(regime_page(Regime::mlperf, std::vector{row(2, 2.1)}), "");
}

TEST(Comparison, RowsHaveALineForEachFigure) {
  const std::string text = rows_csv(std::vector{row(2, 2.1)});
  EXPECT_NE(text.find("\nopen_loop,llama,,,one,0,0,,,1,0,E2E mean,2,2.1,,,1,0,0\n"), std::string::npos) << text;
}

}  // namespace servecast::comparison_test
