// What happens between a request's arrival at a pool and its arrival at a replica.
#include <gtest/gtest.h>

#include <set>

#include "sim/engine/cluster/kv_copy.h"
#include "sim/engine/cluster/pool_answers.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::pool_admission_test {

std::string load(const std::string& generate, const std::string& pool) {
  return R"(
workload:
  generate:
)" + generate +
         R"(
cluster: {node: dgx_h100}
slo: {ttft_s: 10}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
)" + pool;
}

struct Ran {
  explicit Ran(const std::string& text) : scenario(scenario_from(text)) {
    facts = run_without_engine(scenario, recorder, {});
  }
  Scenario scenario;
  Recorder recorder{1};
  RunFacts facts;
};

// Ten requests of 100 tokens at 0, 1, ... s into a bucket of 250 that gets 30 tokens back every second: taken on at 0
// and 1 s (250 - 100 + 30 - 100 = 80), at 2 s (110) and then whenever 100 are there: 10 at 2 s, 100 at 5 s; 0, 90 at
// 8 s, 120 at 9 s.
TEST(PoolAdmission, TurnsAwayWhatABucketDoesNotHold) {
  const Ran ran(load(R"(    requests: 10
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 2})",
                     "    admission: {policy: token_bucket, unit: prompt_tokens, rate_per_s: 30, burst: 250}\n"));
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < ran.recorder.requests().size(); ++i)
    if (ran.recorder.requests()[i].status == RequestStatus::completed) taken.push_back(i + 1);
  EXPECT_EQ(taken, (std::vector<std::size_t>{1, 2, 3, 6, 10}));
  const Summary s = summarise(ran.recorder, ran.facts);
  EXPECT_EQ(s.requests.arrived, 10);
  EXPECT_EQ(s.requests.completed, 5);
  EXPECT_EQ(s.requests.shed, 5);
  EXPECT_EQ(s.requests.rejected, 0);
  EXPECT_EQ(s.slo.attained_fraction, 0.5) << "a request that is turned away keeps no promise";
}

// Two clients that the scenario names, ten requests each within a second: four of each are taken on, whatever the
// other one does.
TEST(PoolAdmission, EveryNamedClientHasAQuotaOfItsOwn) {
  const std::string source =
      "generate: {requests: 10, arrivals: {constant: {requests_per_s: 10}}, prompt_tokens: {fixed: 100}, "
      "output_tokens: {fixed: 2}}";
  const Ran ran("workload:\n  mix:\n  - {" + source + ", client: a, class: a}\n  - {" + source +
                ", client: b, class: b}\ncluster: {node: dgx_h100}\npools:\n  - {name: chat, llm: llama-3.1-8b, "
                "gpu: h100_sxm_80g, admission: {policy: token_bucket, rate_per_s: 0.001, burst: 4}}\n");
  const Summary s = summarise(ran.recorder, ran.facts);
  ASSERT_EQ(s.classes.size(), 2u);
  for (const ClassSummary& client : s.classes) {
    EXPECT_EQ(client.requests.completed, 4) << client.name;
    EXPECT_EQ(client.requests.shed, 6) << client.name;
  }
}

// Of two clients who ask at 0 s one is taken on. The other hears so at once, and so does every client after that.
TEST(PoolAdmission, AnswersClosedLoopsAtOnce) {
  const Ran ran(load(R"(    requests: 5
    arrivals: {closed_loop: {clients: 2}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 50})",
                     "    engine: none\n    admission: {policy: token_bucket, rate_per_s: 0.001, burst: 1}\n"));
  const auto requests = ran.recorder.requests();
  ASSERT_EQ(requests.size(), 5u);
  EXPECT_EQ(requests[0].status, RequestStatus::completed);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(requests[i].status, RequestStatus::shed);
    EXPECT_EQ(requests[i].arrival_s, 0);
  }
}

// One request per second, none of which ends; load is collected every 2.5 s. A router that sees it late sends all of
// an interval to the replica that was idlest at its start.
TEST(Signal, EverybodyFollowsTheSameOldNews) {
  const auto replicas = [](const std::string& delay) {
    const Ran ran(load(R"(    requests: 10
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 5000})",
                       "    engine: none\n    replicas: 2\n    router: {policy: least_requests}\n" + delay));
    std::vector<std::uint32_t> out;
    for (const RequestRecord& r : ran.recorder.requests()) out.push_back(static_cast<std::uint32_t>(r.replica));
    return out;
  };
  EXPECT_EQ(replicas(""), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  // Requests at 0, 1, ... s. Seen at 0 s: 0 and 0; at 2.5 s: 3 and 0; at 5 s, before that one arrives: 3 and 2; at
  // 7.5 s: 3 and 5.
  EXPECT_EQ(replicas("    signal_delay_s: 2.5\n"), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 1, 1, 0, 0}));
}

// Prompts that share 8,192 tokens come faster than one replica computes them. A request that goes to the second
// replica first finds the shared part there: it was copied, 8,192 tokens of 131,072 bytes at 358.81 GB/s, as such
// copies over NVLink were timed, after their start and the link's latency.
TEST(Conductor, APrefixIsThereWhenTheRequestArrives) {
  Ran ran(load(R"(    requests: 40
    arrivals: {constant: {requests_per_s: 8}}
    prompt_tokens: {fixed: 2048}
    output_tokens: {fixed: 1}
    system_prompts: {count: 1, tokens: 8192})",
               "    engine: none\n    replicas: 2\n    kv_cache: {policy: paged_prefix}\n    router: {policy: "
               "conductor}\n"));
  std::set<ReplicaId> seen;
  std::int64_t copies = 0;
  for (const RequestRecord& r : ran.recorder.requests()) {
    if (!seen.insert(r.replica).second || r.id == RequestId{0}) continue;
    ++copies;
    EXPECT_EQ(r.cached_tokens, 8192);
    EXPECT_NEAR(*r.scheduled_s - r.arrival_s, 8192 * 131'072.0 / 358.81e9 + 17.7e-6, 1e-6);
  }
  EXPECT_EQ(copies, 1);
}

TEST(KvCopy, GoesOverNvlinkOrTheNetwork) {
  const Scenario scenario = scenario_from(R"(
workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 1}, output_tokens: {fixed: 1}}}
cluster: {node: dgx_a100, nodes: 2}
pools: [{name: chat, llm: llama-3-70b, gpu: a100_sxm_80g, replicas: 3, tensor_parallel: 4}]
)");
  const KvCopy copy(scenario.pools[0], scenario.groups[0].node, scenario.groups[0].fabric);
  const double bytes = 1000 * 2.0 * 80 * 8 * 128 * 2;  // K and V of 80 layers, 8 heads of 128, in bf16
  // NVLink's latency, and start and rate of copies between two A100s as they were timed
  EXPECT_NEAR(copy.seconds(0, 1, 1000), 10e-6 + 13.564e-6 + bytes / (4 * 288.48e9), 1e-7);
  // four GPUs, four ports of 25 GB/s at 94 %: PCIe, 24 GB/s each, is no narrower than 23.5
  EXPECT_NEAR(copy.seconds(1, 2, 1000), 10e-6 + 0.13e-6 + bytes / (4 * 25e9 * 0.94), 1e-5);
}

// Chunks of 2,048: 5,000 prompt tokens of which 1,000 are cached make steps of 2,048 and 1,952.
TEST(PoolAnswers, AddUpTheStepsOfAPrompt) {
  const Scenario scenario = scenario_from(small_chat);
  const Pool& pool = scenario.pools[0];
  const PoolPace pace(pool, KvCopy(pool, scenario.groups[0].node, scenario.groups[0].fabric));
  const PoolAnswers answers({}, {}, pace);
  StepWork first;
  first.add_chunk(2048, 1000, pool.latency->chunk_s(2048, 1000));
  StepWork last{.emitted_tokens = 1};
  last.add_chunk(1952, 3048, pool.latency->chunk_s(1952, 3048));
  EXPECT_DOUBLE_EQ(answers.prefill_s(5000, 1000),
                   pool.latency->stage(first, 0).seconds + pool.latency->stage(last, 0).seconds);
  EXPECT_EQ(answers.prefill_s(5000, 5000), 0);
  const StepWork decode{.decode_sequences = 7, .decode_kv_tokens = 900, .emitted_tokens = 7};
  EXPECT_EQ(answers.decode_step_s(7, 900), pool.latency->stage(decode, 0).seconds);
  EXPECT_EQ(answers.block_tokens(), 16);
}

}  // namespace servecast::pool_admission_test
