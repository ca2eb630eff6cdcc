#include "calibrate/servers/comparison.h"

#include <gtest/gtest.h>

#include "calibrate/servers/accuracy_page.h"

namespace servecast {
namespace {

ComparedFigure row(double measured, double forecast) {
  return {.group = "vLLM open loop", .figure = ServerFigure::e2e_mean, .measured = measured, .forecast = forecast};
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

TEST(Comparison, PageHasTheTableAndEveryRow) {
  const std::vector<ComparedFigure> rows{row(2, 2.1)};
  const std::string page = accuracy_page(rows, "Fitted on nothing.");
  EXPECT_NE(page.find("| vLLM open loop, E2E mean | 1 | 5.0 % | 5.0 % | +5.0 % | 3.0 % | – |"), std::string::npos);
  EXPECT_NE(page.find("| 2000.00 ms | 2100.00 ms | – | +5.0 % |"), std::string::npos);
}

}  // namespace
}  // namespace servecast
