// BuddyMoE beside its published figures (sim/reproduce/systems/s16_buddymoe.cpp): what is lost, and what waits.
#include "tests/unit/papers/papers.h"

namespace servecast::s16_test {

struct Result {
  double tokens_per_s = 0;
  ExpertSummary experts{};
};

Result run_with(const std::string& miss, const std::string& cache_fraction, std::vector<Override> more = {}) {
  more.push_back({"pools[0].expert_offload.miss.policy", miss});
  more.push_back({"pools[0].expert_offload.cache_fraction", cache_fraction});
  const PaperRun run(paper("s16_buddymoe", more));
  return {.tokens_per_s = 1 / run.summary.latencies.tpot_s->mean, .experts = run.summary.expert_offload.at(0)};
}

// The shares that models/policy/experts/accuracy_lost.h was fitted on; and tau and beta move what is lost.
TEST(S16, TheShareReplacedSaysWhatIsLost) {
  const std::vector<Override> ahead{{"pools[0].expert_offload.prefetch.policy", "gate_lookahead"},
                                    {"pools[0].expert_offload.late_guesses", "drop"},
                                    {"workload.generate.requests", "8"}};
  const auto with = [&](const std::string& key, const std::string& value) {
    std::vector<Override> more = ahead;
    more.push_back({"pools[0].expert_offload.miss." + key, value});
    return run_with("buddy", "0.75", more).experts;
  };
  const ExpertSummary random = run_with("random", "0.75", ahead).experts;
  const ExpertSummary buddies = run_with("buddy", "0.75", ahead).experts;
  EXPECT_NEAR(random.unlike_gate_fraction, 0.098, 0.003);
  EXPECT_NEAR(buddies.substituted_gate_fraction, 0.030, 0.002);
  EXPECT_NEAR(buddies.unlike_gate_fraction, 0.0044, 0.0005);
  EXPECT_NEAR(buddies.quality_lost_fraction, 0.04, 0.01) << "published: .735 to .695";
  EXPECT_GE(buddies.worst_layer_gate_fraction, buddies.substituted_gate_fraction);
  EXPECT_GT(with("tau", "0.5").quality_lost_fraction, 1.5 * buddies.quality_lost_fraction);
  EXPECT_LT(with("tau", "0.99").quality_lost_fraction, 0.5 * buddies.quality_lost_fraction);
  EXPECT_LT(with("beta", "0.1").quality_lost_fraction, 0.9 * buddies.quality_lost_fraction);
}

// Skipping and random stand-ins wait for nothing, whatever is loaded ahead.
TEST(S16, LookingAheadSlowsNoPolicyThatNeedNotWait) {
  for (const std::string miss : {"random", "skip"})
    for (const std::string prefetch : {"gate_lookahead", "previous_token", "co_activation", "whole_layer"}) {
      const std::vector<Override> few{{"workload.generate.requests", "1"}};
      std::vector<Override> ahead = few;
      ahead.push_back({"pools[0].expert_offload.prefetch.policy", prefetch});
      EXPECT_GE(run_with(miss, "0.5", ahead).tokens_per_s, 0.999 * run_with(miss, "0.5", few).tokens_per_s)
          << miss << " with " << prefetch;
    }
}

TEST(S16, ZeroLossReplacesNothing) {
  const PaperRun run(paper("s16_buddymoe", {{"pools[0].expert_offload.miss.policy", "buddy"},
                                            {"pools[0].expert_offload.miss.zero_loss", "true"}}));
  EXPECT_EQ(run.summary.expert_offload.at(0).substituted_fraction, 0);
  EXPECT_EQ(run.summary.expert_offload.at(0).quality_lost_fraction, 0.0);
}

}  // namespace servecast::s16_test
