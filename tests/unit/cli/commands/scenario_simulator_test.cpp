#include "sim/cli/runs/scenario_simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/runs/evaluator.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::scenario_simulator_test {

using testing::HasSubstr;
using testing::Not;

class Simulate : public testing::Test {
 protected:
  TestFolder folder_{};
  std::string file_ = folder_.write("small.yaml", small_scenario);
  /// As a child of a process that remembers this.
  LoadedRun load(const std::string& learned, const RunRequest& request) const {
    ScenarioSimulator simulator;
    simulator.remember(learned);
    return simulator.load(request);
  }
};

// Reading the kernel profile is three quarters of the work of a short run: it is read once for a GPU, not once for a
// run.
TEST_F(Simulate, what_one_run_has_read_the_next_ones_do_not_read) {
  const LoadedRun first = load("", {.scenario = file_});
  EXPECT_THAT(first.learned, HasSubstr("p"));
  EXPECT_THAT(first.learned, HasSubstr("h100_sxm_80g.vllm.yaml"));
  const LoadedRun second = load(first.learned, {.scenario = file_, .set = {"pools[0].replicas=3"}});
  EXPECT_EQ(second.learned, "");
  const LoadedRun other = load(first.learned, {.scenario = file_, .set = {"pools[0].gpu=a100_sxm_80g"}});
  EXPECT_THAT(other.learned, HasSubstr("a100_sxm_80g"));
  EXPECT_THAT(other.learned, Not(HasSubstr("h100_sxm_80g.vllm")));
}

TEST_F(Simulate, a_key_stands_for_all_that_a_run_rests_on) {
  const std::string key = load("", {.scenario = file_}).key;
  EXPECT_EQ(load(load("", {.scenario = file_}).learned, {.scenario = file_}).key, key);
  EXPECT_EQ(load("", {.scenario = folder_.write("copy.yaml", "# the same\n" + small_scenario)}).key, key);
  EXPECT_EQ(load("", {.scenario = file_, .seed = 3, .calibration_draw = 0}).key, key);  // as it says itself
  const std::vector<RunRequest> others{{.scenario = file_, .seed = 4},
                                       {.scenario = file_, .calibration_draw = 1},
                                       {.scenario = file_, .first_requests = 10},
                                       {.scenario = file_, .set = {"slo.ttft_s=2"}},
                                       {.scenario = file_, .set = {"gpus.h100_sxm_80g.hbm_bytes_per_s=3e12"}}};
  for (const RunRequest& other : others) EXPECT_NE(load("", other).key, key);
  EXPECT_EQ(load("", {.scenario = file_, .set = {"gpus.h100_sxm_80g.hbm_bytes_per_s=3350e9"}}).key, key);  // as it is
}

/// With the same name and the same files the key is the same, so the scenario need not be loaded.
TEST_F(Simulate, a_name_stands_for_a_request) {
  const RunRequest request{.scenario = file_, .set = {"slo.ttft_s=2"}, .seed = 4};
  const std::string name = ScenarioSimulator().name(request);
  ScenarioSimulator simulator;
  EXPECT_EQ(simulator.name(request), name);
  RunRequest other = request;
  for (const auto& change : {+[](RunRequest& r) { r.set = {"slo.ttft_s=3"}; }, +[](RunRequest& r) { r.seed = 5; },
                             +[](RunRequest& r) { r.seed.reset(), r.calibration_draw = 4; },
                             +[](RunRequest& r) { r.first_requests = 4; }}) {
    other = request;
    change(other);
    EXPECT_NE(simulator.name(other), name);
  }
  folder_.write("small.yaml", small_scenario + "# a comment\n");
  EXPECT_NE(simulator.name(request), name);
}

/// A file that appears where one was looked for first is a change as well.
TEST_F(Simulate, what_a_run_rests_on_is_still_so_until_a_file_changes_or_appears) {
  const std::string bundled = std::string(SERVECAST_SOURCE_DIR) + "/scenarios/hw/gpus/h100_sxm_80g.yaml";
  const std::string gpu = folder_.write("own_gpu.yaml", text_of(bundled));
  const LoadedRun loaded = load("", {.scenario = file_, .set = {"pools[0].gpu=" + gpu}});
  ScenarioSimulator simulator;
  EXPECT_TRUE(simulator.still(loaded.rests_on));
  EXPECT_THAT(loaded.rests_on, HasSubstr(gpu));
  EXPECT_THAT(loaded.rests_on, HasSubstr("- "));  // no profile is called after this GPU
  folder_.write("own_gpu.yaml", text_of(bundled) + "# changed\n");
  EXPECT_FALSE(simulator.still(loaded.rests_on));
  const std::string missing = folder_ / "later.yaml";
  EXPECT_TRUE(simulator.still("- " + missing + "\n"));
  folder_.write("later.yaml", "a: 1\n");
  EXPECT_FALSE(simulator.still("- " + missing + "\n"));
}

TEST_F(Simulate, a_changed_profile_is_another_run_and_read_anew) {
  const std::string bundled = std::string(SERVECAST_SOURCE_DIR) + "/scenarios/hw/profiles/h100_sxm_80g.vllm.yaml";
  const std::string profile = folder_.write("own.yaml", text_of(bundled));
  const RunRequest request{.scenario = file_, .set = {"pools[0].latency.profile=" + profile}};
  const LoadedRun first = load("", request);
  ScenarioSimulator simulator;
  simulator.remember(first.learned);
  folder_.write("own.yaml", text_of(bundled) + "\n# changed\n");
  const LoadedRun second = simulator.load(request);
  EXPECT_NE(second.key, first.key);
  EXPECT_THAT(second.learned, HasSubstr("own.yaml"));
}

}  // namespace servecast::scenario_simulator_test
