#include "calibrate/servers/page/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servecast::repeats_test {

using testing::HasSubstr;
using testing::Not;

/// Runs of one setting, by forecast 1.
std::vector<ComparedFigure> runs(const std::vector<double>& measured, const std::string& stage = "TP1, 8 clients") {
  std::vector<ComparedFigure> figures;
  for (const double value : measured)
    figures.push_back({.regime = Regime::closed_loop_vllm,
                       .system = "a",
                       .stage = stage,
                       .figure = ServerFigure::tpot_mean,
                       .measured = value,
                       .forecast = 1});
  return figures;
}

// Five further runs are 1 to 5 % from the first. Forecasts of 1 are 0 to 4.8 % off.
TEST(Repeats, AreHeldAgainstTheFirstRun) {
  EXPECT_THAT(
      repeats_table(runs({1, 1.01, 1.02, 0.97, 1.04, 1.05})),
      HasSubstr("| closed loop, vLLM, dense models on Hopper | TPOT | 5 | 3.0 % / 5.0 % | 2.0 % / 4.8 % | 3.0 % |"));
}

TEST(Repeats, AreOfOneSetting) {
  std::vector<ComparedFigure> figures = runs({1, 2, 3});
  for (const ComparedFigure& other : runs({1, 2, 3}, "TP1, 16 clients")) figures.push_back(other);
  EXPECT_EQ(repeats_table(figures), "");
  for (ComparedFigure& f : figures) f.stage = "TP1, 8 clients";
  EXPECT_THAT(repeats_table(figures), HasSubstr("| TPOT | 5 |"));
  figures.back().forecast = 2;
  EXPECT_EQ(repeats_table(figures), "");
}

// The second run of the stage with 3 requests/s had 1,797 tokens/s; of other routers none is known.
TEST(Repeats, HaveTheLaddersSecondRun) {
  std::vector<ComparedFigure> ladder;
  for (const char* stage : {"3 req/s", "10 req/s", "15 req/s", "20 req/s", "22 req/s"})
    ladder.push_back({.regime = Regime::router_ladder,
                      .system = "Qwen3-32B, round_robin",
                      .stage = stage,
                      .figure = ServerFigure::output_tokens_per_s,
                      .measured = 5381,
                      .forecast = 5381});
  EXPECT_THAT(repeats_table(ladder), HasSubstr("| router ladder on 16 H100 | output tokens/s | 5 | 15.3 % / 66.6 %"));
  for (ComparedFigure& f : ladder) f.system = "Qwen3-32B, llm-d prefix-affinity";
  EXPECT_EQ(repeats_table(ladder), "");
}

}  // namespace servecast::repeats_test
