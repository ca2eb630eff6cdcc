// SpecEE beside its published figures (sim/reproduce/systems/s15_spec_ee.cpp): batches, and where layers lie.
#include "tests/unit/papers/papers.h"

namespace servecast::s15_test {

double tokens_per_s(const std::string& scenario, const std::vector<Override>& overrides) {
  return 1 / PaperRun(paper(scenario, overrides)).summary.latencies.tpot_s->mean;
}

const std::vector<Override> plain{{"pools[0].early_exit", "{policy: none}"}};

/// Tokens per second with and without early exit.
double speed_up(const std::string& scenario, std::vector<Override> overrides) {
  const double with = tokens_per_s(scenario, overrides);
  std::erase_if(overrides, [](const Override& o) { return o.path.starts_with("pools[0].early_exit."); });
  overrides.insert(overrides.end(), plain.begin(), plain.end());
  return with / tokens_per_s(scenario, overrides);
}

// A batch runs to the deepest of its exits: with eight sequences little is left.
TEST(S15, ABatchRunsToItsDeepestExit) {
  const auto with = [](const std::string& clients) {
    return speed_up("s15_spec_ee", {{"workload.generate.arrivals.closed_loop.clients", clients}});
  };
  const double one = with("1");
  const double two = with("2");
  const double eight = with("8");
  EXPECT_GT(one, two);
  EXPECT_GT(two, eight);
  EXPECT_LT(eight, 1.05);
}

// Split as llama.cpp does, the first layers on the CPU: leaving early saves the GPU's layers only, which were cheap.
TEST(S15, WithTheFirstLayersOnTheCpuLittleIsGained) {
  const double now = speed_up("s15_spec_ee_laptop",
                              {{"pools[0].host_layers.which", "first"}, {"pools[0].early_exit.predictor_s", "0"}});
  RecordProperty("speed_up", std::to_string(now));
  EXPECT_GT(now, 1.0);
  EXPECT_LT(now, 1.15);
}

TEST(S15, ReportSaysHowDeepStepsGoAndWhatItCostsInAnswers) {
  const Summary summary = PaperRun(paper("s15_spec_ee")).summary;
  ASSERT_EQ(summary.early_exits.size(), 1u);
  EXPECT_NEAR(summary.early_exits[0].layers_per_step, 23.22, 0.2);
  EXPECT_NEAR(*summary.early_exits[0].lost_points, (0.66 + 0.17 + 0.35 + 0.62) / 4, 1e-9);
}

}  // namespace servecast::s15_test
