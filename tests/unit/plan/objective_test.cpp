#include "sim/plan/objective.h"

#include <gtest/gtest.h>

#include "sim/report/summary.h"

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

}  // namespace servecast::objective_test
