// What a fault of the program says, and that a run can be ended.
#include "sim/engine/time/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cassert>

#include "tests/unit/engine/scenario_text.h"

namespace servecast::fault_test {

using testing::HasSubstr;
using testing::StartsWith;

const std::string place = "scenario 'small chat', seed 1, at ";

/// Goes wrong in the middle of the run, called by whatever is at work then.
struct GoesWrong final : DetailListener {
  explicit GoesWrong(bool asserts) : asserts_(asserts) {}
  bool wants_step(double start_s) override {
    if (start_s < 5) return false;
    if (asserts_) assert(start_s < 5);
    throw std::logic_error("a step too many");
  }

 private:
  bool asserts_;
};

TEST(Fault, AnExceptionLeavesTheEngineWithItsPlace) {
  Scenario scenario = scenario_from(small_chat);
  GoesWrong detail(false);
  try {
    run_it(scenario, {.detail = &detail});
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), StartsWith(place));
    EXPECT_THAT(error.what(), HasSubstr("s of simulated time: a step too many"));
  }
}

TEST(Fault, AFailedAssertNamesTheRunAndEndsTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto run_wrong = [] {
    Scenario scenario = scenario_from(small_chat);
    GoesWrong detail(true);
    run_it(scenario, {.detail = &detail});
  };
  EXPECT_EXIT(run_wrong(), testing::ExitedWithCode(1), place + "[0-9.]+ s of simulated time");
}

TEST(Fault, ARunIsAskedToStopInEveryStretchOfSteps) {  // far fewer requests than progress is reported at
  Scenario scenario = scenario_from(small_chat, {{"workload.generate.requests", "20"}});
  int asked = 0;
  EXPECT_THROW(run_it(scenario, {.stop = [&] { return ++asked == 3; }}), CutShort);
  EXPECT_EQ(asked, 3);
}

}  // namespace servecast::fault_test
