#include "calibrate/servers/page/known_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/servers/comparison.h"

namespace servecast::known_gaps_test {

using testing::HasSubstr;
using testing::Not;

ComparedFigure figure(Regime regime, ServerFigure figure, const char* system, double forecast) {
  return {.regime = regime, .system = system, .figure = figure, .measured = 1, .forecast = forecast};
}

// Two systems of one cause in one row, whose errors are those of today's forecasts.
TEST(KnownGaps, HasErrorsOfTheSystemsOfACause) {
  const std::string text = known_gaps_section(
      Regime::blackwell,
      std::vector{figure(Regime::blackwell, ServerFigure::ttft_mean, "minimax-m2.5 nvfp4, b200_sxm_180g, vllm", 0.8),
                  figure(Regime::blackwell, ServerFigure::ttft_mean, "minimax-m2.5 nvfp4, b300_sxm_288g, vllm", 0.7),
                  figure(Regime::blackwell, ServerFigure::ttft_mean, "minimax-m2.5 nvfp4, b300_sxm_288g, vllm", 0.9),
                  figure(Regime::offline, ServerFigure::ttft_mean, "minimax-m2.5 nvfp4", 0.1)});
  EXPECT_THAT(text,
              HasSubstr("| minimax-m2.5 nvfp4 | TTFT mean | 3 | 20.0 % / 30.0 % | -20.0 % | Bursts of prompts"));
}

// 35 % is what is asked of the 90th percentile of TTFT on Blackwell.
TEST(KnownGaps, NamesWhatIsFarOffWithoutAKnownCause) {
  const std::string text = known_gaps_section(
      Regime::blackwell, std::vector{figure(Regime::blackwell, ServerFigure::ttft_mean, "far off", 1.5),
                                     figure(Regime::blackwell, ServerFigure::ttft_mean, "near", 1.3)});
  EXPECT_THAT(text, HasSubstr("| far off | TTFT mean | 1 | 50.0 % / 50.0 % | +50.0 % | not known |"));
  EXPECT_THAT(text, Not(HasSubstr("near")));
}

TEST(KnownGaps, HasNoSectionWhereForecastsAreGood) {
  EXPECT_EQ(known_gaps_section(Regime::blackwell,
                               std::vector{figure(Regime::blackwell, ServerFigure::ttft_mean, "near", 1.3)}),
            "");
}

}  // namespace servecast::known_gaps_test
