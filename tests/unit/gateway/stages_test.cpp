// What is special about each stage of the gateway. Numbers by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "models/base/normal_quantile.h"
#include "models/policy/stages/gateway_service.h"
#include "sim/contract/made_gateway.h"

namespace servecast::stages_test {

TEST(NormalQuantile, IsTheInverseOfTheNormalDistribution) {
  for (const double p : {1e-9, 0.001, 0.02, 0.3, 0.5, 0.841344746, 0.99, 1 - 1e-7})
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 1e-7 * std::min(p, 1 - p)) << p;
}

// Two workers, calls of 10 ms announced at 0, 0, 0 and 15 ms: the third waits for the first worker until 10 ms and
// ends at 20; at 15 ms the second worker is free.
TEST(GatewayService, CallsWaitForAWorker) {
  GatewayService service({.median_s = 0.010, .workers = 2});
  Rng rng(1, "x");
  EXPECT_DOUBLE_EQ(service.call_s(0, rng), 0.010);
  EXPECT_DOUBLE_EQ(service.call_s(0, rng), 0.010);
  EXPECT_DOUBLE_EQ(service.call_s(0, rng), 0.020);
  EXPECT_DOUBLE_EQ(service.call_s(0.015, rng), 0.010);
}

TEST(Threshold, CallsTheStrongModelAsOftenAsItIsCalibratedTo) {
  for (const double share : {0.0, 0.134, 0.5, 1.0}) {
    MadeStage stage("threshold", MadeSettings({{"strong_fraction", share}, {"apgr", 0.8}}));
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      GatewayRequest of{.request = MadeStage::request(i)};
      stage.arrive(of, 0);
    }
    EXPECT_NEAR(stage.count("to_strong") / 20'000, share, 0.01);
  }
}

// Whatever the router's skill, all calls to one model give that model's score.
TEST(Threshold, ScoresAreThoseOfTheModelsAtBothEnds) {
  for (const double apgr : {0.5, 0.6, 0.8}) {
    for (const double share : {0.0, 1.0}) {
      MadeStage stage("threshold", MadeSettings({{"strong_fraction", share}, {"apgr", apgr}},
                                                {{"strong", "large"}, {"weak", "small"}}));
      double sum = 0;
      for (std::uint32_t i = 0; i < 50'000; ++i) {
        GatewayRequest of{.request = MadeStage::request(i)};
        stage.arrive(of, 0);
        sum += of.score.value();
      }
      EXPECT_NEAR(sum / 50'000, share == 1 ? 0.9 : 0.7, 0.01) << apgr;
    }
  }
}

// A higher alpha sends fewer requests to the strong model; 0 sends all.
TEST(Threshold, AlphaIsAWinProbability) {
  double before = 2;
  for (const double alpha : {0.0, 0.1, 0.2, 0.3, 1.0}) {
    MadeStage stage("threshold",
                    MadeSettings({{"alpha", alpha}, {"apgr", 0.7}}, {{"strong", "large"}, {"weak", "small"}}));
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      GatewayRequest of{.request = MadeStage::request(i)};
      stage.arrive(of, 0);
    }
    const double share = stage.count("to_strong") / 10'000;
    EXPECT_LE(share, before);
    before = share;
    if (alpha == 0 || alpha == 1) {
      EXPECT_EQ(share, 1 - alpha);
    }
  }
}

/// Shares of answers of the first model, and the mean score of what goes out.
std::pair<double, double> run_frugal(MadeStage& stage, std::uint32_t requests) {
  double first = 0;
  double score = 0;
  for (std::uint32_t i = 0; i < requests; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0);
    EXPECT_TRUE(of.held);
    const GatewayVerdict verdict = stage.answered(of, 1, 0);
    if (!verdict.again) {
      ++first;
      score += verdict.score.value();
      continue;
    }
    EXPECT_FALSE(verdict.again->held) << "the last model streams";
    score += verdict.again->score.value();
    of.target = verdict.again->target;
    stage.answered(of, 2, 1);
  }
  return {first / requests, score / requests};
}

TEST(Frugal, AcceptsAllOrNothingAtTheEnds) {
  MadeStage all("frugal", MadeSettings({{"accept", 0.0}}));
  EXPECT_EQ(run_frugal(all, 5000).first, 1);
  MadeStage none("frugal", MadeSettings({{"accept", 1.0}}));
  const auto [first, score] = run_frugal(none, 20'000);
  EXPECT_EQ(first, 0);
  EXPECT_NEAR(score, 0.9, 0.01) << "every answer is the large model's: its score, whatever the small one did";
}

// With a scorer that can tell and mistakes that differ, the mixture is better than the better model.
TEST(Frugal, AGoodScorerBeatsTheBestModel) {
  MadeStage stage("frugal", MadeSettings({{"accept", 0.9}, {"scorer_auc", 0.97}, {"nested_fraction", 0}}));
  const auto [first, score] = run_frugal(stage, 20'000);
  EXPECT_GT(score, 0.92);
  EXPECT_GT(first, 0.4);
  MadeStage guessing("frugal", MadeSettings({{"accept", 0.6}, {"scorer_auc", 0.5}}));
  EXPECT_EQ(run_frugal(guessing, 2000).first, 1) << "a scorer that knows nothing says 0.7 of every answer";
}

TEST(Classifier, SendsHardRequestsAsOftenAsItErrs) {
  MadeStage stage("classifier", MadeSettings({{"hard_fraction", 0.2}, {"right_fraction", 0.9}}));
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0);
  }
  EXPECT_NEAR(stage.count("sent_as_hard") / 50'000, 0.2 * 0.9 + 0.8 * 0.1, 0.006);
  EXPECT_NEAR(stage.count("hard_as_easy") / 50'000, 0.2 * 0.1, 0.003);
}

TEST(FastSlow, ReviewsTheDraftWithItsPrompt) {
  MadeStage stage("fast_slow", MadeSettings({{"review_fraction", 1}}));
  GatewayRequest of{.request = MadeStage::request(1)};
  stage.arrive(of, 0.1);
  EXPECT_EQ(of.target, TargetId{0});
  EXPECT_FALSE(of.held);
  const GatewayVerdict verdict = stage.answered(of, 2, 0);
  ASSERT_TRUE(verdict.again);
  EXPECT_EQ(verdict.again->target, TargetId{1});
  EXPECT_EQ(verdict.again->prompt_tokens, 2000 + 100 + 50);
  EXPECT_DOUBLE_EQ(verdict.again->late_s, 0.1 + 15);
  EXPECT_FALSE(verdict.again->finish_late);
  EXPECT_DOUBLE_EQ(verdict.delay_s, 0.005);
  EXPECT_FALSE(stage.answered(of, 5, 1).again);
  EXPECT_EQ(stage.count("reviewed"), 1);
}

TEST(FastSlow, ADraftThatIsLateItselfStands) {
  MadeStage stage("fast_slow", MadeSettings({{"review_fraction", 1}, {"timeout_s", 3}}));
  GatewayRequest of{.request = MadeStage::request(0)};
  stage.arrive(of, 0);
  EXPECT_FALSE(stage.answered(of, 3, 0).again);
  EXPECT_EQ(stage.count("drafts_kept"), 1);
}

// 6,000 tokens a minute: a bucket of 6,000 that gets 100 a second. Requests of 2,100 tokens: two at once, the third
// 429; after 21 s there is room for it.
TEST(ApiTier, KeepsItsTokensPerMinute) {
  MadeStage stage("api_tier", MadeSettings({{"tokens_per_minute", 6000}}));
  ApiTier& api = *stage.policy->api();
  const Request request = MadeStage::request(0);
  EXPECT_EQ(api.ask(request, 0, 0, stage.rng).kind, ApiReply::Kind::answered);
  EXPECT_EQ(api.ask(request, 0, 0, stage.rng).kind, ApiReply::Kind::answered);
  const ApiReply refused = api.ask(request, 0, 0, stage.rng);
  EXPECT_EQ(refused.kind, ApiReply::Kind::try_again);
  EXPECT_GT(refused.retry_s, 0);
  EXPECT_LE(refused.retry_s, 1);
  EXPECT_EQ(api.ask(request, 5, 1, stage.rng).kind, ApiReply::Kind::turned_away) << "the sixth attempt is the last";
  EXPECT_EQ(api.ask(request, 1, 3.1, stage.rng).kind, ApiReply::Kind::answered) << "6000 - 4200 + 310 >= 2100";
}

// $30 and $60 a million: 2,000 tokens in and 100 out cost 6 + 0.6 cents; and one request at a time is served.
TEST(ApiTier, ChargesByTheTokenAndHasPlaces) {
  MadeStage stage("api_tier", MadeSettings({{"usd_per_million_prompt_tokens", 30},
                                            {"usd_per_million_output_tokens", 60},
                                            {"concurrency", 1},
                                            {"ttft_sigma", 0},
                                            {"tpot_sigma", 0}}));
  ApiTier& api = *stage.policy->api();
  const ApiReply reply = api.ask(MadeStage::request(0), 0, 10, stage.rng);
  EXPECT_NEAR(reply.usd, 0.066, 1e-12);
  EXPECT_NEAR(reply.first_token_s, 10 + 0.85 + 2000 * 0.00014, 1e-9);
  EXPECT_NEAR(reply.finish_s, reply.first_token_s + 99 * 0.03, 1e-9);
  EXPECT_EQ(api.ask(MadeStage::request(1), 0, 11, stage.rng).kind, ApiReply::Kind::try_again);
  EXPECT_EQ(api.ask(MadeStage::request(1), 1, reply.finish_s, stage.rng).kind, ApiReply::Kind::answered);
}

// 2,000 tokens, 200 of them kept whole, half of the others taken out; the compressor reads all 2,000 at 10,000 a
// second.
TEST(PromptTrim, LeavesTheSystemPromptAndReadsItAll) {
  MadeStage stage("prompt_trim", MadeSettings({{"keep_tokens", 200}}));
  GatewayRequest of{.request = MadeStage::request(0)};
  const std::vector<BlockHash> blocks(125, 1);
  of.request.block_tokens = 16;
  of.request.prefix_blocks = blocks;
  EXPECT_DOUBLE_EQ(stage.arrive(of, 0).delay_s, 0.2);
  EXPECT_EQ(of.request.prompt_tokens, 200 + 900);
  EXPECT_EQ(of.request.prefix_blocks.size(), 12u) << "192 tokens of it are as they were";
  GatewayRequest small{.request = MadeStage::request(1, 999)};
  EXPECT_EQ(stage.arrive(small, 0).delay_s, 0);
  EXPECT_EQ(small.request.prompt_tokens, 999);
}

// A session with a system prompt of 100, questions of 50 and answers of 100: prompts of 150, 300, 450, 600. With one
// turn kept, the third is sent without the first turn (150 tokens), the fourth without the first two.
TEST(ContextWindow, CountsTurnsOfASession) {
  MadeStage stage("context_window", MadeSettings({{"last_turns", 1}, {"keep_tokens", 100}}));
  std::vector<std::int64_t> sent;
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    GatewayRequest of{.request = MadeStage::request(turn, 150 * (turn + 1), 100)};
    of.request.session = SessionId{3};
    stage.arrive(of, turn);
    sent.push_back(of.request.prompt_tokens);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{150, 300, 300 + 0, 300 + 0}));
}

// 5,000 tokens: 100 kept, 200 of a question, 4,700 summed up in 500: 4,700 / 20,000 + 500 / 100 s.
TEST(Summarize, TakesThePassOfASmallModel) {
  MadeStage stage("summarize", MadeSettings({{"keep_tokens", 100}}));
  GatewayRequest of{.request = MadeStage::request(0, 5000)};
  EXPECT_DOUBLE_EQ(stage.arrive(of, 0).delay_s, 0.235 + 5);
  EXPECT_EQ(of.request.prompt_tokens, 800);
}

// 512 of 2,000 tokens are embedded, 4 ms + 512 x 20 us; of a million vectors of 64 bytes 16 / 1,024 are read at 10.5
// GB/s, behind 20 us and 1 ms.
TEST(Retrieval, AddsItsPassages) {
  MadeStage stage("retrieval");
  GatewayRequest of{.request = MadeStage::request(0)};
  EXPECT_NEAR(stage.arrive(of, 0).delay_s, 0.004 + 0.01024 + 0.001 + 20e-6 + 1e6 / 64 * 64 / 10.5e9, 1e-12);
  EXPECT_EQ(of.request.prompt_tokens, 3000);
}

// Calls are geometric with the mean asked for; each lengthens the prompt by the call and its result.
TEST(Tools, CallThenAnswer) {
  MadeStage stage("tools", MadeSettings({{"calls_mean", 2.5}, {"most_calls", 1000}}));
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0);
    EXPECT_EQ(of.request.output_tokens, 60);
    for (;;) {
      const std::int64_t before = of.request.prompt_tokens;
      const GatewayVerdict verdict = stage.answered(of, 1, 0);
      if (!verdict.again) break;
      EXPECT_EQ(verdict.again->prompt_tokens, before + 60 + 300);
      EXPECT_TRUE(verdict.again->needed);
      of.request.prompt_tokens = verdict.again->prompt_tokens;
      of.request.output_tokens = verdict.again->output_tokens;
      EXPECT_EQ(verdict.again->held, of.request.output_tokens == 60);
    }
    EXPECT_EQ(of.request.output_tokens, 100);
  }
  EXPECT_NEAR(stage.count("calls") / 20'000, 2.5, 0.05);
}

// ServeGen's image lengths: p50 540, p90 1,224, mean 650 tokens.
TEST(ImageInput, HasTheLengthsOfServeGen) {
  MadeStage stage("image_input");
  std::vector<std::int64_t> tokens;
  double sum = 0;
  for (std::uint32_t i = 0; i < 20'001; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 1000.0 * i);
    tokens.push_back(of.request.prompt_tokens - 2000);
    sum += static_cast<double>(tokens.back());
  }
  std::ranges::sort(tokens);
  EXPECT_NEAR(static_cast<double>(tokens[10'000]), 540, 20);
  EXPECT_NEAR(static_cast<double>(tokens[18'000]), 1224, 60);
  EXPECT_NEAR(sum / 20'001, 650, 50);
}

}  // namespace servecast::stages_test
