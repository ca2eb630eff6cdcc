#include "sim/plan/search/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/judge/sizer.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::runs_test {

/// Every request is served within its bounds, and makes one token: none has a TPOT.
class AllWithin final : public Evaluator {
 public:
  std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override {
    Summary run{.duration_s = 100, .requests = {.arrived = 100, .completed = 100}};
    run.slo.attained_fraction = 1;
    return std::vector<RunResult>(requests.size(), {.key = "k", .summary = run, .failure = {}});
  }
};

std::string why(const std::string& objective) {
  const StudyFile file("set: ['slo={ttft_s: 1, target_fraction: 0.95}']\nobjectives: [" + objective +
                       "]\nspace: [{name: replicas, path: 'pools[0].replicas', values: [1]}]\n");
  const Study study = file.load();
  Sizer sizer(study);
  AllWithin evaluator;
  Runs runs(sizer, evaluator);
  const SizedDesign sized = sizer.size(enumerate(study).front());
  const std::vector<DrawRequest> request{{&sized, 0}};
  const DrawOutcome outcome = runs.judge(request).front();
  EXPECT_TRUE(outcome.kept);
  return outcome.why;
}

TEST(Runs, SayWhatCameOfAPromiseThatNothingIsWrongWith) {
  EXPECT_THAT(why("{metric: attained_fraction, at_least: 0.95}"), testing::EndsWith(" within the SLO: 100.0 %"));
  EXPECT_EQ(why("{metric: tpot_s, percentile: 99, at_most: 0.05}"), "TPOT p99 <= 50.0 ms: no request has any");
  EXPECT_EQ(why("{metric: requests.completed, at_least: 100}"), "requests.completed >= 100: 100");
  EXPECT_EQ(why("{metric: cost.usd_per_hour, at_most: 4}"), "cost per hour <= $4.00: $0");
}

}  // namespace servecast::runs_test
