#include "sim/engine/run/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/summary_of.h"

namespace servecast::run_test {

std::string one_request(std::int64_t prompt, std::int64_t output) {
  return R"(
workload:
  generate:
    requests: 1
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: )" +
         std::to_string(prompt) + R"(}
    output_tokens: {fixed: )" +
         std::to_string(output) + R"(}
cluster: {node: dgx_h100}
pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g}]
)";
}

const std::string two_clients = R"(
workload:
  generate:
    requests: 4
    arrivals: {closed_loop: {clients: 2}}
    prompt_tokens: {fixed: 500}
    output_tokens: {fixed: 3}
cluster: {node: dgx_h100}
pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g}]
)";

// An idle system adds nothing but the way to the engine and back: TTFT is that and the time of the prompt's one step,
// every further token that of its own step.
// vllm-0.15: a prompt of 500 tokens to the engine and back; 42.6 us for a sequence that emits.
constexpr double back_s = 3.63e-3 / 2;
constexpr double inbound_s = back_s + 500 * 3.5e-6;

TEST(Run, AnIdleSystemGivesTheFormula) {
  Scenario scenario = scenario_from(one_request(500, 3));
  StepWork prefill{.emitted_tokens = 1};
  prefill.add_chunk(500, 0);
  const StepLatency& latency = *scenario.pools[0].latency;
  const double prefill_s = latency.stage(prefill, 0).seconds;
  const auto decode_s = [&](std::int64_t context) {
    return latency.stage({.decode_sequences = 1, .decode_kv_tokens = context, .emitted_tokens = 1}, 0).seconds;
  };
  const double second_s = decode_s(501);
  const double third_s = decode_s(502);
  const Finished done = run_it(scenario);
  const RequestRecord& r = done.recorder.requests()[0];
  EXPECT_NEAR(*r.scheduled_s - r.arrival_s, inbound_s, 1e-12);
  EXPECT_NEAR(*r.first_token_s - r.arrival_s, inbound_s + back_s + 42.6e-6 + prefill_s, 1e-12);
  EXPECT_NEAR(*r.finish_s - *r.first_token_s, second_s + third_s, 1e-12);
}

// Two requests arrive together: the prefill step emits two tokens, and both are seen 42 us later than one alone. A
// client that waits for its answer asks again when it has seen it.
TEST(Run, TokensOfOneStepLeaveThroughOneDoor) {
  Scenario scenario = scenario_from(two_clients, {{"pools[0].tokenizer_workers", "2"}});
  const Finished done = run_it(scenario);
  const auto requests = done.recorder.requests();
  ASSERT_EQ(requests.size(), 4u);
  StepWork prefill{.emitted_tokens = 2};
  prefill.add_chunk(500, 0);
  prefill.add_chunk(500, 0);
  const double prefill_s = scenario.pools[0].latency->stage(prefill, 0).seconds;
  EXPECT_NEAR(*requests[0].first_token_s, inbound_s + back_s + 2 * 42.6e-6 + prefill_s, 1e-12);
  EXPECT_EQ(requests[2].arrival_s, *requests[0].finish_s);
  EXPECT_EQ(requests[3].arrival_s, *requests[1].finish_s);
  EXPECT_NEAR(*requests[2].scheduled_s - requests[2].arrival_s, inbound_s, 1e-12);
}

// One tokeniser: the second prompt waits for the first's 1.75 ms.
TEST(Run, PromptsWaitForTheTokenizer) {
  Scenario scenario = scenario_from(two_clients);
  const Finished done = run_it(scenario);
  const auto requests = done.recorder.requests();
  EXPECT_NEAR(*requests[0].scheduled_s, inbound_s, 1e-12);
  EXPECT_GE(*requests[1].scheduled_s, inbound_s + 500 * 3.5e-6);
  const PoolFacts& pool = done.facts.pools[0];
  EXPECT_EQ(pool.tokenizers, 1);
  EXPECT_NEAR(pool.tokenizing_s, 4 * 500 * 3.5e-6, 1e-12);
}

// 200 prompts/s of 2,000 tokens, 1,900 of them in the cache: 400,000 tokens/s for a tokeniser that takes 286,000. The
// GPU computes 20,000 of them.
std::string mostly_cached(int tokenizers) {
  return R"(
workload:
  generate:
    requests: 6000
    arrivals: {constant: {requests_per_s: 200}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 1}
    shared_prefix: {groups: 1, prompts_per_group: 1, system_tokens: 1900}
cluster: {node: dgx_h100}
pools:
  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, kv_cache: {policy: paged_prefix}, tokenizer_workers: )" +
         std::to_string(tokenizers) + "}\n";
}

TEST(Run, IsSaturatedWhereItsTokenizersAre) {
  const Summary one = summary_of(mostly_cached(1));
  EXPECT_TRUE(one.saturated);
  EXPECT_GT(one.pools[0].tokenizer_busy_fraction, 0.99);
  const Summary two = summary_of(mostly_cached(2));
  EXPECT_FALSE(two.saturated);
  EXPECT_NEAR(two.pools[0].tokenizer_busy_fraction, 0.7, 0.01);
}

TEST(Run, PromptsThatComeAsTokensWaitForNone) {
  Scenario scenario = scenario_from(two_clients, {{"pools[0].tokenizer_workers", "0"}});
  const Finished done = run_it(scenario);
  for (const RequestRecord& r : done.recorder.requests()) EXPECT_NEAR(*r.scheduled_s - r.arrival_s, inbound_s, 1e-12);
  EXPECT_EQ(done.facts.pools[0].tokenizers, 0);
}

// The token leaves its step before the end of the run and reaches its client after it.
TEST(Run, WhatIsStillOnItsWayToTheClientIsUnfinished) {
  Scenario whole = scenario_from(one_request(500, 1));
  StepWork prefill{.emitted_tokens = 1};
  prefill.add_chunk(500, 0);
  const double end_s = inbound_s + whole.pools[0].latency->stage(prefill, 0).seconds;
  Scenario scenario = scenario_from(one_request(500, 1), {{"until_s", std::to_string(end_s + 1e-3)}});
  const Finished done = run_it(scenario);
  const RequestRecord& r = done.recorder.requests()[0];
  EXPECT_EQ(r.status, RequestStatus::unfinished);
  EXPECT_FALSE(r.first_token_s);
  EXPECT_NEAR(done.facts.duration_s, end_s + 1e-3, 1e-6);
}

TEST(Run, WhatIsStillOnItsWayToTheEngineIsUnfinished) {
  Scenario scenario = scenario_from(one_request(500, 1), {{"until_s", "1e-3"}});
  const Finished done = run_it(scenario);
  ASSERT_EQ(done.recorder.requests().size(), 1u);
  EXPECT_EQ(done.recorder.requests()[0].status, RequestStatus::unfinished);
  EXPECT_FALSE(done.recorder.requests()[0].scheduled_s);
}

TEST(Run, TokensAndRequestsAreConserved) {
  Scenario scenario = scenario_from(small_chat);
  const Finished done = run_it(scenario);
  ASSERT_EQ(done.recorder.requests().size(), 3000u);
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  for (const RequestRecord& r : done.recorder.requests()) {
    ASSERT_EQ(r.status, RequestStatus::completed);
    EXPECT_LE(r.arrival_s, *r.scheduled_s);
    EXPECT_LT(*r.scheduled_s, *r.first_token_s);
    EXPECT_LE(*r.first_token_s, *r.finish_s);
    prompt_tokens += r.prompt_tokens;
    output_tokens += r.output_tokens;
  }
  std::int64_t computed = 0;
  std::int64_t emitted = 0;
  for (const SecondRecord& s : done.recorder.pools()[0].seconds) {
    computed += s.prompt_tokens;
    emitted += s.output_tokens;
  }
  EXPECT_EQ(done.facts.pools[0].totals.preemptions, 0);
  EXPECT_EQ(computed, prompt_tokens);
  EXPECT_EQ(emitted, output_tokens);
  EXPECT_EQ(done.recorder.pools()[0].token_gap_s.count(), output_tokens - 3000);
  EXPECT_LE(done.facts.pools[0].totals.kv_blocks_max, done.facts.pools[0].kv_blocks_per_replica);
}

// Little's law, L = lambda W, exactly: requests in the system integrated over time are their times in it, summed.
TEST(Run, LittlesLawHolds) {  // for what the engine sees of a request
  Scenario scenario = scenario_from(small_chat, {{"pools[0].engine", "none"}});
  const Finished done = run_it(scenario);
  double in_system_s = 0;
  for (const RequestRecord& r : done.recorder.requests()) in_system_s += *r.finish_s - r.arrival_s;
  const PoolRecord& pool = done.recorder.pools()[0];
  const Seconds seconds(done.facts.duration_s);
  double integral_s = 0;
  const auto running = pool.running.means(seconds);
  const auto waiting = pool.waiting.means(seconds);
  for (std::size_t i = 0; i < running.size(); ++i)
    integral_s += (running[i] + waiting[i]) * to_seconds(seconds.width(i));
  EXPECT_NEAR(integral_s / in_system_s, 1, 1e-6);
}

// No step is faster than its arithmetic at the data sheet's peak, or than reading the weights once.
TEST(Run, IsNeverFasterThanTheHardware) {
  struct Steps final : DetailListener {
    double flop_per_token = 0;
    double weight_s = 0;
    double peak_flop_per_s = 0;
    std::int64_t seen = 0;
    bool wants_step(double) override { return true; }
    void step(const StepRecord& s, std::span<const StepMember> who) override {
      ++seen;
      std::int64_t tokens = 0;
      for (const StepMember& m : who) tokens += m.tokens;
      EXPECT_EQ(tokens, s.decode_sequences + s.prefill_tokens);
      EXPECT_GE(s.end_s - s.start_s, weight_s);
      EXPECT_GE(s.end_s - s.start_s, flop_per_token * static_cast<double>(tokens) / peak_flop_per_s);
    }
  } steps;
  Scenario scenario = scenario_from(small_chat);
  const Pool& pool = scenario.pools[0];
  // Layers only: the LM head runs on emitting rows, the embedding is a look-up.
  const double embeddings = 2.0 * static_cast<double>(pool.llm.vocabulary) * static_cast<double>(pool.llm.hidden);
  steps.flop_per_token = 2 * (parameters(pool.llm) - embeddings);
  steps.weight_s = 2 * (parameters(pool.llm) - embeddings) / pool.gpu.hbm_bytes_per_s;
  steps.peak_flop_per_s = pool.gpu.peaks.bf16_flop_per_s;
  run_it(scenario, {.detail = &steps});
  EXPECT_GT(steps.seen, 1000);
}

class EveryRouter : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EveryRouter, testing::ValuesIn(Registry<Router>::names()),
                         [](const auto& router) { return router.param; });

TEST_P(EveryRouter, ServesEverybodyAndUsesEveryReplica) {
  Scenario scenario = scenario_from(small_chat, {{"pools[0].router", "{policy: " + GetParam() + "}"}});
  const Finished done = run_it(scenario);
  std::map<ReplicaId, int> served;
  for (const RequestRecord& r : done.recorder.requests()) {
    EXPECT_EQ(r.status, RequestStatus::completed);
    ++served[r.replica];
  }
  EXPECT_EQ(served.size(), 4u);
}

// A closed loop of 10 clients without thinking time keeps exactly 10 requests in the system until the last are
// served.
TEST(Run, AClosedLoopKeepsItsConcurrency) {
  Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 400
    arrivals: {closed_loop: {clients: 10}}
    prompt_tokens: {exponential: {mean: 300}, max: 2000}
    output_tokens: {exponential: {mean: 50}, max: 400}
cluster: {node: dgx_h100}
pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 2}]
)");
  const Finished done = run_it(scenario);
  ASSERT_EQ(done.recorder.requests().size(), 400u);
  std::vector<std::pair<double, int>> changes;
  for (const RequestRecord& r : done.recorder.requests()) {
    ASSERT_EQ(r.status, RequestStatus::completed);
    changes.emplace_back(r.arrival_s, 1);
    changes.emplace_back(*r.finish_s, -1);
  }
  std::ranges::sort(changes);
  int in_system = 0;
  int arrived = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    in_system += changes[i].second;
    arrived += changes[i].second > 0 ? 1 : 0;
    const bool instant_over = i + 1 == changes.size() || changes[i + 1].first > changes[i].first;
    if (instant_over && arrived < 400) {
      ASSERT_EQ(in_system, 10);
    }
  }
  EXPECT_EQ(arrived, 400);
}

TEST(Run, ColdReplicasShareTheStorage) {
  struct Flows final : DetailListener {
    std::vector<FlowRecord> flows;
    double most_used = 0;
    void flow(const FlowRecord& f) override { flows.push_back(f); }
    void link(const LinkSample& sample) override { most_used = std::max(most_used, sample.used_fraction); }
  } heard;
  Scenario scenario = scenario_from(small_chat, {{"pools[0].start", "cold"}});
  const double weight_bytes = scenario.pools[0].memory.weight_bytes;
  const double storage_bytes_per_s = scenario.groups[0].fabric.storage_bytes_per_s;
  const Finished done = run_it(scenario, {.detail = &heard});
  ASSERT_EQ(heard.flows.size(), 4u);
  // Four replicas load at once; storage is the narrowest link, so all end together after 4 x weights / bandwidth.
  const double loaded_s = 4 * weight_bytes / storage_bytes_per_s;
  for (const FlowRecord& f : heard.flows) EXPECT_NEAR(f.end_s / loaded_s, 1, 1e-3);
  for (const RequestRecord& r : done.recorder.requests()) EXPECT_GE(*r.scheduled_s, loaded_s * 0.999);
  EXPECT_NEAR(heard.most_used, 1, 1e-4);  // nothing holds them up but the storage
}

// Traces are read as the run goes: a broken row deep inside is still the user's error, with its line.
TEST(Run, ABrokenRowIsReportedWithItsLine) {
  const auto trace =
      std::filesystem::temp_directory_path() / ("servecast-trace-" + std::to_string(getpid()) + ".csv");
  std::ofstream out(trace);
  out << "request_id,arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 5000; ++i) out << i << ',' << i << ",100,10\n";
  out << "5000,5000,many,10\n";
  out.close();
  Scenario scenario = scenario_from(small_chat, {{"workload", "{trace: {path: " + trace.string() + "}}"}});
  try {
    run_it(scenario);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(error.problems().at(0).place.line, 5002) << error.what();
  }
  std::filesystem::remove(trace);
}

TEST(Run, StopsAtTheTimeGiven) {
  Scenario scenario = scenario_from(small_chat, {{"until_s", "20"}});
  const Finished done = run_it(scenario);
  EXPECT_EQ(done.facts.duration_s, 20);
  const auto unfinished =
      std::ranges::count(done.recorder.requests(), RequestStatus::unfinished, &RequestRecord::status);
  EXPECT_GT(unfinished, 0);
  EXPECT_LT(unfinished, 200);
  for (const RequestRecord& r : done.recorder.requests()) {
    EXPECT_LE(r.arrival_s, 20);
    EXPECT_LE(r.finish_s.value_or(0), 20);
  }
}

TEST(Run, TellsItsProgressAndCanBeStopped) {
  std::vector<Progress> told;
  Scenario scenario = scenario_from(small_chat);
  const RunOptions options{.progress = [&](const Progress& p) { told.push_back(p); },
                           .stop = [&] { return told.size() >= 3; }};
  EXPECT_THROW(run_it(scenario, options), CutShort);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_GT(told.back().fraction_read, 0.2);
}

}  // namespace servecast::run_test
