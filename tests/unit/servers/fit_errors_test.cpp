#include "calibrate/servers/fit_errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/servers/comparison.h"

namespace servecast::fit_errors_test {

/// `measured` over a forecast of 1.
ComparedFigure figure(ServerFigure what, double measured, int row) {
  return {.system = "s",
          .error_fit = true,
          .server = std::to_string(row),
          .engine = "e",
          .gpu = "h100_sxm_80g",
          .figure = what,
          .measured = measured,
          .forecast = 1};
}

/// TPOT 0.9 to 1.1 in 21 equal steps; TTFT 1.5 times as long, P99 2 times the mean's.
std::vector<ComparedFigure> made_up() {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row <= 20; ++row) {
    const double tpot = 0.9 + 0.01 * row;
    figures.push_back(figure(ServerFigure::tpot_mean, tpot, row));
    figures.push_back(figure(ServerFigure::ttft_mean, 1.5 * tpot, row));
    figures.push_back(figure(ServerFigure::ttft_p99, 3 * tpot, row));
  }
  return figures;
}

// Ranks 2, 11 and 20 of 21: 0.91, 1, 1.09. First tokens: 1.5 in the middle, less 1 + s of stalls, (1 + 2.3 s) / (1 +
// s) = 2: s = 1 / 0.3026 = 3.3, more than the most, 1; so 1.5 / 2 = 0.75. Steps explain its spread, and the range
// holds 1.
TEST(FitErrors, StepsByTpotAndFirstTokensByWhatIsLeft) {
  const std::vector<CalibrationError> errors = fit_errors(made_up(), "e");
  ASSERT_EQ(errors.size(), 2U);
  const CalibrationError& dense = errors.front();
  EXPECT_EQ(dense.models, "dense");
  EXPECT_EQ(dense.layout, "one");
  EXPECT_EQ(dense.steps.p05, 0.91);
  EXPECT_EQ(dense.steps.p50, 1);
  EXPECT_EQ(dense.steps.p95, 1.09);
  EXPECT_EQ(dense.stalls_fraction, 1);
  EXPECT_EQ(dense.first_token.p05, 0.75);
  EXPECT_EQ(dense.first_token.p50, 0.75);
  EXPECT_EQ(dense.first_token.p95, 1);
  EXPECT_EQ(errors.back().layout, "any");
}

// Kernels alone: 0.95 to 1.05, a half-width of 0.05 in logarithms between the extremes of 19 draws, 0.0446 at 95 %.
// Above: sqrt(ln(1.09)^2 - 0.0446^2) = 0.0737.
TEST(FitErrors, TakesOffWhatKernelsExplain) {
  std::vector<ComparedFigure> figures = made_up();
  figures.front().p05 = std::exp(-0.05);
  figures.front().p95 = std::exp(0.05);
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p95, 1.077);
}

TEST(FitErrors, OtherSystemsEnginesAndOverloadedStagesDoNotCount) {
  std::vector<ComparedFigure> figures = made_up();
  const std::string before = errors_yaml(fit_errors(figures, "e"));
  for (int row = 0; row < 20; ++row) {
    figures.push_back(figure(ServerFigure::tpot_mean, 3, row));
    figures.back().error_fit = row % 3 != 0;
    if (row % 3 == 1) figures.back().engine = "f";
    if (row % 3 == 2) figures.back().saturated = true;
  }
  EXPECT_EQ(errors_yaml(fit_errors(figures, "e")), before);
  EXPECT_TRUE(fit_errors(figures, "g").empty());
}

// An entry of one system at 1, and all pools, a system at 1 and one at 1.21: logarithms of 0 and 0.1906, whose mean,
// 0.0953, weighs as one more system, so that the middle of the first is 0.0477, of the second 0.1430. Medians have
// the standard deviation 0.1906 / sqrt(2) = 0.1348, of a further system with the mean of two sqrt(1.5) times
// that; 6.314 of it (Student's t, one degree of freedom) are 1.0424 to either side.
TEST(FitErrors, OneSystemIsPulledToAllPools) {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row < 32; ++row) {
    figures.push_back(figure(ServerFigure::tpot_mean, row < 16 ? 1 : 1.21, row));
    figures.back().system = row < 16 ? "s" : "t";
    figures.back().experts = row >= 16;
  }
  const std::vector<CalibrationError> errors = fit_errors(figures, "e");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].models, "dense");
  EXPECT_EQ(errors[0].steps.p50, 1.049);
  EXPECT_EQ(errors[0].steps.p05, 0.37);
  EXPECT_EQ(errors[0].steps.p95, 2.974);
  EXPECT_EQ(errors[1].models, "experts");
  EXPECT_EQ(errors[1].steps.p50, 1.154);
}

// Two systems of engine e at 1 and 1.21 as above, a variance of 0.01817 and one degree; of f, with four systems at 1,
// none, and three. Together 0.01817 / 4, the square of 0.0674, and four degrees: 2.132 times that and sqrt(1.5) are
// 0.1760, about a middle of 0.0477.
TEST(FitErrors, HowSystemsDifferIsHeldAgainstOtherEngines) {
  std::vector<ComparedFigure> figures;
  const auto add = [&](const char* engine, const char* system, double tpot) {
    for (int row = 0; row < 16; ++row) {
      figures.push_back(figure(ServerFigure::tpot_mean, tpot, row));
      figures.back().engine = engine;
      figures.back().system = system;
      figures.back().experts = tpot > 1;
    }
  };
  add("e", "s", 1);
  add("e", "t", 1.21);
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p05, 0.37);
  for (const char* system : {"u", "v", "w", "x"}) add("f", system, 1);
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p05, 0.88);
}

// Rows beyond ten add nothing: ten of a system at 1 weigh as much as forty of one at 2. The middle is sqrt(2).
TEST(FitErrors, SystemsWithManyRowsWeighAsMuchAsThoseWithTen) {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row < 50; ++row) {
    figures.push_back(figure(ServerFigure::tpot_mean, row < 10 ? 1 : 2, row));
    figures.back().system = row < 10 ? "s" : "t";
  }
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p50, 1.414);
}

// A queue of 0.5 of 1 that the steps' errors move: 2 measured are 1.5 of the other 0.5, three times. Stages beyond
// the knee do not count. Of the closed loops first tokens are 1.5 times as late.
TEST(FitErrors, OpenLoadsHaveFirstTokensWithoutTheirQueue) {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row < 48; ++row) {
    const bool open = row < 32;
    figures.push_back(figure(ServerFigure::tpot_mean, 1, row));
    figures.push_back(figure(ServerFigure::ttft_mean, open ? 2 : 1.5, row));
    figures.back().queue_fraction = open ? 0.5 : 0;
    figures.back().beyond_knee = row < 16;
    if (row < 16) figures.back().measured = 100;
  }
  for (ComparedFigure& f : figures) {
    f.load = std::stoi(f.server) < 32 ? "open" : "closed";
    f.system = f.load;
  }
  const std::vector<CalibrationError> errors = fit_errors(figures, "e");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].load, "open");
  EXPECT_EQ(errors[0].first_token.p50, 3);
  EXPECT_EQ(errors[1].load, "closed");
}

// Of a forecast's 1, half in the queue: 0.8 is a queue of 0.3, and 0.4 no queue and 0.4 of 0.5.
TEST(FitErrors, AShorterQueueExplainsAnEarlierFirstToken) {
  for (const auto& [measured, factor] : {std::pair{0.8, 1.0}, std::pair{0.4, 0.8}}) {
    std::vector<ComparedFigure> figures;
    for (int row = 0; row < 16; ++row) {
      figures.push_back(figure(ServerFigure::tpot_mean, 1, row));
      figures.push_back(figure(ServerFigure::ttft_mean, measured, row));
      figures.back().queue_fraction = 0.5;
      for (ComparedFigure* f : {&figures.back(), &figures.back() - 1}) f->load = "open";
    }
    EXPECT_EQ(fit_errors(figures, "e").front().first_token.p50, factor);
  }
}

// Below the knee arrivals set the tokens per second of an open load, beyond it steps do.
TEST(FitErrors, RatesOfOpenLoadsCountBeyondTheKnee) {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row < 32; ++row) {
    figures.push_back(figure(ServerFigure::output_tokens_per_s, row < 16 ? 0.5 : 1, row));
    figures.back().load = "open";
    figures.back().beyond_knee = row >= 16;
  }
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p95, 1);
}

// Draws are three times as wide there, so their range is that of a third of the logarithm.
TEST(FitErrors, SaturatedRunsAreDrawnWiderAnyway) {
  std::vector<ComparedFigure> figures;
  for (int row = 0; row < 20; ++row) {
    figures.push_back(figure(ServerFigure::tpot_mean, 8, row));
    figures.back().spread = 3;
  }
  EXPECT_EQ(fit_errors(figures, "e").front().steps.p50, 2);
}

}  // namespace servecast::fit_errors_test
