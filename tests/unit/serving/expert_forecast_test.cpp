// What is known of loads when a layer starts, by hand.
#include "sim/serving/resources/expert_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servecast::expert_forecast_test {

constexpr OwnLinks::Rates ten_per_s{.host_bytes_per_s = 10, .disk_bytes_per_s = 2, .streams = 1};
constexpr ExpertId one{1}, two{2}, three{3};

ExpertLoad load(std::size_t layer, ExpertId expert, double bytes) {
  return {.step = 1, .layer = layer, .expert = expert, .bytes = bytes};
}

/// The first layer's gate is at 1 and it ends at 3; from its gate on three guesses of 10 bytes for the second are
/// copied one after the other: there at 2, 3 and 4.
ExpertForecast with_guesses() {
  ExpertForecast forecast(ten_per_s, 1);
  forecast.to_gate(1);
  ExpertLayerWork first{.groups = {{.resident_s = 2}}};
  first.loads = {load(1, one, 10), load(1, two, 10), load(1, three, 10)};
  forecast.compute(first, 0, std::vector<double>(4));
  return forecast;
}

TEST(ExpertForecast, KnowsAtTheGateWhoIsThereAndHowLongTheOthersTake) {
  ExpertForecast forecast = with_guesses();
  ExpertForecast sooner = forecast;
  forecast.to_gate(0.5);  // 3.5
  EXPECT_TRUE(forecast.here(1, one));
  EXPECT_TRUE(forecast.here(1, two));
  EXPECT_FALSE(forecast.here(1, three));
  EXPECT_FALSE(forecast.waits(1, three)) << "its copy has begun";
  EXPECT_FALSE(forecast.here(0, one)) << "that is another layer's";
  const auto ahead = forecast.outlook(1, 4);
  EXPECT_THAT(ahead.left_s, testing::ElementsAre(ExpertForecast::infinity, ExpertForecast::infinity,
                                                 ExpertForecast::infinity, testing::DoubleEq(0.5)));
  EXPECT_DOUBLE_EQ(ahead.link_free_s[0], 0.5);
  sooner.to_gate(0);  // 3
  EXPECT_TRUE(sooner.here(1, two)) << "at the very instant";
}

TEST(ExpertForecast, WhatWaitsForItsTurnCanBeDropped) {
  ExpertForecast forecast(ten_per_s, 1);
  forecast.to_gate(1);
  ExpertLayerWork first{.groups = {{}}};
  first.loads = {load(1, one, 20), load(1, two, 10)};
  forecast.compute(first, 0, std::vector<double>(4));
  forecast.to_gate(1);  // 2: half of the first is copied
  EXPECT_TRUE(forecast.waits(1, two));
  EXPECT_DOUBLE_EQ(forecast.outlook(1, 4).left_s[2], 2);
  forecast.drop(1, two);
  EXPECT_EQ(forecast.outlook(1, 4).left_s[2], ExpertForecast::infinity);
  EXPECT_DOUBLE_EQ(forecast.outlook(1, 4).link_free_s[0], 1);
}

// It ends each layer when the timeline does: the third guess is there at 4, and computed by 4.25; a load of the
// layer's own at 5, by 5.25. Host and a guess that no token waits for make no difference.
TEST(ExpertForecast, ALayerEndsAsInTheTimeline) {
  ExpertForecast forecast = with_guesses();
  forecast.to_gate(0.5);
  ExpertLayerWork second{.host_s = 0.1, .groups = {{.resident_s = 0.25, .each_s = 0.25, .expected = 3}}};
  second.loads = {load(1, ExpertId{0}, 10), load(2, one, 5)};
  forecast.compute(second, 1, {1, 0, 1, 1});  // of the guesses, the second and the third
  forecast.to_gate(0);                        // 5.25
  EXPECT_FALSE(forecast.here(2, one));
  EXPECT_DOUBLE_EQ(forecast.outlook(2, 4).left_s[1], 0.25) << "begun at 5";
}

// Two groups of GPUs have links of their own, and the slower one counts.
TEST(ExpertForecast, GroupsCopySideBySide) {
  ExpertForecast forecast(ten_per_s, 2);
  ExpertLayerWork first{.groups = {{.expected = 1}, {.expected = 1}}};
  first.loads = {load(0, one, 10), load(0, two, 30)};
  first.loads[1].group = 1;
  forecast.compute(first, 0, {0, 1, 1, 0});
  ExpertLayerWork next{.groups = {{}, {}}};
  next.loads = {load(2, one, 10)};
  forecast.to_gate(0);  // 3
  forecast.compute(next, 1, std::vector<double>(4));
  forecast.to_gate(0.4);
  EXPECT_NEAR(forecast.outlook(2, 4).left_s[1], 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(forecast.outlook(2, 4).link_free_s[1], 0);
}

}  // namespace servecast::expert_forecast_test
