#include "sim/plan/judge/hour_cost.h"

#include <gtest/gtest.h>

#include "sim/plan/judge/sizer.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::hour_cost_test {

constexpr const char* one_design =
    "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
    "space: [{name: replicas, path: 'pools[0].replicas', values: [2]}]\n";

/// Half an hour at 3 kW, with a bill beside the GPUs' line.
Summary half_an_hour() {
  Summary run{.duration_s = 1800};
  run.energy.j_total = 3000.0 * 1800;
  run.gateway.bill = {{.item = "GPUs", .usd = 7},
                      {.item = "retrieval", .usd = 1},
                      {.item = "API far", .usd = 2},
                      {.item = "all", .usd = 10}};
  return run;
}

HourCost cost_of(const std::string& below_base, const Summary& run) {
  const StudyFile file(below_base + one_design);
  const Study study = file.load();
  Sizer sizer(study);
  return hour_cost(study, sizer.size(enumerate(study).front()), run);
}

TEST(HourCost, AddsBillsToTheMachines) {
  EXPECT_EQ(outside_usd_per_hour(Summary{.duration_s = 1800}), 0);
  const HourCost cost = cost_of("", half_an_hour());
  EXPECT_DOUBLE_EQ(cost.machines_usd, 5);  // two H100 at 2.50 dollars
  EXPECT_DOUBLE_EQ(cost.outside_usd, 6);   // 3 dollars in half an hour
  EXPECT_DOUBLE_EQ(cost.usd(), 11);
}

TEST(HourCost, AddsElectricityThatIsPaidBesideRent) {
  // 3 kW, a tenth more at the meter, 20 cents: 66 cents an hour.
  const HourCost cost = cost_of("set: ['account={usd_per_kwh: 0.2, pue: 1.1}']\n", half_an_hour());
  EXPECT_DOUBLE_EQ(cost.machines_usd, 5 + 3 * 1.1 * 0.2);
}

TEST(HourCost, AddsTheSparesOfTheScenario) {
  // One node of eight H100 stands by.
  EXPECT_DOUBLE_EQ(cost_of("set: ['failures={spares: 1}']\n", half_an_hour()).machines_usd, 5 + 8 * 2.5);
}

TEST(HourCost, KnowsWhoAnswered) {
  Summary run = half_an_hour();
  EXPECT_FALSE(asks_outside(run));
  run.gateway.answered_by = {{.target = "chat", .passes = 5}, {.target = "far", .passes = 0}};
  EXPECT_FALSE(asks_outside(run));
  run.gateway.answered_by[1].passes = 1;
  EXPECT_TRUE(asks_outside(run));
}

}  // namespace servecast::hour_cost_test
