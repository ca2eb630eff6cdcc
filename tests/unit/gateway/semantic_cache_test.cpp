// The semantic cache: what it finds, what of that is wrong, which it forgets.
#include <gtest/gtest.h>

#include "sim/contract/made_gateway.h"

namespace servecast::semantic_cache_test {

/// How many of `requests` requests are answered, when each that is not is answered by "small" and enters.
double answered(MadeStage& stage, std::uint32_t requests, double gap_s = 0.1) {
  double hits = 0;
  for (std::uint32_t i = 0; i < requests; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    if (stage.arrive(of, gap_s * i).answer)
      ++hits;
    else
      stage.answered(of, gap_s * i + gap_s / 2, 0);
  }
  return hits / requests;
}

// 8,000 answers to as many questions and a paraphrase of one of them: GPT Semantic Cache (arXiv 2411.05276)
// found 61.6 to 68.8 % of them at a cosine of 0.8, and 92.5 to 97.3 % of what it found was right.
TEST(SemanticCache, FindsWhatGptSemanticCacheFound) {
  MadeStage stage("semantic_cache", MadeSettings({{"intents.count", 8000},
                                                  {"intents.zipf_exponent", 0},
                                                  {"intents.unique_fraction", 0},
                                                  {"temperature", 2}}));
  for (std::uint32_t i = 0; i < 8000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.note.number = i;  // one of each
    stage.answered(of, 0, 0);
  }
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    EXPECT_FALSE(stage.arrive(of, 1).answer) << "temperature 2 skips every hit";
  }
  EXPECT_NEAR(stage.count("skipped_hits") / 20'000, 0.652, 0.036);

  MadeStage warm(
      "semantic_cache",
      MadeSettings({{"intents.count", 8000}, {"intents.zipf_exponent", 0}, {"intents.unique_fraction", 0}}));
  for (std::uint32_t i = 0; i < 8000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    warm.note.number = i;
    warm.answered(of, 0, 0);
  }
  for (std::uint32_t i = 0; i < 2000; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    warm.arrive(of, 1);
  }
  const double hits = warm.count("hits") + warm.count("false_hits");
  EXPECT_GE(warm.count("hits") / hits, 0.925);
  EXPECT_LT(warm.count("hits"), hits) << "some answers are to other questions";
}

TEST(SemanticCache, ALowerThresholdFindsMoreAndMoreOfItIsWrong) {
  double found = 0;
  double wrong = 0;
  for (const double threshold : {0.95, 0.85, 0.75, 0.65}) {
    MadeStage stage("semantic_cache", MadeSettings({{"threshold", threshold}, {"intents.count", 500}}));
    const double now_found = answered(stage, 5000);
    const double now_wrong =
        stage.count("false_hits") / std::max(1.0, stage.count("hits") + stage.count("false_hits"));
    EXPECT_GT(now_found, found);
    EXPECT_GE(now_wrong + 0.002, wrong) << "as far as a few thousand requests tell";
    found = now_found;
    wrong = now_wrong;
  }
  EXPECT_GT(wrong, 0.1);
}

// GPTCache skips with 1/(1+e^(1/T)): one in five at T = 0.7213.
TEST(SemanticCache, TemperatureSkipsOneInFive) {
  MadeStage stage("semantic_cache", MadeSettings({{"temperature", 0.7213}, {"intents.count", 50}}));
  answered(stage, 20'000);
  const double all = stage.count("hits") + stage.count("false_hits") + stage.count("skipped_hits");
  EXPECT_NEAR(stage.count("skipped_hits") / all, 0.2, 0.01);
}

TEST(SemanticCache, KeepsItsCapacityAndForgetsWhatIsOld) {
  for (const std::string eviction : {"lru", "lfu", "fifo"}) {
    MadeStage stage("semantic_cache", MadeSettings({{"capacity", 40}}, {{"policy", eviction}}));
    answered(stage, 2000);
    EXPECT_EQ(stage.count("entries"), 40) << eviction;
    EXPECT_GT(stage.count("evicted"), 0);
  }
  MadeStage old("semantic_cache", MadeSettings({{"ttl_s", 5}}));
  answered(old, 1000);
  EXPECT_LE(old.count("entries"), 51) << "ten a second, none older than 5 s";
  EXPECT_GT(old.count("expired"), 0);
}

// What is asked most often stays longest with lfu; with fifo it leaves when its turn comes.
TEST(SemanticCache, PopularAnswersSurviveWithLfu) {
  const auto hits = [](const std::string& eviction) {
    MadeStage stage("semantic_cache",
                    MadeSettings({{"capacity", 100}, {"intents.count", 5000}, {"intents.zipf_exponent", 1.1}},
                                 {{"policy", eviction}}));
    return answered(stage, 20'000);
  };
  EXPECT_GT(hits("lfu"), hits("fifo"));
}

// 512 tokens are embedded, 4 ms + 512 x 20 us; the search reads every answer held, 3,072 bytes each at 10.5 GB/s,
// behind 20 us and 1 ms.
TEST(SemanticCache, EveryRequestPaysForTheLookUp) {
  MadeStage stage("semantic_cache");
  for (std::uint32_t i = 0; i < 100; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    EXPECT_NEAR(stage.arrive(of, i).delay_s, 0.004 + 0.01024 + 0.001 + 20e-6 + stage.count("entries") * 3072 / 10.5e9,
                1e-6);
    stage.answered(of, i + 0.5, 0);
  }
}

TEST(SemanticCache, ARewriterIsAskedForThePassInstead) {
  MadeStage stage("semantic_cache",
                  MadeSettings({{"intents.count", 1}, {"intents.unique_fraction", 0}, {"threshold", 0}},
                               {{"rewriter", "large"}}));
  GatewayRequest first{.request = MadeStage::request(0)};
  stage.arrive(first, 0);
  stage.answered(first, 1, 0);
  GatewayRequest second{.request = MadeStage::request(1)};
  EXPECT_FALSE(stage.arrive(second, 2).answer);
  EXPECT_EQ(second.target, TargetId{1});
  EXPECT_TRUE(second.fixed);
  EXPECT_EQ(second.request.prompt_tokens, 100 + 100) << "the answer and the rewriter's instructions";
}

}  // namespace servecast::semantic_cache_test
