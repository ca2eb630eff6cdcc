// Signals with a skill, reasoning under a reward model, and the gateway's own processes. Held against closed forms of
// detection and queueing theory and against published points.
#include <gtest/gtest.h>

#include <cmath>

#include "models/policy/stages/answer_truth.h"
#include "sim/contract/made_gateway.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::fast_slow_test {

double below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(NormalBelow, IsHalfTheErrorFunction) {
  for (const double x : {-9.0, -7.2, -3.0, -0.4, 0.0, 0.1, 1.0, 2.5, 6.0, 8.0})
    EXPECT_NEAR(normal_below(x), below(x), 1e-14) << x;
}

// Of two draws, one where it is so and one where it is not, the first is higher as often as the AUC says.
TEST(SkilledSignal, HasItsAuc) {
  Rng rng(1, "auc");
  for (const double auc : {0.5, 0.605, 0.8, 0.95}) {
    const SkilledSignal signal(auc);
    int higher = 0;
    for (int i = 0; i < 100'000; ++i) higher += signal.draw(true, rng) > signal.draw(false, rng) ? 1 : 0;
    EXPECT_NEAR(higher / 1e5, auc, 0.005);
  }
}

// FLenQA: a model right on 0.92 of prompts of 250 tokens is right on 0.68 of 3,000 (arXiv 2402.14848).
TEST(RightAtLength, FallsAsPublished) {
  const double at_250 = right_at_length(0.92, 0.377, 0, 0);
  EXPECT_NEAR(at_250, 0.92, 1e-8);
  EXPECT_NEAR(right_at_length(0.92, 0.377, 0, std::log(3000.0 / 250)), 0.68, 0.003);
}
TEST(RightAtLength, KeepsTheMeanOverLognormalLengths) {
  Rng rng(1, "lengths");
  double sum = 0;
  for (int i = 0; i < 200'000; ++i) sum += right_at_length(0.7, 0.377, 0.8, 0.8 * rng.normal());
  EXPECT_NEAR(sum / 200'000, 0.7, 0.001);
}

struct Mixed {
  double fast = 0, mixed = 0, slow = 0, score = 0, wrong_alone = 0;
};
/// Shares of 100,000 requests and the score where every review comes in time.
Mixed decide(std::map<std::string, double> settings) {
  MadeStage stage("dual_threshold", MadeSettings(std::move(settings)));
  constexpr std::uint32_t requests = 100'000;
  double score = 0;
  for (std::uint32_t i = 0; i < requests; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0);
    score += of.reviewed.value() ? of.review_score.value() : of.score.value();
  }
  return {stage.count("fast") / requests, stage.count("mixed") / requests, stage.count("slow") / requests,
          score / requests, stage.count("wrong_alone") / requests};
}

// The fast model is right on 0.7. Complexity is above a threshold t where the signal is above s:
//   odds(t) = 0.3 / 0.7 exp(d s - d^2 / 2),  d = sqrt 2 Phi^-1(AUC);  share = 0.3 Phi(d - s) + 0.7 Phi(-s).
TEST(DualThreshold, SendsTheShareOfItsReceiverCurveToTheSlowModel) {
  for (const double auc : {0.65, 0.8, 0.95})
    for (const double threshold : {0.4, 0.6, 0.9}) {
      const double d = std::sqrt(2.0) * normal_quantile(auc);
      const double s = (std::log(threshold / (1 - threshold) * 0.7 / 0.3) + d * d / 2) / d;
      const Mixed got = decide({{"complexity_auc", auc},
                                {"slow_complexity", threshold},
                                {"most_complexity", threshold},
                                {"least_confidence", 0}});
      EXPECT_NEAR(got.slow, 0.3 * below(d - s) + 0.7 * below(-s), 0.005) << auc << " " << threshold;
      EXPECT_EQ(got.mixed, 0);
    }
}

// A judge that guesses knows how often the fast model is wrong and nothing else: all or nothing.
TEST(DualThreshold, AJudgeThatGuessesSendsAllOrNothing) {
  const std::map<std::string, double> guesses{{"complexity_auc", 0.5}, {"confidence_auc", 0.5}};
  for (const double threshold : {0.29, 0.31}) {
    std::map<std::string, double> settings = guesses;
    settings["slow_complexity"] = settings["most_complexity"] = threshold;
    settings["least_confidence"] = 0;
    EXPECT_EQ(decide(settings).slow, threshold < 0.3 ? 1 : 0);
  }
}

// At both ends the scores are those of the table: 0.7 fast alone, 0.9 reviewed or slow alone.
TEST(DualThreshold, ScoresAreThoseOfTheModelsAtBothEnds) {
  EXPECT_NEAR(decide({{"least_confidence", 0}, {"most_complexity", 1}, {"slow_complexity", 1}}).score, 0.7, 0.005);
  EXPECT_NEAR(decide({{"least_confidence", 1}, {"most_complexity", 1}, {"slow_complexity", 1}}).score, 0.9, 0.005);
  EXPECT_NEAR(decide({{"most_complexity", 0}, {"slow_complexity", 0}}).score, 0.9, 0.005);
}

// With as many reviews, more skill leaves fewer wrong answers unseen: per review, the score gains more.
TEST(DualThreshold, SkillBuysQualityForFewerReviews) {
  double gained_before = 0;
  for (const double auc : {0.55, 0.7, 0.85, 0.97}) {
    const Mixed got = decide({{"complexity_auc", 0.5},
                              {"confidence_auc", auc},
                              {"least_confidence", 0.68},
                              {"most_complexity", 1},
                              {"slow_complexity", 1}});
    ASSERT_GT(got.mixed, 0.02) << auc;
    const double gained = (got.score - 0.7) / got.mixed;
    EXPECT_GT(gained, gained_before) << auc;
    gained_before = gained;
  }
}

// Longer prompts than the median are reviewed more often.
TEST(DualThreshold, LongPromptsLookMoreComplex) {
  const auto complex_share = [](std::int64_t tokens) {
    const Ran ran(
        behind("gateway:\n"
               "  - {policy: dual_threshold, fast: fast, slow: slow, slow_complexity: 0.5, most_complexity: 0.5, "
               "least_confidence: 0, length: {median_tokens: 500, sigma: 0.8}}\n"
               "  - {policy: fast_slow, fast: fast, slow: slow}\n",
               "    requests: 400\n    arrivals: {poisson: {requests_per_s: 8}}\n    prompt_tokens: {fixed: " +
                   std::to_string(tokens) + "}\n    output_tokens: {fixed: 5}\n",
               "quality: [{target: fast, score: 0.7, source: x}, {target: slow, score: 0.9, source: x}]\n"));
    return ran.counted("slow") / 400;
  };
  const double of_short = complex_share(100);
  const double of_long = complex_share(4000);
  EXPECT_LT(of_short, 0.15);
  EXPECT_GT(of_long, 0.3);
}

// n candidates of which each step's best goes on, each right with r = q^(1/k) independently, and a reward model that
// is never mistaken: (1 - (1 - r)^n)^k. One candidate, or a model that guesses: q.
TEST(Reasoning, AnswersAreRightAsOftenAsBestOfCandidatesSays) {
  const auto score = [](double candidates, double auc, double alike) {
    MadeStage stage("reasoning", MadeSettings({{"candidates", candidates},
                                               {"reward_auc", auc},
                                               {"alike_fraction", alike},
                                               {"steps_median", 8},
                                               {"steps_sigma", 0}}));
    double sum = 0;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      GatewayRequest of{.request = MadeStage::request(i)};
      stage.arrive(of, 0);
      sum += of.score.value();
    }
    return sum / 20'000;
  };
  const double r = std::pow(0.7, 1.0 / 8);
  EXPECT_NEAR(score(1, 0.9, 0), 0.7, 0.01);
  EXPECT_NEAR(score(4, 0.5, 0), 0.7, 0.01);
  EXPECT_NEAR(score(4, 0.9999, 1), 0.7, 0.01) << "all candidates stand or fall together";
  EXPECT_NEAR(score(2, 0.9999, 0), std::pow(1 - std::pow(1 - r, 2), 8), 0.01);
  EXPECT_GT(score(4, 0.75, 0.5), 0.71);
}

// Three steps of two candidates: 6 steps, 6 scores, 1 answer. The reward model reads 2,000 tokens + 50 for each step
// so far, and writes one token a call.
TEST(Reasoning, EveryStepIsReadByTheRewardModel) {
  MadeStage stage("reasoning", MadeSettings({{"candidates", 2}, {"steps_median", 3}, {"steps_sigma", 0}}));
  GatewayRequest of{.request = MadeStage::request(1)};
  const StageAction action = stage.arrive(of, 0);
  ASSERT_TRUE(action.graph);
  std::int64_t read = 0;
  std::int64_t scores = 0;
  for (const Subtask& task : action.graph->tasks)
    if (task.target == TargetId{1}) {
      EXPECT_EQ(task.output_tokens, 1);
      read += task.prompt_tokens();
      ++scores;
    }
  EXPECT_EQ(action.graph->tasks.size(), 13u);
  EXPECT_EQ(scores, 6);
  EXPECT_EQ(read, 2 * (2050 + 2100 + 2150));
  EXPECT_EQ(action.graph->tasks.back().prompt_tokens(), 2150);
  EXPECT_EQ(action.graph->tasks.back().output_tokens, 100);
  GatewayRequest other{.request = MadeStage::request(2), .target = TargetId{1}};
  EXPECT_FALSE(stage.arrive(other, 0).graph) << "requests to other targets pass";
}

struct Overhead {
  double mean_s = 0, p50_s = 0, p99_s = 0;
};
Overhead overhead(double instances, double per_s, std::map<std::string, double> more = {}) {
  more["instances"] = instances;
  MadeStage stage("proxy", MadeSettings(std::move(more)));
  Rng arrivals(7, "arrivals");
  std::vector<double> all;
  double now_s = 0;
  for (std::uint32_t i = 0; i < 400'000; ++i) {
    now_s += -std::log(1 - arrivals.uniform()) / per_s;
    GatewayRequest of{.request = MadeStage::request(i)};
    all.push_back(stage.arrive(of, now_s).delay_s);
  }
  double sum = 0;
  for (const double x : all) sum += x;
  std::ranges::sort(all);
  return {sum / static_cast<double>(all.size()), all[all.size() / 2], all[all.size() * 99 / 100]};
}

// One instance that takes 2 ms of each of 400 requests/s, M/D/1: 2 + 0.8 x 2 / (2 x 0.2) = 6 ms.
TEST(Proxy, WaitsAsPollaczekAndKhinchineSay) {
  const Overhead o = overhead(1, 400, {{"request.median_s", 0.002}, {"request.sigma", 0}});
  EXPECT_NEAR(o.mean_s, 0.006, 0.0002);
}

// LiteLLM's documentation, overhead of the proxy: four instances at 1,170 requests/s 3.32 ms in the mean, 2 at the
// median and 13 at the 99th percentile; two at 1,035.7: 14.74, 12 and 43 ms. The means were fitted on, the rest was
// not.
TEST(Proxy, HasLiteLlmsOverhead) {
  const Overhead four = overhead(4, 1170);
  const Overhead two = overhead(2, 1035.7);
  EXPECT_NEAR(four.mean_s, 0.00332, 0.0002);
  EXPECT_NEAR(two.mean_s, 0.01474, 0.0012);
  EXPECT_NEAR(four.p50_s, 0.002, 0.0006);
  EXPECT_NEAR(two.p50_s, 0.012, 0.0025);
  EXPECT_NEAR(four.p99_s, 0.013, 0.004);
  EXPECT_LT(two.p99_s, 0.043 * 1.6);
  // As docs/policies/gateway.md and the policy's head say.
  EXPECT_NEAR(four.p50_s, 0.0022, 0.00005);
  EXPECT_NEAR(four.p99_s, 0.016, 0.0005);
  EXPECT_NEAR(two.p50_s, 0.010, 0.0005);
  EXPECT_NEAR(two.p99_s, 0.063, 0.0005);
}

// The dispatch figure of the report is the proxy's own time and the pool's front end where nothing else stands before
// the first LLM call.
TEST(Proxy, IsWhatTheReportCallsDispatch) {
  const auto dispatch = [](const std::string& stage) {
    return Ran(behind("gateway:\n  - " + stage + "\n")).summary.gateway.dispatch.value();
  };
  const DispatchSummary without = dispatch("{policy: api_tier, name: outside}");
  const DispatchSummary with = dispatch("{policy: proxy, instances: 1, request: {median_s: 0.004, sigma: 0}}");
  EXPECT_NEAR(with.time_s.p50 - without.time_s.p50, 0.004, 1e-6);
  EXPECT_EQ(without.jitter_s, 0);
  EXPECT_GT(with.jitter_s, 0) << "requests that come at once wait for each other";
}

// A classifier that is always right sends fewer requests to the better model than one that is right in 90 %, and
// scores no less: hard requests hold the whole lead.
TEST(Classifier, OneThatIsRightMoreOftenNeverScoresLess) {
  for (const double hard : {0.2, 0.3, 0.5}) {
    double before = 0;
    for (const double right : {0.5, 0.8, 0.9, 1.0}) {
      MadeStage stage("classifier", MadeSettings({{"right_fraction", right}, {"hard_fraction", hard}},
                                                 {{"easy", "small"}, {"hard", "large"}}));
      double sum = 0;
      for (std::uint32_t i = 0; i < 100'000; ++i) {
        GatewayRequest of{.request = MadeStage::request(i)};
        stage.arrive(of, 0);
        sum += of.score.value();
      }
      EXPECT_NEAR(sum / 1e5, 0.7 + 0.2 * right, 0.005)
          << "every hard request that is found gains its share of the lead";
      EXPECT_GT(sum / 1e5, before);
      before = sum / 1e5;
    }
  }
}

}  // namespace servecast::fast_slow_test
