#include "sim/plan/study/objective.h"

#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"

namespace servecast::objective_test {

Statistics all_at(double value) { return {value, value, value, value, value, value}; }

constexpr double bound = 1;
const Promise ttft{.metric = "ttft_s", .percentile = 90, .bound = bound};

Summary stopped(std::int64_t completed, double ttft_s) {
  Summary run{.requests = {.arrived = 50, .completed = completed, .unfinished = 50 - completed}};
  run.latencies.ttft_s = all_at(ttft_s);
  return run;
}

/// Of 100 requests 10 may be late. A report tells percentiles only: with the median of 20 above the bound at least 11
/// of them are late, with that of 19 at least 10.
TEST(BrokenAlready, IsProvenByMoreLateRequestsThanMayBeLateInAll) {
  EXPECT_TRUE(broken_already(ttft, stopped(20, 2), {.all = 100}));
  EXPECT_FALSE(broken_already(ttft, stopped(19, 2), {.all = 100}));
  EXPECT_FALSE(broken_already(ttft, stopped(20, 0.5), {.all = 100}));
}

/// First tokens have come, but nothing is complete: a run of an overloaded design that was stopped early.
TEST(BrokenAlready, NothingIsProvenWhereNothingIsComplete) {
  EXPECT_FALSE(broken_already(ttft, stopped(0, 2), {.all = 100}));
}

TEST(BrokenAlready, RequestsThatAreGoneCountAsLate) {
  Summary run = stopped(0, 0.5);
  run.requests.shed = 11;
  EXPECT_TRUE(broken_already(ttft, run, {.all = 100}));
  run.requests.shed = 5;
  run.requests.lost = 6;
  EXPECT_TRUE(broken_already(ttft, run, {.all = 100}));
  run.requests.lost = 5;
  EXPECT_FALSE(broken_already(ttft, run, {.all = 100}));
}

TEST(Outcome, OfAFigureIsHeldAgainstItsBound) {
  Summary run{.requests = {.arrived = 10, .completed = 8}, .requests_per_s = 4};
  run.cost.usd_per_request = 0.003;
  const Promise price{.metric = "cost.usd_per_request", .bound = 0.002};
  EXPECT_FALSE(outcome(price, run).kept);
  EXPECT_DOUBLE_EQ(outcome(price, run).miss, 1.5);  // 0.003 / 0.002
  const Promise rate{.metric = "requests_per_s", .bound = 5, .at_least = true};
  EXPECT_FALSE(outcome(rate, run).kept);
  EXPECT_DOUBLE_EQ(outcome(rate, run).miss, 1.25);  // 5 / 4
  const Promise none_lost{.metric = "requests.lost", .bound = 0};
  EXPECT_TRUE(outcome(none_lost, run).kept);
  run.cost.usd_per_request.reset();
  EXPECT_FALSE(outcome(price, run).kept) << "nothing is known of it";
  EXPECT_FALSE(broken_already(rate, run, {.all = 100})) << "more may come";
}

}  // namespace servecast::objective_test
