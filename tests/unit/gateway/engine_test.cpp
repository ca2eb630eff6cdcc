// The gateway in front of pools: what clients see of it, and that nothing is lost on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/report/csv/detail_csv.h"
#include "tests/unit/engine/whole_runs.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::engine_test {

const std::string scores =
    "quality:\n  - {target: fast, score: 0.7, source: made up}\n  - {target: slow, score: 0.9, source: made up}\n";

std::string requests_of(const Ran& ran) {
  std::string text;
  for (const RequestRecord& r : ran.recorder.requests())
    text += fmt::format("{} {} {} {} {} {}\n", index(r.id), bits(r.arrival_s), bits(r.scheduled_s),
                        bits(r.first_token_s), bits(r.finish_s), r.output_tokens);
  return text;
}

TEST(Gateway, AnEmptyOneGivesTheSameBytes) {
  const Ran none(behind(""));
  const Ran empty(behind("gateway: []\n"));
  EXPECT_EQ(told(none.recorder, none.facts), told(empty.recorder, empty.facts));
  EXPECT_TRUE(none.summary.gateway == GatewaySummary{});
}

TEST(Gateway, OneThatDoesNothingChangesNoTime) {
  const Ran none(behind(""));
  const Ran idle(behind("gateway:\n  - {policy: api_tier, name: outside}\n"));
  EXPECT_EQ(requests_of(none), requests_of(idle));
  EXPECT_EQ(idle.summary.gateway.answered_by.size(), 1u) << "no target but the fast pool";
}

TEST(Gateway, EveryStageAloneAnswersEveryRequestOnceAndRepeats) {
  const std::map<std::string, std::string> settings{
      {"semantic_cache", ", intents: {count: 50}"},
      {"threshold", ", strong: slow, weak: fast, strong_fraction: 0.3, apgr: 0.8"},
      {"classifier", ", easy: fast, hard: slow, hard_fraction: 0.5"},
      {"dual_threshold", ", fast: fast, slow: slow}\n  - {policy: fast_slow, fast: fast, slow: slow"},
      {"frugal", ", models: [fast, slow], accept_above: [0.8]"},
      {"fast_slow", ", fast: fast, slow: slow, review_fraction: 0.5"},
      {"api_tier", ", name: outside, takes_all: true, concurrency: 100"},
      {"context_window", ", last_tokens: 200"},
      {"tools", ", using_fraction: 0.3"},
      {"jobs", ", workers: 20"},
      {"reasoning", ", target: fast, reward: slow, steps_median: 3, step_tokens: 20, candidates: 2"},
      {"graph",
       ", nodes: [{name: parts, parts: 2, repeat: {}}, {name: join, pool: slow, after: [parts], output_tokens: "
       "40}]"}};
  for (const std::string& name : Registry<GatewayPolicy>::names()) {
    const auto own = settings.find(name);
    const std::string text =
        behind("gateway:\n  - {policy: " + name + (own == settings.end() ? "" : own->second) + "}\n", "", scores);
    const Ran ran(text);
    EXPECT_EQ(ran.recorder.requests().size(), 400u) << name;
    EXPECT_EQ(ran.recorder.gateway_requests().size(), 400u) << name;
    EXPECT_EQ(ran.summary.requests.completed, 400) << name;
    for (const RequestRecord& r : ran.recorder.requests()) {
      EXPECT_GE(*r.first_token_s, r.arrival_s) << name;
      EXPECT_GE(*r.finish_s, *r.first_token_s) << name;
    }
    std::int64_t answers = 0;
    for (const AnsweredBy& a : ran.summary.gateway.answered_by) answers += a.answers;
    EXPECT_EQ(answers, 400) << name;
    const Ran again(text);
    EXPECT_EQ(told(ran.recorder, ran.facts), told(again.recorder, again.facts)) << name;
    const Ran slowly(text, true);
    EXPECT_EQ(told(ran.recorder, ran.facts), told(slowly.recorder, slowly.facts)) << name;
  }
}

TEST(Gateway, AHitIsThereAfterTheLookUpAndCostsNoPool) {
  const Ran ran(
      behind("gateway:\n  - {policy: semantic_cache, intents: {count: 20, unique_fraction: 0}, "
             "embedding: {token_s: 0, median_s: 0.01, workers: 0}, search: {median_s: 0.005, workers: 400, "
             "overhead_s: 0}}\n"));
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const RequestRecord& r = ran.recorder.requests()[i];
    const GatewayRecord& g = ran.recorder.gateway_requests()[i];
    EXPECT_NEAR(g.gateway_s, 0.015, 1e-12);
    EXPECT_EQ(g.llm_calls, g.answered_by == GatewayRecord::memory ? 0 : 1);
    EXPECT_GE(*r.first_token_s - r.arrival_s, 0.015 - 1e-12) << "every request waits for the look-up";
    if (g.answered_by != GatewayRecord::memory) continue;
    ++hits;
    EXPECT_NEAR(*r.finish_s - r.arrival_s, 0.015, 1e-9);
    EXPECT_TRUE(r.off_pools);
  }
  EXPECT_EQ(static_cast<double>(hits), ran.counted("hits") + ran.counted("false_hits"));
  EXPECT_GT(hits, 100);
}

// An accepted answer is seen as a whole once it is judged; an escalated one streams from the second model, and has
// waited for the first one and the scorer.
TEST(Gateway, ACascadeTakesTheSumOfItsStages) {
  const Ran ran(behind("gateway:\n  - {policy: frugal, models: [fast, slow], accept_above: [0.8]}\n", "", scores));
  std::map<std::uint32_t, double> first_pass_end_s;
  for (const auto& row : ran.events.all)
    if (row.kind == "call" && row.what == "fast")
      first_pass_end_s[static_cast<std::uint32_t>(row.event.id)] = row.event.end_s;
  std::int64_t escalated = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const RequestRecord& r = ran.recorder.requests()[i];
    const double judged_s = first_pass_end_s.at(static_cast<std::uint32_t>(r.id)) + 0.010;
    if (ran.recorder.gateway_requests()[i].llm_calls == 1) {
      EXPECT_DOUBLE_EQ(*r.first_token_s, *r.finish_s);
      EXPECT_NEAR(*r.finish_s, judged_s, 1e-9);
    } else {
      ++escalated;
      EXPECT_GT(*r.first_token_s, judged_s);
    }
  }
  EXPECT_GT(escalated, 40);
  EXPECT_LT(escalated, 360);
  EXPECT_GT(*ran.summary.gateway.quality.front().score, 0.7);
}

TEST(Gateway, AReviewComesAfterTheDraftThatIsStreamed) {
  const std::string stage =
      "gateway:\n  - {policy: fast_slow, fast: fast, slow: slow, review_fraction: 1, timeout_s: 60}\n";
  const Ran ran(behind(stage, "", scores));
  const Ran drafts(behind(""));
  EXPECT_EQ(ran.counted("reviewed"), 400);
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(ran.recorder.requests()[i].first_token_s, drafts.recorder.requests()[i].first_token_s)
        << "the first token is the draft's";
    EXPECT_GT(*ran.recorder.requests()[i].finish_s, *drafts.recorder.requests()[i].finish_s);
  }
  EXPECT_NEAR(*ran.summary.gateway.quality.front().score, 0.9, 1e-9);
}

TEST(Gateway, ALateReviewLeavesTheDraft) {
  const auto run = [](const std::string& late) {
    return Ran(
        behind("gateway:\n  - {policy: fast_slow, fast: fast, slow: slow, review_fraction: 1, timeout_s: 1.5, "
               "late_review: " +
                   late + "}\n",
               "", scores));
  };
  const Ran cancelled = run("cancel");
  const Ran finished = run("finish");
  const Ran drafts(behind(""));
  for (const Ran* ran : {&cancelled, &finished}) {
    EXPECT_EQ(ran->summary.requests.completed, 400);
    EXPECT_EQ(ran->counted("reviewed") + ran->counted("drafts_kept"), 400);
    EXPECT_GT(ran->counted("reviewed"), 20);
    EXPECT_GT(ran->counted("drafts_kept"), 20);
    for (std::size_t i = 0; i < 400; ++i) {
      const RequestRecord& r = ran->recorder.requests()[i];
      const bool kept = ran->recorder.gateway_requests()[i].answered_by == 0;
      if (kept) {
        EXPECT_EQ(r.finish_s, drafts.recorder.requests()[i].finish_s);
      } else {
        EXPECT_LT(*r.finish_s - r.arrival_s, 1.5 + 1e-9);
      }
    }
  }
  EXPECT_LT(cancelled.summary.pools[1].busy_fraction, finished.summary.pools[1].busy_fraction)
      << "a review that is cancelled frees the slow pool";
}

// 400 requests of 500 tokens and what they got at $10 and $20 a million.
TEST(Gateway, AnApiIsPaidByTheTokenAndNoGpuWorks) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: outside, takes_all: true, usd_per_million_prompt_tokens: 10, "
             "usd_per_million_output_tokens: 20}\n"));
  std::int64_t outputs = 0;
  for (const RequestRecord& r : ran.recorder.requests()) outputs += r.output_tokens;
  const double usd = (400 * 500 * 10 + static_cast<double>(outputs) * 20) * 1e-6;
  ASSERT_EQ(ran.summary.gateway.bill.size(), 3u);
  EXPECT_NEAR(ran.summary.gateway.bill[1].usd, usd, 1e-9);
  EXPECT_NEAR(ran.summary.gateway.bill[2].usd, usd + ran.summary.cost.usd_total, 1e-9);
  EXPECT_EQ(ran.summary.steps, 0);
}

TEST(Gateway, WhomTheApiRefusesTooOftenIsTurnedAway) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: outside, takes_all: true, concurrency: 2, attempts: 3}\n"));
  EXPECT_GT(ran.summary.requests.shed, 50);
  EXPECT_EQ(ran.summary.requests.shed + ran.summary.requests.completed, 400);
  EXPECT_EQ(ran.counted("given_up"), static_cast<double>(ran.summary.requests.shed));
}

// Clients who wait for their answers before they go on come later by what the gateway takes.
TEST(Gateway, ClosedLoopsWaitForTheAnswer) {
  const std::string sessions =
      "    requests: 200\n    arrivals: {poisson: {requests_per_s: 2}}\n    prompt_tokens: {fixed: 100}\n"
      "    output_tokens: {fixed: 30}\n    sessions: {turns: {fixed: 4}, think_s: {fixed: 1}}\n";
  for (const std::string stage :
       {"gateway:\n  - {policy: frugal, models: [fast, slow], accept_above: [0.8]}\n",
        "gateway:\n  - {policy: semantic_cache, intents: {count: 5}}\n", "gateway:\n  - {policy: retrieval}\n"}) {
    const Ran ran(behind(stage, sessions, scores));
    EXPECT_EQ(ran.summary.requests.completed, 200);
  }
}

TEST(Gateway, WhatIsOnItsWayAtTheEndIsUnfinished) {
  for (const std::string stage :
       {"{policy: frugal, models: [fast, slow], accept_above: [0.8]}", "{policy: semantic_cache}",
        "{policy: retrieval}", "{policy: api_tier, name: outside, takes_all: true}", "{policy: tools}",
        "{policy: fast_slow, fast: fast, slow: slow, review_fraction: 0.5}"}) {
    const Ran ran(behind("gateway:\n  - " + stage + "\n", "", scores + "until_s: 20\n"));
    std::int64_t arrived = 0;
    for (const RequestRecord& r : ran.recorder.requests()) {
      EXPECT_LE(r.arrival_s, 20);
      EXPECT_LE(r.finish_s.value_or(0), 20);
      ++arrived;
    }
    EXPECT_EQ(ran.summary.requests.completed + ran.summary.requests.unfinished, arrived) << stage;
    EXPECT_GT(ran.summary.requests.unfinished, 0) << stage;
    EXPECT_EQ(ran.recorder.gateway_requests().size(), ran.recorder.requests().size());
  }
}

TEST(Gateway, ClientsGiveUpWhereverTheirRequestIs) {
  const std::string impatient =
      "    requests: 300\n    arrivals: {poisson: {requests_per_s: 8}}\n    prompt_tokens: {fixed: 500}\n"
      "    output_tokens: {exponential: {mean: 60}}\n  client_timeout_s: 1\n";
  for (const std::string stage : {"{policy: frugal, models: [fast, slow], accept_above: [0.8]}",
                                  "{policy: api_tier, name: outside, takes_all: true}",
                                  "{policy: summarize, from_tokens: 100, summary_tokens: 90}"}) {
    const std::string text = behind("gateway:\n  - " + stage + "\n", impatient, scores);
    const Ran ran(text);
    EXPECT_EQ(ran.summary.requests.timed_out + ran.summary.requests.completed, 300) << stage;
    EXPECT_GT(ran.summary.requests.timed_out, 0) << stage;
    for (const RequestRecord& r : ran.recorder.requests())
      EXPECT_LE(r.finish_s.value_or(r.arrival_s) - r.arrival_s, 1.2) << stage;
  }
}

// The second LLM call of an agent begins with the first one's prompt and answer: a prefix cache has computed those.
TEST(Gateway, AToolsSecondPassFindsTheFirstOnesKv) {
  const std::string stage = "gateway:\n  - {policy: tools, using_fraction: 1, calls_mean: 1}\n";
  const Ran shared(behind(stage));
  const Ran alone(behind(stage), false, {{"pools[0].kv_cache.policy", "paged"}});
  for (const RequestRecord& r : shared.recorder.requests()) EXPECT_GE(r.cached_tokens, 480);
  for (const RequestRecord& r : alone.recorder.requests()) EXPECT_EQ(r.cached_tokens, 0);
}

TEST(Gateway, ReadersWaitForJsonLongerThanForLines) {
  const Ran ran(behind("", "", "perceived:\n  - {first_field_tokens: 10, reading_tokens_per_s: 1000}\n"));
  ASSERT_EQ(ran.summary.gateway.perceived.size(), 1u);
  const PerceivedSummary& p = ran.summary.gateway.perceived.front();
  EXPECT_LT(p.first_line_s->mean, p.first_object_s->mean);
  EXPECT_GE(p.first_line_s->mean, ran.summary.latencies.ttft_s->mean);
  EXPECT_DOUBLE_EQ(p.first_object_s->mean, ran.summary.latencies.e2e_s->mean);
  EXPECT_GT(p.stall_s->mean, 0) << "no reader writes 1,000 tokens a second";
}

/// KV bytes that went over links, and the tokens that reviews found, with kv_reuse: same_model_kv between pools of
/// one model.
std::array<double, 3> same_model() {
  return in_child<3>([] {
    struct Flows final : DetailListener {
      double bytes = 0;
      double count = 0;
      void flow(const FlowRecord& flow) override {
        bytes += flow.bytes;
        count += 1;
      }
    } flows;
    Scenario scenario = scenario_from(
        behind(
            "gateway:\n  - {policy: fast_slow, fast: fast, slow: slow, review_fraction: 1, timeout_s: 60, kv_reuse: "
            "same_model_kv}\n",
            "    requests: 20\n    arrivals: {constant: {requests_per_s: 0.2}}\n    prompt_tokens: {fixed: 500}\n"
            "    output_tokens: {fixed: 60}\n"),
        {{"pools[1].llm", "llama-3.1-8b"}, {"pools[1].tensor_parallel", "1"}});
    Recorder recorder(scenario.pools.size());
    run(scenario, recorder, {.detail = &flows});
    double cached = 0;
    for (const RequestRecord& r : recorder.requests()) cached += static_cast<double>(r.cached_tokens);
    return std::array<double, 3>{flows.bytes, flows.count, cached};
  });
}

// 560 tokens of 131,072 bytes (8B: 2 * 32 layers * 8 heads * 128 * 2 bytes) for each of 20 reviews; the review's
// cache then knows whole blocks of 16 of the 560 tokens, of which the record counts at most the client's prompt of
// 500.
TEST(Gateway, SameModelKvComesOverTheLinks) {
  const auto [bytes, flows, cached] = same_model();
  EXPECT_NEAR(bytes, 20.0 * 560 * 131072, 1);
  EXPECT_EQ(flows, 20);
  EXPECT_EQ(cached, 20.0 * 500);
}

}  // namespace servecast::engine_test
