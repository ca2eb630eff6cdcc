// SpecEE's speed-ups, one sequence at a time. Asserted within 10 % where the paper's mean layers allow it; where they
// do not, that is said and asserted, too: without any cost, the ratio of layers is the most that leaving early can
// give.
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

struct Row {
  std::string name;
  std::vector<Override> changes;
  double published = 0;
};

const std::vector<Override> on_13b{{"pools[0].llm", "llama-2-13b"}};
const std::vector<Override> on_70b{{"pools[0].llm", "llama-2-70b"}, {"pools[0].pipeline_parallel", "4"}};
const std::vector<Override> on_4090{{"pools[0].gpu", "rtx_4090_24g"}, {"cluster.node", "desktop"}};

std::vector<Override> joined(std::vector<Override> a, const std::vector<Override>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const std::vector<Override> vllm{{"pools[0].engine", "vllm-0.6"}};
const std::vector<Override> awq{{"pools[0].engine", "vllm-0.6"}, {"pools[0].weights", "int4"}};

class S15Row : public testing::TestWithParam<Row> {};

INSTANTIATE_TEST_SUITE_P(WithinTheBand, S15Row,
                         testing::Values(Row{"a100_7b_hf", {}, 1.27}, Row{"a100_13b_hf", on_13b, 1.43},
                                         Row{"a100_7b_vllm", vllm, 1.12}, Row{"a100_7b_awq", awq, 1.09},
                                         Row{"rtx4090_7b_awq", joined(on_4090, awq), 1.13}),
                         [](const auto& row) { return row.param.name; });

TEST_P(S15Row, SpeedUpIsWithinTenPercent) {
  const double now = speed_up("s15_spec_ee", GetParam().changes);
  RecordProperty("speed_up", std::to_string(now));
  EXPECT_NEAR(now / GetParam().published, 1, 0.1);
}

// Speeds that the paper gives for HuggingFace beneath those: one was fitted (7B on an A100), the others follow.
TEST(S15, SpeedsOfHuggingFaceFollowFromOne) {
  EXPECT_NEAR(tokens_per_s("s15_spec_ee", plain) / (59.92 / 1.27), 1, 0.1);
  EXPECT_NEAR(tokens_per_s("s15_spec_ee", joined(on_13b, plain)) / (48.26 / 1.43), 1, 0.1);
  EXPECT_NEAR(tokens_per_s("s15_spec_ee", joined(on_70b, plain)) / (11.61 / 1.23), 1, 0.1);
  EXPECT_NEAR(tokens_per_s("s15_spec_ee", joined(on_4090, plain)) / (56.25 / 1.43), 1, 0.1);
}

// RTX 4090, 1.43 times: 32 layers against 23.1 and the draft's one is 1.33 times at most. The paper's two figures
// agree only if nothing else cost anything and the draft little. Ours: below the band.
TEST(S15, OnAnRtx4090TheMeanLayersDoNotGiveThePublishedGain) {
  const double now = speed_up("s15_spec_ee", on_4090);
  RecordProperty("speed_up", std::to_string(now));
  EXPECT_LT(now, 32 / (23.10 + 1));
  EXPECT_GT(now, 1.15);
}

// 70B, 1.23 times, and vLLM with models that leave more of their layers: the layers that are not run would give more
// than was published, so something else cost more than for 7B. Missed, above the band.
TEST(S15, LargerModelsGainMoreHereThanPublished) {
  const double hf_70b = speed_up("s15_spec_ee", on_70b);
  const double vllm_13b = speed_up("s15_spec_ee", joined(on_13b, vllm));
  RecordProperty("hf_70b", std::to_string(hf_70b));
  RecordProperty("vllm_13b", std::to_string(vllm_13b));
  EXPECT_GT(hf_70b / 1.23, 1.1);
  EXPECT_GT(vllm_13b / 1.14, 1.1);
}

// Predictors at all layers (T1) and with two-level scheduling (T2): 1.12 and 1.12 x 1.21 times on MT-bench, A100.
TEST(S15, TwoLevelSchedulingIsWhatMakesItPay) {
  const std::vector<Override> all{{"pools[0].early_exit.predictors", "all"}};
  const double t1 = speed_up("s15_spec_ee", all);
  const double t2 = speed_up("s15_spec_ee", {});
  RecordProperty("t1", std::to_string(t1));
  RecordProperty("t2", std::to_string(t2));
  EXPECT_NEAR(t1 / 1.12, 1, 0.1);
  EXPECT_NEAR(t2 / 1.355, 1, 0.1);
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

// The laptop: 1.18 times with predictors everywhere, 1.47 with two levels. Where the layers are is ours (the last 16
// on the CPU); the processor's memory rate was fitted on the speed of llama.cpp, and a predictor's time on the
// difference of the two figures: so one of the two is a forecast.
TEST(S15, LaptopWithHalfOfTheLayersOnTheCpu) {
  const double t1 = speed_up("s15_spec_ee_laptop", {{"pools[0].early_exit.predictors", "all"}});
  const double t2 = speed_up("s15_spec_ee_laptop", {});
  RecordProperty("t1", std::to_string(t1));
  RecordProperty("t2", std::to_string(t2));
  EXPECT_NEAR(t1 / 1.18, 1, 0.1);
  EXPECT_NEAR(t2 / 1.47, 1, 0.1);
  EXPECT_NEAR(tokens_per_s("s15_spec_ee_laptop", plain) / 5.63, 1, 0.1) << "what the processor was fitted on";
}

// Split as llama.cpp does, the first layers on the CPU: leaving early saves the GPU's layers only, which were cheap.
TEST(S15, WithTheFirstLayersOnTheCpuLittleIsGained) {
  const double now = speed_up("s15_spec_ee_laptop",
                              {{"pools[0].host_layers.which", "first"}, {"pools[0].early_exit.predictor_s", "0"}});
  RecordProperty("speed_up", std::to_string(now));
  EXPECT_GT(now, 1.0);
  EXPECT_LT(now, 1.15);
}

// With drafts (T3), a path of which leaves as one hyper-token: 2.43 times. Missed, above the band: a chain of three
// EAGLE drafts with the acceptance of its own paper makes 2.8 tokens a step, and SpecEE publishes neither its tree
// nor how many of its drafts are taken over; its gain from T2 to T3 is 1.65 times.
TEST(S15, HyperTokensOnTheLaptopGainMoreThanPublished) {
  const std::vector<Override> t3{{"pools[0].speculative.policy", "eagle"}};
  const double now = tokens_per_s("s15_spec_ee_laptop", t3) / tokens_per_s("s15_spec_ee_laptop", plain);
  RecordProperty("t3", std::to_string(now));
  EXPECT_GT(now / 2.43, 1.1);
  EXPECT_LT(now / 2.43, 1.4);
}

TEST(S15, ReportSaysHowDeepStepsGoAndWhatItCostsInAnswers) {
  const Summary summary = PaperRun(paper("s15_spec_ee")).summary;
  ASSERT_EQ(summary.early_exits.size(), 1u);
  EXPECT_NEAR(summary.early_exits[0].layers_per_step, 23.22, 0.2);
  EXPECT_NEAR(*summary.early_exits[0].lost_points, (0.66 + 0.17 + 0.35 + 0.62) / 4, 1e-9);
}

}  // namespace servecast::s15_test
