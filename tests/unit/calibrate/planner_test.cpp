#include <gmock/gmock.h>

#include <algorithm>

#include "calibrate/plan/grid_planner.h"

namespace servecast::planner_test {

constexpr double any = 1e9;

/// Products of one column and depth, m from 1 to 4096.
std::vector<Series> products() {
  return {{.like = {.op = "gemm", .dtype = "bf16", .shape = {.n = 4096, .k = 4096}},
           .axes = {{&KernelShape::m, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}}}}};
}
std::int64_t next_m(GridPlanner& planner) { return planner.next(any)->shape.m; }
MeasureTarget product(std::int64_t m) {
  return {.op = "gemm", .dtype = "bf16", .shape = {.m = m, .n = 4096, .k = 4096}};
}

TEST(GridPlanner, CornersThenTheKneeThenTheLeastKnown) {
  GridPlanner planner(products());
  EXPECT_EQ(next_m(planner), 1);
  planner.learn(product(1), 10e-6);
  EXPECT_EQ(next_m(planner), 4096);
  planner.learn(product(4096), 160e-6);
  EXPECT_EQ(next_m(planner), 256);  // 4096 * 10 / 160
  planner.learn(product(256), 12e-6);
  // Between 1 and 256 lies most that is not known; 16 is in the middle, 8 a little cheaper.
  EXPECT_EQ(next_m(planner), 8);
}

TEST(GridPlanner, CornersOfAllSeriesInTurn) {
  std::vector<Series> two = products();
  two.push_back(two[0]);
  two[1].like.dtype = "fp8";
  GridPlanner planner(two);
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) {
    const MeasureTarget target = *planner.next(any);
    order.push_back(target.dtype + " " + std::to_string(target.shape.m));
    planner.learn(target, 1e-5);
  }
  EXPECT_THAT(order, testing::ElementsAre("bf16 1", "fp8 1", "bf16 4096", "fp8 4096"));
}

TEST(GridPlanner, TheSameWhateverTheOrderItWasToldIn) {
  GridPlanner one(products());
  GridPlanner other(products());
  const std::vector<std::int64_t> rows{1, 4096, 256, 16, 64};
  for (const std::int64_t m : rows) one.learn(product(m), static_cast<double>(m) * 1e-8 + 1e-5);
  for (auto m = rows.rbegin(); m != rows.rend(); ++m) other.learn(product(*m), static_cast<double>(*m) * 1e-8 + 1e-5);
  while (const auto target = one.next(any)) {
    ASSERT_EQ(other.next(any), target);
    one.learn(*target, 1e-5);
    other.learn(*target, 1e-5);
  }
  EXPECT_FALSE(other.next(any));
}

TEST(GridPlanner, AsksForNothingTwiceAndForAllInTheEnd) {
  GridPlanner planner(products());
  std::vector<std::int64_t> asked;
  while (const auto target = planner.next(any)) {
    asked.push_back(target->shape.m);
    target->shape.m % 3 == 1 ? planner.give_up(*target) : planner.learn(*target, 1e-5);
  }
  std::ranges::sort(asked);
  EXPECT_THAT(asked, testing::ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096));
}

// Of two sizes as far from what is known, the cheaper one; and nothing that is expected to cost more than is left.
TEST(GridPlanner, WeighsWhatATargetCosts) {
  GridPlanner planner(products());
  planner.learn(product(1), 1e-3);
  planner.learn(product(4096), 64e-3);
  planner.learn(product(64), 1e-3);  // the knee, in the middle
  EXPECT_LT(next_m(planner), 64);
  EXPECT_FALSE(planner.next(0.09));  // 50 ms to prepare and 50 calls of a millisecond or more
  EXPECT_NEAR(planner.expected_cost_s(product(64)), 0.05 + 50 * 1e-3, 1e-12);
}

TEST(StandardSeries, AreKnownOperatorsWithinReach) {
  GridPlanner planner(standard_series());
  EXPECT_GT(planner.targets(), 1000u);
  for (const Series& series : standard_series()) {
    EXPECT_NE(operator_kind(series.like.op), nullptr) << series.like.op;
    for (const SeriesAxis& axis : series.axes) EXPECT_TRUE(std::ranges::is_sorted(axis.values));
  }
}

}  // namespace servecast::planner_test
