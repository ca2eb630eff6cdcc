// A replica stops while KV is on its way from it or to it.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::leases_test {

constexpr double step_s = 1.0 / 32;
constexpr std::int64_t outputs = 40;
constexpr int prompt_steps = 8;     // of 2,000 tokens each
constexpr double noticed_s = 1e-5;  // ends of flows are noticed on a grid of about a microsecond

/// One request of 16,000 tokens arrives at 1 s; every step takes 1/32 s. Two replicas of two GPUs each compute
/// prompts, `decoders` decode; each has a node.
std::string scenario(const std::string& transfer, int decoders, const std::string& failures) {
  return "workload:\n  generate:\n    requests: 1\n    arrivals: {constant: {requests_per_s: 1}}\n    prompt_tokens: "
         "{fixed: 16000}\n    output_tokens: {fixed: 40}\ncluster: {node: dgx_h100, nodes: " +
         std::to_string(2 + decoders) +
         "}\npools:\n  - {name: prompts, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, tensor_parallel: 8, "
         "replicas: 2, router: {policy: round_robin}, batcher: {policy: vllm_v1, max_num_batched_tokens: 2000}, "
         "placement: {policy: disaggregated, decode_pool: answers, first_token: prefill, transfer: " +
         transfer +
         "}}\n  - {name: answers, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, tensor_parallel: 8, "
         "replicas: " +
         std::to_string(decoders) + ", batcher: {policy: vllm_v1, max_num_batched_tokens: 2000}}\n" + failures;
}

struct Outcome {
  int status = 0;
  double first_token_s = 0;
  double finish_s = 0;
  double hand_over_s = 0;
  std::int64_t output_tokens = 0;
  std::int64_t lost = 0, retried = 0, resumed = 0, reprefill_tokens = 0;
};

Outcome outcome(const std::string& text) {
  const auto run = [&](bool step_by_step) {
    return in_child([&] {
      Scenario made = scenario_from(text);
      for (Pool& pool : made.pools) pool.latency = std::make_unique<ConstantLatency>(1);
      const Finished done = run_it(made, {.step_by_step = step_by_step});
      const RequestRecord& r = done.recorder.requests().front();
      std::string out = fmt::format("{} {} {} {} {}", static_cast<int>(r.status), r.first_token_s.value_or(-1),
                                    r.finish_s.value_or(-1), r.hand_over_s.value_or(-1), r.output_tokens);
      if (done.facts.failures.pools.empty()) return out + " 0 0 0 0";
      const FailureTotals& t = done.facts.failures.pools[0];
      return out + fmt::format(" {} {} {} {}", t.lost, t.retried, t.resumed, t.reprefill_tokens);
    });
  };
  const std::string quick = run(false);
  EXPECT_EQ(quick, run(true)) << text;
  Outcome o;
  std::istringstream in(quick);
  in >> o.status >> o.first_token_s >> o.finish_s >> o.hand_over_s >> o.output_tokens >> o.lost >> o.retried >>
      o.resumed >> o.reprefill_tokens;
  EXPECT_TRUE(in) << quick;
  return o;
}

std::string stops(const std::string& in_flight, double at_s, int replica, double down_s = 1000) {
  return fmt::format(
      "failures:\n  in_flight: {}\n  engine_init_s: 2\n  events: [{{at_s: {}, replica: {}, down_s: {}}}]\n",
      in_flight, at_s, replica, down_s);
}

constexpr int completed = static_cast<int>(RequestStatus::completed);
constexpr int lost = static_cast<int>(RequestStatus::lost);
/// From when a prompt begins to the last token: its steps, the hand-over, and a step for each further token.
double whole_s(const Outcome& o) { return (prompt_steps + outputs - 1) * step_s + o.hand_over_s; }
/// The same where tokens made before are computed with the prompt, and nothing is handed over. 16,001 tokens take a
/// step more.
constexpr double again_s = (prompt_steps + 1 + outputs - 2) * step_s;

class EitherSide : public testing::TestWithParam<int> {};

// Replica 0 has computed the prompt, replica 2 is to decode it; one of them stops half-way through the hand-over.
TEST_P(EitherSide, StopsDuringAHandOver) {
  for (const std::string transfer : {"pull", "push"}) {
    const Outcome calm = outcome(scenario(transfer, 2, ""));
    ASSERT_EQ(calm.status, completed);
    ASSERT_GT(calm.hand_over_s, 10 * noticed_s);
    ASSERT_NEAR(calm.finish_s - calm.first_token_s, whole_s(calm) - prompt_steps * step_s, 2 * noticed_s);
    const double at_s = calm.first_token_s + calm.hand_over_s / 2;

    const Outcome gone = outcome(scenario(transfer, 2, stops("lost", at_s, GetParam())));
    EXPECT_EQ(gone.status, lost);
    EXPECT_EQ(gone.lost, 1);
    EXPECT_EQ(gone.output_tokens, 1);

    const Outcome retried = outcome(scenario(transfer, 2, stops("retry", at_s, GetParam())));
    EXPECT_EQ(retried.status, completed);
    EXPECT_EQ(retried.retried, 1);
    EXPECT_EQ(retried.reprefill_tokens, 16'000);
    EXPECT_NEAR(retried.finish_s, at_s + whole_s(calm), 2 * noticed_s) << transfer;

    const Outcome resumed = outcome(scenario(transfer, 2, stops("recompute", at_s, GetParam())));
    EXPECT_EQ(resumed.status, completed);
    EXPECT_EQ(resumed.resumed, 1);
    EXPECT_EQ(resumed.first_token_s, calm.first_token_s);
    EXPECT_NEAR(resumed.finish_s, at_s + again_s, noticed_s) << transfer;
  }
}
INSTANTIATE_TEST_SUITE_P(Leases, EitherSide, testing::Values(0, 2));

// Half of the prompt is computed, and what is computed has left already.
TEST(Leases, TheSenderStopsWhileItStreams) {
  const Outcome calm = outcome(scenario("stream", 2, ""));
  const double at_s = calm.first_token_s - 4 * step_s;
  EXPECT_EQ(outcome(scenario("stream", 2, stops("lost", at_s, 0))).status, lost);
  for (const std::string in_flight : {"retry", "recompute"}) {
    const Outcome again = outcome(scenario("stream", 2, stops(in_flight, at_s, 0)));
    EXPECT_EQ(again.status, completed);
    EXPECT_EQ(again.reprefill_tokens, 8'000);
    EXPECT_NEAR(again.finish_s, at_s + whole_s(calm), 2 * noticed_s) << in_flight;
  }
}

// The prompt goes on, and all of its KV leaves for another replica when it is computed.
TEST(Leases, TheReceiverStopsWhileKvIsStreamedToIt) {
  const Outcome calm = outcome(scenario("stream", 2, ""));
  const Outcome pulled = outcome(scenario("pull", 2, ""));
  const Outcome other = outcome(scenario("stream", 2, stops("lost", calm.first_token_s - 4 * step_s, 2)));
  EXPECT_EQ(other.status, completed);
  EXPECT_EQ(other.lost, 0);
  EXPECT_EQ(other.first_token_s, calm.first_token_s);
  EXPECT_NEAR(other.hand_over_s, pulled.hand_over_s, 2 * noticed_s);
}

// The only one that decodes is away when the prompt is done: its KV waits where it was computed. 2.01 s down, then
// weights from storage and 2 s until it serves.
TEST(Leases, KvWaitsUntilSomebodyDecodes) {
  const Outcome calm = outcome(scenario("pull", 1, ""));
  const Outcome late = outcome(scenario("pull", 1, stops("lost", calm.first_token_s - step_s, 2, 2.01)));
  EXPECT_EQ(late.status, completed);
  EXPECT_EQ(late.first_token_s, calm.first_token_s);
  EXPECT_GT(late.hand_over_s, 4);
  EXPECT_NEAR(late.finish_s, late.first_token_s + late.hand_over_s + (outputs - 1) * step_s, 2 * noticed_s);
}

// Half of the answer is made. It is computed again where it decodes, and what is left is made there.
TEST(Leases, TheDecodingReplicaStops) {
  const Outcome calm = outcome(scenario("pull", 2, ""));
  const double at_s = calm.first_token_s + calm.hand_over_s + 20.5 * step_s;
  const Outcome resumed = outcome(scenario("pull", 2, stops("recompute", at_s, 2)));
  EXPECT_EQ(resumed.status, completed);
  EXPECT_NEAR(resumed.finish_s, at_s + (prompt_steps + 1 + outputs - 22) * step_s, noticed_s);
  const Outcome retried = outcome(scenario("pull", 2, stops("retry", at_s, 2)));
  EXPECT_NEAR(retried.finish_s, at_s + whole_s(calm), 2 * noticed_s);
}

}  // namespace servecast::leases_test
