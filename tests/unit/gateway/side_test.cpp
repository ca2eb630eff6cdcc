// What gateways need themselves: summaries and embeddings on pools, searches by the bytes that they read. Held
// against published times, queueing theory and runs without a gateway.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/policy/stages/vector_search.h"
#include "sim/contract/made_gateway.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::side_test {

// Faiss on SIFT1M, IVF1024,PQ32x4fs (16 bytes a vector), one query at a time on one thread: published seconds by
// probes.
TEST(VectorSearch, ReadsAsFastAsFaissPublished) {
  VectorSearchSettings sift{.vectors = 1e6, .bytes_per_vector = 16};
  for (const auto& [probes, published_s] : std::map<std::int64_t, double>{
           {1, 18.7e-6}, {4, 26.8e-6}, {8, 35.0e-6}, {16, 48.7e-6}, {32, 75.5e-6}, {64, 123.3e-6}, {128, 212.6e-6}}) {
    sift.probes = probes;
    EXPECT_NEAR(sift.thread_s(1e6) / published_s, 1, 0.16) << probes;
  }
}

// A published curve: at a recall of 0.8177 30.8 us of a million vectors, ten times as long of ten million, a tenth of
// that on each of ten shards.
TEST(VectorSearch, FollowsAPublishedCurve) {
  VectorSearchSettings measured{.index = "measured", .recall = 0.8177};
  EXPECT_NEAR(measured.thread_s(1e6), 30.8e-6, 1e-9);
  EXPECT_NEAR(measured.thread_s(1e7), 308e-6, 1e-8);
  measured.shards = 10;
  EXPECT_NEAR(measured.thread_s(1e7), 30.8e-6, 1e-9);
  measured.recall = 0.99;
  EXPECT_FALSE(measured.problems().empty());
  double before = 0;
  for (const double recall : {0.4, 0.5, 0.7, 0.9, 0.94}) {
    measured.recall = recall;
    EXPECT_GT(measured.thread_s(1e6), before);
    before = measured.thread_s(1e6);
  }
}

// 3 GB of floats at 10.5 GB/s: 0.29 s; sixteen threads that share 64 GB/s read 4 GB/s each.
TEST(VectorSearch, ThreadsShareTheServersMemory) {
  const VectorSearchSettings flat{
      .index = "flat", .bytes_per_vector = 3072, .server_bytes_per_s = 64e9, .fixed_s = 0};
  EXPECT_NEAR(flat.thread_s(1e6), 3.072 / 4, 1e-12);
  VectorSearchSettings alone = flat;
  alone.workers = 1;
  EXPECT_NEAR(alone.thread_s(1e6), 3.072 / 10.5, 1e-12);
}

// One thread, 8 ms a query, 100 a second, M/D/1: 8 + 0.8 x 8 / (2 x 0.2) = 24 ms.
TEST(VectorSearch, QueriesWaitForAThread) {
  VectorSearch search({.workers = 1, .overhead_s = 0, .median_s = 0.008});
  Rng rng(2, "arrivals");
  double now_s = 0;
  double sum = 0;
  for (int i = 0; i < 400'000; ++i) {
    now_s += -std::log(1 - rng.uniform()) / 100;
    sum += search.call_s(now_s, rng, 1);
  }
  EXPECT_NEAR(sum / 400'000, 0.024, 0.0008);
}

// The slowest of 20 shards: half of all queries take longer than the 0.5^(1/20) = 0.9659 quantile of one, exp(0.5
// x 1.8236).
TEST(VectorSearch, TheSlowestShardAnswers) {
  VectorSearch search({.shards = 20, .workers = 100'000, .overhead_s = 0, .sigma = 0.5, .median_s = 0.001});
  Rng rng(2, "shards");
  std::vector<double> all;
  for (int i = 0; i < 50'000; ++i) all.push_back(search.call_s(i, rng, 1));
  std::ranges::nth_element(all, all.begin() + 25'000);
  EXPECT_NEAR(all[25'000], 0.001 * std::exp(0.5 * 1.8236), 0.00002);
}

std::string load(double per_s, int requests, int prompt, int output) {
  return "    requests: " + std::to_string(requests) +
         "\n    arrivals: {poisson: {requests_per_s: " + std::to_string(per_s) +
         "}}\n    prompt_tokens: {fixed: " + std::to_string(prompt) +
         "}\n    output_tokens: {fixed: " + std::to_string(output) + "}\n";
}

double stage_delay_s(const Ran& ran) { return ran.summary.gateway.stages.front().delay_s.value().mean; }

// A summary on an idle pool takes what the same LLM call takes without a gateway: 4,800 + 50 prompt tokens, 200
// outputs.
TEST(SideCalls, ASummaryTakesWhatItsCallTakes) {
  const std::string one_each_minute =
      "    requests: 5\n    arrivals: {constant: {requests_per_s: 0.01}}\n    prompt_tokens: {fixed: ";
  const Ran with(behind("gateway:\n  - {policy: summarize, pool: slow, summary_tokens: 200}\n",
                        one_each_minute + "5000}\n    output_tokens: {fixed: 50}\n"));
  const Ran plain(behind("gateway:\n  - {policy: api_tier, name: x}\n",
                         one_each_minute + "4850}\n    output_tokens: {fixed: 200}\n  pool: slow\n"));
  ASSERT_EQ(with.summary.requests.completed, 5);
  EXPECT_NEAR(stage_delay_s(with), plain.summary.latencies.e2e_s->mean, 1e-6);
  for (const GatewayRecord& g : with.recorder.gateway_requests()) EXPECT_EQ(g.llm_calls, 2u);
  for (const RequestRecord& r : with.recorder.requests())
    EXPECT_GT(*r.first_token_s - r.arrival_s, stage_delay_s(with));
}

// The more come, the longer a summary takes: its pool has a queue. A constant would not.
TEST(SideCalls, SummariesWaitForEachOther) {
  const auto delay_s = [](double per_s) {
    return stage_delay_s(Ran(
        behind("gateway:\n  - {policy: summarize, pool: slow, summary_tokens: 200}\n", load(per_s, 200, 5000, 20))));
  };
  const double idle_s = delay_s(0.05);
  EXPECT_GT(delay_s(6), 1.5 * idle_s);
}

// An embedding is one token of a pool; then the search. With an API in the pool's place likewise.
TEST(SideCalls, EmbeddingsRunOnPoolsAndApis) {
  for (const std::string pool : {"slow", "outside"}) {
    const Ran ran(
        behind("gateway:\n  - {policy: api_tier, name: outside, ttft_sigma: 0, prompt_token_s: 0, ttft_median_s: "
               "0.1, usd_per_request: 0.001}\n  - {policy: retrieval, embedding: {pool: " +
                   pool + "}, search: {median_s: 0.002, overhead_s: 0}}\n",
               load(1, 100, 300, 20)));
    EXPECT_EQ(ran.summary.requests.completed, 100) << pool;
    const double delay_s = ran.summary.gateway.stages.back().delay_s.value().mean;
    if (pool == "outside") {
      EXPECT_NEAR(delay_s, 0.102, 1e-9);
      EXPECT_NEAR(ran.facts.gateway.targets.back().usd, 0.1, 1e-9);
    }
    EXPECT_GT(delay_s, 0.002 + 0.01);
    EXPECT_EQ(ran.facts.gateway.targets[pool == "slow" ? 1 : 2].llm_calls, 100);
  }
}

// A client that gives up during a summary is timed out, and the pool is rid of its call.
TEST(SideCalls, ClientsMayGiveUpMeanwhile) {
  const Ran ran(behind("gateway:\n  - {policy: summarize, pool: slow, summary_tokens: 500}\n",
                       load(1, 50, 8000, 20) + "  client_timeout_s: 2\n"));
  EXPECT_EQ(ran.summary.requests.timed_out, 50);
  EXPECT_EQ(ran.summary.requests.completed, 0);
}

// An API that takes nothing more turns the request away with its summary.
TEST(SideCalls, WhatIsRefusedEndsTheRequest) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: outside, requests_per_day: 10}\n"
             "  - {policy: summarize, pool: outside}\n",
             load(1, 30, 8000, 20)));
  EXPECT_EQ(ran.summary.requests.completed, 10);
}

}  // namespace servecast::side_test
