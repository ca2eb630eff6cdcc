// What breaks, and what becomes of requests, replicas and links.
#include "sim/engine/failures/failures.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::failures_test {

/// Replicas of a node each. By turns, a request comes every second; every step takes 1/32 s.
std::string nodes_with(const std::string& failures, int replicas, int requests, const std::string& more = {}) {
  return "workload:\n" + more + "  generate:\n    requests: " + std::to_string(requests) +
         "\n    arrivals: {constant: {requests_per_s: 1}}\n    prompt_tokens: {fixed: 160}\n"
         "    output_tokens: {fixed: 400}\n"
         "cluster: {node: dgx_h100, nodes: " +
         std::to_string(replicas) +
         "}\npools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, tensor_parallel: 8, "
         "replicas: " +
         std::to_string(replicas) + ", router: {policy: round_robin}}\nfailures:\n" + failures;
}

/// Runs it in a child and brings numbers home: of each request status, first token, finish, output, replica.
std::string run_script(const std::string& text, bool step_by_step = false) {
  return in_child([&] {
    Scenario scenario = scenario_from(text);
    scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
    const Finished done = run_it(scenario, {.step_by_step = step_by_step});
    std::string out;
    for (const RequestRecord& r : done.recorder.requests())
      out += fmt::format("{} {} {} {} {} {}\n", r.arrival_s, static_cast<int>(r.status), r.first_token_s.value_or(-1),
                         r.finish_s.value_or(-1), r.output_tokens, index(r.replica));
    const FailureTotals& t = done.facts.failures.pools[0];
    return out + fmt::format("{} {} {} {} {} {} {} {}", t.crashed_s.size(), t.down_s, t.lost, t.retried, t.resumed,
                             t.lost_tokens, t.reprefill_tokens, t.stand_ins);
  });
}

struct Row {
  double arrival_s = 0;
  int status = 0;
  double first_token_s = 0;
  double finish_s = 0;
  std::int64_t output_tokens = 0;
  std::size_t replica = 0;
};
struct Totals {
  std::int64_t crashes = 0;
  double down_s = 0;
  std::int64_t lost = 0;
  std::int64_t retried = 0;
  std::int64_t resumed = 0;
  std::int64_t lost_tokens = 0;
  std::int64_t reprefill_tokens = 0;
  std::int64_t stand_ins = 0;
};
struct Script {
  Script(const std::string& text, std::size_t count) : rows(count) {
    std::istringstream in(run_script(text));
    for (Row& r : rows)
      in >> r.arrival_s >> r.status >> r.first_token_s >> r.finish_s >> r.output_tokens >> r.replica;
    in >> t.crashes >> t.down_s >> t.lost >> t.retried >> t.resumed >> t.lost_tokens >> t.reprefill_tokens >>
        t.stand_ins;
    EXPECT_TRUE(in);
  }
  std::vector<Row> rows;
  Totals t{};
};

constexpr int completed = static_cast<int>(RequestStatus::completed);
constexpr double tokens_per_s = 32;
constexpr double step_s = 1 / tokens_per_s;

// Two requests, one on each replica; the first one's node fails 5 s after it came, when it has 160 of its 400 tokens.
std::string first_fails(const std::string& in_flight) {
  return nodes_with("  in_flight: " + in_flight + "\n  events: [{at_s: 5, replica: 0, down_s: 1}]\n", 2, 2);
}

TEST(Failures, LoseWhatWasInHand) {
  const Script run(first_fails("lost"), 2);
  const Row& hit = run.rows[0];
  const auto made = static_cast<std::int64_t>((5 - hit.arrival_s) * tokens_per_s);
  EXPECT_EQ(hit.status, static_cast<int>(RequestStatus::lost));
  EXPECT_EQ(hit.output_tokens, made);
  EXPECT_EQ(hit.finish_s, -1);
  EXPECT_EQ(run.rows[1].status, completed);
  EXPECT_EQ(run.t.lost, 1);
  EXPECT_EQ(run.t.lost_tokens, 160 + made - 1);  // the last one's KV is not computed
  EXPECT_EQ(run.t.reprefill_tokens, 0);
}

// The other replica's next batch is filled already (asynchronous scheduling): one step later.
TEST(Failures, StartOverElsewhere) {
  const Script run(first_fails("retry"), 2);
  const Row& hit = run.rows[0];
  EXPECT_EQ(hit.status, completed);
  EXPECT_EQ(hit.replica, 1u);
  EXPECT_DOUBLE_EQ(hit.first_token_s, 5 + 2 * step_s);
  EXPECT_DOUBLE_EQ(hit.finish_s, 5 + 401 * step_s);
  EXPECT_EQ(run.t.retried, 1);
  EXPECT_EQ(run.t.reprefill_tokens, 160);
}

// One prefill step gives the next token, as the decode step would have: with equal steps only that one is lost.
TEST(Failures, GoOnElsewhere) {
  const Script run(first_fails("recompute"), 2);
  const Row& hit = run.rows[0];
  const auto made = static_cast<std::int64_t>((5 - hit.arrival_s) * tokens_per_s);
  EXPECT_EQ(hit.status, completed);
  EXPECT_EQ(hit.replica, 1u);
  EXPECT_DOUBLE_EQ(hit.first_token_s, hit.arrival_s + 1 / tokens_per_s);
  EXPECT_DOUBLE_EQ(hit.finish_s, hit.arrival_s + 401 * step_s);
  EXPECT_EQ(run.t.resumed, 1);
  EXPECT_EQ(run.t.reprefill_tokens, 160 + made - 1);
}

// Its replica fails, and a second later all others do.
TEST(Failures, ARequestGoesOnElsewhereSoOftenAndIsLostThen) {
  for (const std::string in_flight : {"retry", "recompute"}) {
    const Script run(nodes_with("  in_flight: " + in_flight +
                                    "\n  max_retries: 1\n  events: [{at_s: 5, replica: 0, down_s: 1}, "
                                    "{at_s: 6, replica: 1, down_s: 1}, {at_s: 6, replica: 2, down_s: 1}]\n",
                                3, 1),
                     1);
    EXPECT_EQ(run.rows[0].status, static_cast<int>(RequestStatus::lost)) << in_flight;
    EXPECT_EQ(run.t.retried + run.t.resumed, 1) << in_flight;
    EXPECT_EQ(run.t.lost, 1) << in_flight;
  }
}

/// Until the only replica serves again.
double back_s(const std::string& more, int spares = 0) {
  const Script run(nodes_with("  engine_init_s: 30\n  spares: " + std::to_string(spares) +
                                  "\n  events: [{at_s: 5, node: 0, down_s: 100}" + more + "]\n",
                              1, 1),
                   1);
  EXPECT_EQ(run.rows[0].status, completed);
  EXPECT_EQ(run.t.stand_ins, spares);
  EXPECT_NEAR(run.t.down_s, run.rows[0].finish_s - 400 / tokens_per_s - 5, 1e-9);
  return run.rows[0].finish_s - 400 / tokens_per_s;
}

/// The weights of 8 GPUs over their own ports and the storage that they share.
double load_s() {
  Scenario scenario = scenario_from(nodes_with("  events: []\n", 1, 1));
  const double port = scenario.groups[0].node.nic_bytes_per_s * scenario.groups[0].fabric.efficiency_fraction;
  const double bytes = scenario.pools[0].memory.weight_bytes;
  return std::max(8 * bytes / scenario.groups[0].fabric.storage_bytes_per_s, bytes / port);
}

TEST(Failures, ComeBackWhenRepairedLoadedAndStarted) { EXPECT_NEAR(back_s(""), 105 + load_s() + 30, 1e-4); }

TEST(Failures, SparesStandInAtOnce) { EXPECT_NEAR(back_s("", 1), 5 + load_s() + 30, 1e-4); }

// Storage breaks in the middle of the load, for 7 s.
TEST(Failures, CutLinksHoldUpWhatTravels) {
  const std::string cut = fmt::format(", {{at_s: {}, storage: true, down_s: 7}}", 105 + load_s() / 2);
  EXPECT_NEAR(back_s(cut), 105 + load_s() + 7 + 30, 1e-4);
}

TEST(Failures, BreakAgainWhileTheyLoad) {
  const std::string again = fmt::format(", {{at_s: {}, node: 0, gpu: 3, down_s: 50}}", 105 + load_s() / 2);
  const double left_s = 155 + load_s() / 2;
  EXPECT_GE(back_s(again), left_s + load_s() + 30 - 1e-4);  // what the first load still sends is in the way
  EXPECT_LE(back_s(again), left_s + 2 * load_s() + 30);
}

// 4 s at half the speed: 2 s late.
TEST(Failures, SlowNodesTakeLonger) {
  const Script run(nodes_with("  events: [{at_s: 4, node: 0, slow_s: 4, step_time_factor: 2}]\n", 1, 1), 1);
  EXPECT_NEAR(run.rows[0].finish_s, run.rows[0].arrival_s + 400 / tokens_per_s + 2, 1 / tokens_per_s);
}

TEST(Failures, ClientsGiveUpWhileNobodyServes) {
  const Script run(nodes_with("  events: [{at_s: 5, node: 0, down_s: 100}]\n", 1, 8, "  client_timeout_s: 20\n"), 8);
  for (const Row& r : run.rows) EXPECT_EQ(r.status, static_cast<int>(RequestStatus::timed_out));
}

// A cluster that fails once in a million years is one that does not.
TEST(Failures, NoneChangesNothing) {
  const auto run_once = [](const std::string& more) {
    return in_child([&] {
      Scenario scenario = scenario_from(small_chat + more);
      Finished done = run_it(scenario);
      done.facts.failures = {};
      return told(done.recorder, done.facts);
    });
  };
  const std::string before = run_once("");
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(
      before,
      run_once(
          "failures: {rates: [{part: node, mtbf_s: 3.0e13, mttr_s: 1}, {part: gpu, mtbf_s: 3.0e13, mttr_s: 1}]}\n"));
}

/// Random loads on three nodes with random scripts and rates; every second one has equal steps and arrivals, and
/// failures, on multiples of half a step.
std::string random_failures(const std::string& batcher, const std::string& router, std::uint64_t seed) {
  Rng rng(seed, "failures" + batcher + router);
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + rng.below(high - low + 1));
  };
  const bool ties = seed % 2 == 0;
  const std::string arrivals = seed % 5 == 0 ? "{closed_loop: {clients: " + between(5, 60) + "}}"
                               : ties        ? std::string("{constant: {requests_per_s: 64}}")
                                             : "{gamma: {requests_per_s: " + between(20, 90) + ", cv: 2}}";
  const std::vector<std::string> caches{"paged", "paged_prefix", "radix"};
  std::string text =
      "seed: " + std::to_string(seed) + "\nworkload:\n" +
      (seed % 3 == 1 ? "  client_timeout_s: " + between(3, 9) + "\n" : "") +
      "  generate:\n    requests: 250\n    arrivals: " + arrivals +
      "\n    prompt_tokens: {exponential: {mean: " + between(100, 600) +
      "}, max: 1900}\n    output_tokens: {exponential: {mean: " + between(20, 150) + "}, max: 600}\n" +
      (seed % 2 == 1 ? "    system_prompts: {count: 6, tokens: 256}\n" : "") +
      "cluster: {node: dgx_h100, nodes: 3, fabric: fat_tree}\npools:\n  - name: chat\n    llm: llama-3.1-8b\n"
      "    gpu: h100_sxm_80g\n    tensor_parallel: 8\n    replicas: 3\n    batcher: {policy: " +
      batcher + "}\n    kv_cache: {policy: " + caches[seed % 3] + ", num_gpu_blocks_override: " + between(300, 4000) +
      "}\n    router: {policy: " + router + "}\n";
  const bool looks = Registry<Router>::all().at(router).prepare()->make()->reads_state();
  if (looks && seed % 4 == 2) text += "    signal_delay_s: 0.3\n";
  text += "failures:\n  engine_init_s: 0.5\n  in_flight: " +
          std::vector<std::string>{"lost", "retry", "recompute"}[seed / 2 % 3] + "\n  spares: " + between(0, 1) +
          "\n  events:\n";
  const std::vector<std::string> parts{"node: 0",         "node: 2, gpu: 3", "replica: 1", "storage: true",
                                       "node: 1, nic: 4", "node: 1",         "switch: 0"};
  for (int i = 0; i < 6; ++i)
    text += "    - {at_s: " + std::to_string(static_cast<double>(rng.below(20 * 64)) / 64) + ", " +
            parts[rng.below(parts.size())] + ", down_s: " + between(1, 6) + "}\n";
  text += "    - {at_s: " + between(1, 8) + ", node: 0, slow_s: " + between(1, 6) + ", step_time_factor: 1.5}\n";
  text += "    - {at_s: " + between(1, 8) + ", node: 2, gpu: 1, slow_s: 3, clock_fraction: 0.5}\n";
  if (seed % 3 == 0) text += "  rates: [{part: node, mtbf_s: 20, mttr_s: 2}, {part: gpu, mtbf_s: 200, mttr_s: 3}]\n";
  return text;
}

/// Everything told; before it the number of crashes, or what is wrong.
std::string run_random(const std::string& text, std::uint64_t seed, bool step_by_step) {
  return in_child([&]() -> std::string {
    Scenario scenario = scenario_from(text);
    if (seed % 2 == 0) scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
    const Finished done = run_it(scenario, {.step_by_step = step_by_step});
    if (done.recorder.requests().size() != 250) return fmt::format("{} records", done.recorder.requests().size());
    for (const RequestRecord& r : done.recorder.requests())
      if (r.status == RequestStatus::unfinished) return fmt::format("{} is unfinished", index(r.id));
    return fmt::format("crashes {}\n", done.facts.failures.pools[0].crashed_s.size()) +
           told(done.recorder, done.facts);
  });
}

class RandomFailures : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(All, RandomFailures,
                         testing::Combine(testing::ValuesIn(Registry<Batcher>::names()),
                                          testing::ValuesIn(Registry<Router>::names())),
                         [](const auto& policies) {
                           return std::get<0>(policies.param) + "_" + std::get<1>(policies.param);
                         });

TEST_P(RandomFailures, StepByStepAndWithAllShortCutsAndNobodyForgotten) {
  const auto& [batcher, router] = GetParam();
  const std::uint64_t seed = Rng(1, "failures" + batcher + "/" + router).below(200);
  const std::string text = random_failures(batcher, router, seed);
  const std::string quick = run_random(text, seed, false);
  ASSERT_EQ(quick.substr(0, 8), "crashes ") << quick << ", seed " << seed;
  ASSERT_EQ(quick, run_random(text, seed, true)) << "seed " << seed;
}

}  // namespace servecast::failures_test
