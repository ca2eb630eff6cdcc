// Runs that go on and get nowhere are ended.
#include "sim/engine/time/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::watchdog_test {

using testing::HasSubstr;

void idle(Watchdog& dog, std::int64_t turns, bool waits, double& now_s) {
  for (std::int64_t i = 0; i < turns; ++i)
    if (dog.stands_still(now_s += 1, 7)) dog.count(waits);
}

TEST(Watchdog, TurnsInWhichNothingGetsOnCount) {
  Watchdog dog;
  double now_s = 0;
  idle(dog, Watchdog::most_idle_turns, false, now_s);  // the first of them notices what came before
  EXPECT_FALSE(dog.ends());
  idle(dog, 1, false, now_s);
  EXPECT_TRUE(dog.ends());
}

TEST(Watchdog, WaitingDoesNot) {
  Watchdog dog;
  double now_s = 0;
  idle(dog, 3 * Watchdog::most_idle_turns, true, now_s);
  EXPECT_FALSE(dog.lists());
}

TEST(Watchdog, ProgressStartsItAnew) {
  Watchdog dog;
  double now_s = 0;
  idle(dog, Watchdog::most_idle_turns - 1, false, now_s);
  EXPECT_TRUE(dog.lists());
  EXPECT_FALSE(dog.stands_still(now_s += 1, 8));
  EXPECT_FALSE(dog.lists());
}

TEST(Watchdog, AnInstantMayHaveManyTurnsButNotForEver) {
  Watchdog dog;
  std::int64_t progress = 0;
  dog.stands_still(5, ++progress);
  for (std::int64_t i = 0; i < Watchdog::most_instant_turns; ++i) {
    EXPECT_FALSE(dog.ends());
    EXPECT_TRUE(dog.stands_still(5, ++progress));
  }
  EXPECT_TRUE(dog.ends());
  EXPECT_THAT(dog.report(), HasSubstr("this instant does not end"));
}

TEST(Watchdog, ProgressAmongTurnsOfAnInstantIsSeenAtTheNext) {
  Watchdog dog;
  dog.stands_still(1, 0);
  dog.stands_still(1, 3);
  EXPECT_FALSE(dog.stands_still(2, 3));
  EXPECT_TRUE(dog.stands_still(3, 3));
}

/// Its one replica fails about every second and takes an hour to start: the second request is never served.
const std::string never_serves = R"(
name: never serves
seed: 5
workload:
  generate:
    requests: 2
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 100000}
cluster: {node: dgx_h100}
pools: [{name: slow, llm: llama-3.1-8b, gpu: h100_sxm_80g}]
failures:
  engine_init_s: 3600
  rates: [{part: gpu, mtbf_s: 1, mttr_s: 1}]
)";

std::string end_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  return in_child([&] {
    try {
      Scenario scenario = scenario_from(text, overrides);
      const Finished done = run_it(scenario);
      return std::string("ends after ") + std::to_string(done.facts.duration_s);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  });
}

TEST(Watchdog, BreaksCountFromWhenTheRunLastGotOn) {
  Watchdog dog;
  for (std::int64_t i = 1; i < Watchdog::most_idle_breaks; ++i) EXPECT_FALSE(dog.breaks_in_vain(7));
  EXPECT_FALSE(dog.breaks_in_vain(8));
  for (std::int64_t i = 2; i < Watchdog::most_idle_breaks; ++i) EXPECT_FALSE(dog.breaks_in_vain(8));
  EXPECT_TRUE(dog.breaks_in_vain(8));
}

TEST(Watchdog, EndsARunWhoseReplicaBreaksSoonerThanItStarts) {
  EXPECT_THAT(end_of(never_serves), testing::StartsWith("ends after "));
}

TEST(Watchdog, LeavesARunThatHasAnEnd) {
  EXPECT_EQ(end_of(never_serves, {{"until_s", "30000"}}), "ends after 30000.000000");
}

}  // namespace servecast::watchdog_test
