#include "calibrate/servers/page/knees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servecast::knees_test {

using testing::HasSubstr;
using testing::Not;

std::vector<ComparedFigure> ladder(const std::string& system, const std::vector<double>& measured,
                                   const std::vector<double>& forecast) {
  std::vector<ComparedFigure> figures;
  for (std::size_t i = 0; i < measured.size(); ++i)
    figures.push_back({.regime = Regime::router_ladder,
                       .system = system,
                       .stage = std::to_string(10 * (i + 1)) + " req/s",
                       .figure = ServerFigure::ttft_mean,
                       .measured = measured[i],
                       .forecast = forecast[i]});
  return figures;
}

// Least 1 s: measured over 3 s from 40 requests/s on, by forecast (least 1.2 s) from 50; before that 20, 10 and 0 %
// off.
TEST(Knees, AreTheFirstStagesThatWait) {
  EXPECT_THAT(knee_table(ladder("a", {1, 2, 3, 3.1, 9}, {1.2, 2.2, 3, 3.5, 3.7})),
              HasSubstr("| a | 40 req/s | 50 req/s | +1 | 10.0 % |\n"));
}

TEST(Knees, MayLieBeyondTheLadder) {
  EXPECT_THAT(knee_table(ladder("a", {1, 1, 1, 4}, {1, 1, 1, 1})),
              HasSubstr("| a | 40 req/s | beyond 40 req/s | +1 |"));
}

TEST(Knees, NeedStagesThatTellThem) {
  EXPECT_EQ(knee_table(ladder("a", {1, 2, 4}, {1, 2, 4})), "");
  std::vector<ComparedFigure> figures = ladder("a", {1, 1, 1, 4}, {1, 1, 1, 1});
  for (ComparedFigure& f : figures) f.regime = Regime::open_loop;
  EXPECT_EQ(knee_table(figures), "");
}

}  // namespace servecast::knees_test
