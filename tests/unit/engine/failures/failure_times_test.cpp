// When things break.
#include "sim/engine/failures/failure_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace servecast::failure_times_test {

using Kind = BreakablePart::Kind;

std::vector<BreakablePart> nodes(std::int64_t count) {
  std::vector<BreakablePart> parts;
  for (std::int64_t i = 0; i < count; ++i) parts.push_back({.kind = Kind::node, .node = i});
  return parts;
}

// Availability MTBF / (MTBF + MTTR) = 100 / 125. Of an alternating process with exponential times the share of time
// up during T has the variance 2 A (1 - A) / (1/100 + 1/25) / T: over 200 nodes and 100,000 s a deviation of 0.00057.
TEST(FailureTimes, AreWholeForTheShareOfTheFormula) {
  constexpr double until_s = 100'000;
  FailureTimes times(1);
  times.add({.part = "node", .mtbf_s = 100, .mttr_s = 25}, nodes(200));
  std::map<BreakablePart, double> since;
  double down_s = 0;
  while (times.next_s() < until_s) {
    const PartChange change = times.take();
    if (change.begins) {
      EXPECT_FALSE(since.contains(change.part));
      since[change.part] = change.at_s;
    } else {
      down_s += change.at_s - since.at(change.part);
      since.erase(change.part);
    }
  }
  for (const auto& [part, from_s] : since) down_s += until_s - from_s;
  EXPECT_NEAR(1 - down_s / (200 * until_s), 100.0 / 125, 4 * 0.00057);
}

// 6.5 in 1,000 node-days: of 10,000 nodes in 100 days 6,500 fail, give or take sqrt(6500) = 81.
TEST(FailureTimes, NodesFailAsOftenAsPublished) {
  FailureTimes times(1);
  times.add({.part = "node", .mttr_s = 1}, nodes(10'000));
  std::int64_t failures = 0;
  while (times.next_s() < 100 * 86'400.0) failures += times.take().begins;
  EXPECT_NEAR(static_cast<double>(failures), 6500, 4 * 81);
}

TEST(FailureTimes, OneKindsTimesDoNotDependOnAnothers) {
  const auto first_node = [](bool with_gpus) {
    FailureTimes times(7);
    if (with_gpus) times.add({.part = "gpu", .mtbf_s = 10, .mttr_s = 1}, {{.kind = Kind::gpu}});
    times.add({.part = "node", .mtbf_s = 1000, .mttr_s = 1}, nodes(3));
    for (;;) {
      const PartChange change = times.take();
      if (change.part.kind == Kind::node) return change.at_s;
    }
  };
  EXPECT_EQ(first_node(true), first_node(false));
}

TEST(FailureTimes, AScriptIsPlayedInOrder) {
  FailureTimes times(1);
  times.add({.at_s = 5, .node = 1, .nic = 2, .down_s = 2});
  times.add({.at_s = 3, .replica = 4, .slow_s = 10, .step_time_factor = 2});
  const PartChange slow = times.take();
  EXPECT_EQ(slow.part, (BreakablePart{.kind = Kind::replica, .number = 4}));
  EXPECT_TRUE(slow.slow && slow.slow->step_time_factor == 2);
  EXPECT_EQ(times.take().part, (BreakablePart{.kind = Kind::nic, .node = 1, .number = 2}));
  const PartChange repaired = times.take();
  EXPECT_TRUE(!repaired.begins && repaired.at_s == 7 && !repaired.slow);
  EXPECT_EQ(times.take().at_s, 13);
  EXPECT_EQ(times.next_s(), std::numeric_limits<double>::infinity());
}

}  // namespace servecast::failure_times_test
