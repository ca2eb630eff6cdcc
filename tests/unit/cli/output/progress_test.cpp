#include "sim/cli/output/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "sim/engine/run/run.h"
#include "sim/plan/runs/forked_evaluator.h"

namespace servecast::progress_test {

using testing::HasSubstr;
using testing::Not;

/// A view with a clock that the test moves.
struct Watched {
  explicit Watched(ProgressStyle style) : view(style, out, [this] { return now_s; }) {}
  void at(double time_s, const Progress& progress) {
    now_s = time_s;
    view.show(progress);
  }
  void runs_at(double time_s, const RunsProgress& progress) {
    now_s = time_s;
    view.show(progress);
  }
  std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> parsed;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) parsed.push_back(nlohmann::json::parse(line));
    return parsed;
  }

  double now_s = 0;
  std::ostringstream out{};
  ProgressView view;
};

TEST(Progress, none_says_nothing) {
  Watched watched(ProgressStyle::none);
  watched.at(1, {.fraction_read = 0.5, .arrived = 10, .finished = 5});
  watched.view.finish({.fraction_read = 1, .arrived = 10, .finished = 10});
  EXPECT_EQ(watched.out.str(), "");
}

TEST(Progress, json_tells_how_much_is_done_and_left) {
  Watched watched(ProgressStyle::json);
  // Half is read, 8 of 10 of that are finished: 0.4 is done in 2 s, so 0.6 take 3 s more.
  watched.at(2, {.simulated_s = 30, .fraction_read = 0.5, .arrived = 10, .finished = 8});
  const auto lines = watched.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_DOUBLE_EQ(lines[0]["fraction"], 0.4);
  EXPECT_DOUBLE_EQ(lines[0]["simulated_s"], 30);
  EXPECT_EQ(lines[0]["arrived"], 10);
  EXPECT_EQ(lines[0]["finished"], 8);
  EXPECT_DOUBLE_EQ(lines[0]["eta_s"], 3);
}

TEST(Progress, json_has_no_eta_before_anything_is_done) {
  Watched watched(ProgressStyle::json);
  watched.at(2, {.fraction_read = 0.5});
  EXPECT_TRUE(watched.lines()[0]["eta_s"].is_null());
}

TEST(Progress, json_comes_at_most_five_times_a_second_and_ends_with_one) {
  Watched watched(ProgressStyle::json);
  for (int i = 0; i <= 100; ++i) watched.at(i * 0.01, {.fraction_read = i * 0.009, .arrived = 100, .finished = 100});
  watched.view.finish({.simulated_s = 9, .fraction_read = 1, .arrived = 100, .finished = 100});
  const auto lines = watched.lines();
  EXPECT_LE(lines.size(), 7u);  // at 0, 0.2, 0.4, 0.6, 0.8, 1.0 s and the last
  EXPECT_GE(lines.size(), 6u);  // one of them may slip by a rounding
  EXPECT_EQ(lines.back()["fraction"], 1.0);
  EXPECT_EQ(lines.back()["eta_s"], 0.0);
  EXPECT_TRUE(
      std::ranges::is_sorted(lines, {}, [](const nlohmann::json& line) { return line["fraction"].get<double>(); }));
}

TEST(Progress, the_fraction_never_goes_back) {
  Watched watched(ProgressStyle::json);
  watched.at(1, {.fraction_read = 0.5, .arrived = 10, .finished = 10});
  watched.at(2, {.fraction_read = 0.6, .arrived = 20, .finished = 10});  // 0.3 by itself
  EXPECT_DOUBLE_EQ(watched.lines()[1]["fraction"], 0.5);
}

TEST(Progress, the_bar_is_redrawn_in_place_and_erased) {
  Watched watched(ProgressStyle::bar);
  watched.at(1, {.fraction_read = 0.5, .arrived = 12345, .finished = 12345});
  EXPECT_THAT(watched.out.str(), HasSubstr("[###############...............]  50 %  12,345 requests"));
  EXPECT_THAT(watched.out.str(), HasSubstr("left"));
  watched.at(1.05, {.fraction_read = 0.9, .arrived = 5, .finished = 5});  // too soon
  EXPECT_THAT(watched.out.str(), Not(HasSubstr("90 %")));
  watched.at(1.2, {.fraction_read = 0.9, .arrived = 5, .finished = 5});
  EXPECT_THAT(watched.out.str(), HasSubstr("\r\x1b[K[###########################...]  90 %"));
  watched.view.finish(Progress{});
  EXPECT_TRUE(watched.out.str().ends_with("\r\x1b[K"));
  EXPECT_EQ(std::ranges::count(watched.out.str(), '\n'), 0);
}

TEST(Progress, many_runs_count_runs_and_known_ones_took_no_time) {
  Watched json(ProgressStyle::json);
  // 6 of 10 were known; the 2 simulated took 4 s, so the other 2 take 4 s more.
  json.runs_at(4, {.done = 8, .total = 10, .simulated = 2});
  json.view.finish(RunsProgress{.done = 10, .total = 10, .simulated = 4});
  const auto lines = json.lines();
  EXPECT_EQ(lines[0], nlohmann::json::parse(R"({"fraction": 0.8, "done": 8, "total": 10, "eta_s": 4.0})"));
  EXPECT_EQ(lines[1], nlohmann::json::parse(R"({"fraction": 1.0, "done": 10, "total": 10, "eta_s": 0.0})"));

  Watched bar(ProgressStyle::bar);
  bar.runs_at(4, {.done = 8, .total = 10, .simulated = 2});
  EXPECT_THAT(bar.out.str(), HasSubstr("]  80 %  8 of 10 simulations, 4 s left"));
  Watched nothing_simulated(ProgressStyle::json);
  nothing_simulated.runs_at(4, {.done = 8, .total = 10});
  EXPECT_TRUE(nothing_simulated.lines()[0]["eta_s"].is_null());
}

TEST(Progress, a_run_cut_short_leaves_no_bar) {
  std::ostringstream out;
  {
    ProgressView view(ProgressStyle::bar, out);
    view.show({.fraction_read = 0.5, .arrived = 1, .finished = 1});
  }
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

}  // namespace servecast::progress_test
