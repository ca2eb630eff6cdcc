#include <gtest/gtest.h>

#include "models/hw/power_cost/cost.h"
#include "models/hw/power_cost/power.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::power_cost_test {

// idle 100, prefill 500, decode 300. A quarter arithmetic: 100 + .25 x 400 + .75 x 200 = 350.
TEST(Power, IsSharedByWhatBounds) {
  const PowerDraw power = made_up_gpu().power;
  EXPECT_DOUBLE_EQ(step_power_w(power, {.seconds = 4, .compute_s = 1}, 1000), 350);
  EXPECT_DOUBLE_EQ(step_power_w(power, {.seconds = 4, .compute_s = 4}, 1000), 500);
  EXPECT_DOUBLE_EQ(step_power_w(power, {.seconds = 4, .compute_s = 0}, 1000), 300);
  EXPECT_DOUBLE_EQ(step_power_w(power, {.seconds = 4, .compute_s = 4}, 320), 320);  // capped
}

// (150 - 100) / (500 - 100) = 1/8: half the clock. At or above 500 nothing changes.
TEST(Power, CapLowersTheClockByTheCubeRoot) {
  const PowerDraw power = made_up_gpu().power;
  EXPECT_NEAR(clock_fraction(power, 150), 0.5, 1e-12);
  EXPECT_EQ(clock_fraction(power, 500), 1);
  EXPECT_EQ(clock_fraction(power, 600), 1);
}

TEST(Power, OnlyArithmeticSlowsDown) {
  const StageTime t = at_clock({.seconds = 10, .compute_s = 4}, 0.5);
  EXPECT_DOUBLE_EQ(t.seconds, 14);
  EXPECT_DOUBLE_EQ(t.compute_s, 8);
}

// Splitwise (ISCA'24), H100 at half of 700 W: prompts about 1.3 times as long. (350 - 75) / 625 = 0.44, root 0.7606.
TEST(Power, MatchesTheMeasuredCapOfAnH100) {
  const PowerDraw h100{.idle_w = 75, .prefill_w = 700, .decode_w = 380, .tdp_w = 700, .cap_w = 700};
  EXPECT_NEAR(1 / clock_fraction(h100, 350), 1.31, 0.01);
}

TEST(Power, NodeOverheadIsShared) {
  Node node;
  node.gpus = 8;
  node.overhead_w = 2800;
  EXPECT_DOUBLE_EQ(overhead_w_per_gpu(node), 350);
}

// 4 GPUs at 2.5 USD for half an hour: 5 USD; over 2 million tokens 2.5 per million.
TEST(Cost, RentAndPricePerToken) {
  EXPECT_DOUBLE_EQ(rent_usd(2.5, 4, 1800), 5);
  EXPECT_DOUBLE_EQ(usd_per_million_tokens(5, 2'000'000), 2.5);
  EXPECT_DOUBLE_EQ(energy_usd(7.2e6, 0.1), 0.2);  // 2 kWh
}

TEST(Cost, OwningSpreadsThePurchaseAndPaysForPower) {
  EXPECT_DOUBLE_EQ(owned_usd_per_hour(8766, 365.25 * 86400), 1);  // a year has 8,766 hours
  EXPECT_DOUBLE_EQ(power_usd_per_hour(2000, 1.5, 0.1), 0.3);      // 3 kWh
}

TEST(Cost, SparesKeepEnoughMachinesUp) {
  EXPECT_DOUBLE_EQ(available_fraction(99, 1), 0.99);
  // One machine: 0.99. One of two: 1 - 0.01^2 = 0.9999.
  EXPECT_EQ(spare_machines(1, 0.99, 0.98), 0);
  EXPECT_EQ(spare_machines(1, 0.99, 0.999), 1);
  EXPECT_EQ(spare_machines(1, 0.99, 0.99995), 2);
  EXPECT_EQ(spare_machines(10, 1, 0.9999), 0);  // nothing ever fails
}

}  // namespace servecast::power_cost_test
