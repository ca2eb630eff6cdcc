// How long a step takes that waits for experts, by hand; and that playing it in pieces changes nothing.
#include "sim/serving/resources/expert_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/rng.h"

namespace servecast::expert_timeline_test {

ExpertLoad load(std::size_t layer, double bytes, bool from_disk = false, bool needed = true) {
  return {.step = 1, .layer = layer, .from_disk = from_disk, .bytes = bytes, .needed = needed};
}

double played(const std::vector<ExpertLayerWork>& layers, const OwnLinks::Rates& rates, double start_s = 0) {
  ExpertTimeline step;
  std::vector<OwnLinks> links{OwnLinks(rates)};
  links[0].move_to(start_s);
  step.start(layers, start_s);
  return play(step, links, 1, ExpertTimeline::infinity).value();
}

constexpr OwnLinks::Rates ten_per_s{.host_bytes_per_s = 10, .disk_bytes_per_s = 2, .streams = 1};

TEST(ExpertTimeline, WithAllExpertsThereTakesWhatItsLayersTake) {
  const std::vector<ExpertLayerWork> layers(3, {.before_s = 2, .groups = {{.resident_s = 1}}});
  EXPECT_DOUBLE_EQ(played(layers, ten_per_s), 9);
  EXPECT_DOUBLE_EQ(played(layers, ten_per_s, 100), 109);
}

TEST(ExpertTimeline, WaitsForEachLoadInTurnAndThenComputesIt) {
  // Gate at 2; loads of 10 bytes end at 3 and 4. The resident experts are done at 2.5, the first late one at 3.25,
  // the second at 4.25.
  ExpertLayerWork layer{.before_s = 2, .groups = {{.resident_s = 0.5, .each_s = 0.25, .expected = 2}}};
  layer.loads = {load(0, 10), load(0, 10)};
  EXPECT_DOUBLE_EQ(played({layer}, ten_per_s), 4.25);
  // Two streams share the link: both end at 4.
  OwnLinks::Rates two = ten_per_s;
  two.streams = 2;
  EXPECT_DOUBLE_EQ(played({layer}, two), 4.5);
  // The host is busy until 2 + 3.
  layer.host_s = 3;
  EXPECT_DOUBLE_EQ(played({layer}, ten_per_s), 5);
}

TEST(ExpertTimeline, APrefetchHidesBehindTheLayerBefore) {
  // Wanted at the first gate (1), there at 3; the first layer ends at 1 + 4, the second's gate is at 6.
  ExpertLayerWork first{.before_s = 1, .groups = {{.resident_s = 4}}};
  first.loads = {load(1, 20)};
  const ExpertLayerWork second{.before_s = 1, .groups = {{.resident_s = 1, .each_s = 0.5, .expected = 1}}};
  EXPECT_DOUBLE_EQ(played({first, second}, ten_per_s), 7.5);
  // Wrong guesses before it: 20 bytes each in vain, so it is there at 7 instead, and computed by 7.5.
  first.loads = {load(1, 20, false, false), load(1, 20, false, false), load(1, 20)};
  EXPECT_DOUBLE_EQ(played({first, second}, ten_per_s), 7.5);
  // One more: there at 9.
  first.loads.insert(first.loads.begin(), load(1, 20, false, false));
  EXPECT_DOUBLE_EQ(played({first, second}, ten_per_s), 9.5);
}

TEST(ExpertTimeline, TheDiskIsSlowerAndLeavesTheRestOfTheLink) {
  ExpertLayerWork layer{.groups = {{.expected = 2}}};
  layer.loads = {load(0, 10, true), load(0, 16)};
  EXPECT_DOUBLE_EQ(played({layer}, ten_per_s), 5 + 1.6) << "one after the other: 10 / 2, then 16 / 10";
  OwnLinks::Rates two = ten_per_s;
  two.streams = 2;
  // Side by side: the disk gives 2, which leaves 8: the second is there at 2, the first at 5.
  EXPECT_DOUBLE_EQ(played({layer}, two), 5);
}

TEST(ExpertTimeline, WhatIsLeftOfOneStepTakesTheLinkFromTheNext) {
  ExpertTimeline step;
  std::vector<OwnLinks> links{OwnLinks(ten_per_s)};
  ExpertLayerWork guesses{.before_s = 1};
  guesses.loads = {load(0, 20, false, false)};
  const std::vector<ExpertLayerWork> first{guesses};
  step.start(first, 0);
  EXPECT_DOUBLE_EQ(play(step, links, 1, ExpertTimeline::infinity).value(), 1);
  ExpertLayerWork wants{.groups = {{.expected = 1}}};
  wants.loads = {load(0, 10)};
  wants.loads.front().step = 2;
  const std::vector<ExpertLayerWork> second{wants};
  step.start(second, 1);
  EXPECT_DOUBLE_EQ(play(step, links, 2, ExpertTimeline::infinity).value(), 4) << "until 3 the wrong guess is copied";
}

// Two groups of GPUs, each with a link of its own: the first has its two experts at 1 and 2, the second its one at 3.
TEST(ExpertTimeline, WaitsForTheSlowestGroup) {
  ExpertLayerWork layer{.groups = {{.each_s = 0.25, .expected = 2}, {.each_s = 1, .expected = 1}}};
  layer.loads = {load(0, 10), load(0, 10), load(0, 30)};
  layer.loads[2].group = 1;
  const std::vector<ExpertLayerWork> layers{layer};
  EXPECT_DOUBLE_EQ(layers[0].least_s(), 1);
  ExpertTimeline step;
  std::vector<OwnLinks> links(2, OwnLinks(ten_per_s));
  step.start(layers, 0);
  EXPECT_DOUBLE_EQ(play(step, links, 1, ExpertTimeline::infinity).value(), 4);
}

TEST(ExpertTimeline, InPiecesItEndsWhenItEndsInOne) {
  Rng rng(1, "steps");
  for (int round = 0; round < 200; ++round) {
    std::vector<ExpertLayerWork> layers(6);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].before_s = rng.uniform();
      layers[i].groups[0].resident_s = rng.uniform();
      layers[i].groups[0].each_s = 0.1 * rng.uniform();
      for (std::uint64_t n = rng.below(4); n > 0; --n, ++layers[i].groups[0].expected)
        layers[i].loads.push_back(load(i, 10 * rng.uniform(), rng.uniform() < 0.3));
      if (i + 1 == layers.size()) continue;
      for (std::uint64_t n = rng.below(3); n > 0; --n) {
        const bool needed = rng.uniform() < 0.7;
        layers[i].loads.push_back(load(i + 1, 10 * rng.uniform(), rng.uniform() < 0.3, needed));
        layers[i + 1].groups[0].expected += needed ? 1 : 0;
      }
    }
    const OwnLinks::Rates rates{.host_bytes_per_s = 10, .disk_bytes_per_s = 3, .streams = 1 + round % 3};
    const double whole_s = played(layers, rates);
    ExpertTimeline step;
    std::vector<OwnLinks> links{OwnLinks(rates)};
    step.start(layers, 0);
    std::optional<double> end_s;
    for (double until_s = 0; !(end_s = play(step, links, 1, until_s)); until_s += 0.37) {
    }
    EXPECT_NEAR(*end_s, whole_s, 1e-9);
    double least_s = 0;
    for (const ExpertLayerWork& layer : layers) least_s += layer.least_s();
    EXPECT_GE(whole_s, least_s - 1e-12);
  }
}

}  // namespace servecast::expert_timeline_test
