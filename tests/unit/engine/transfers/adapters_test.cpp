// LoRA adapters on whole scenarios.
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/summary_of.h"

namespace servecast::adapters_test {

std::string many_adapters(const std::string& router, const std::string& adapters, std::int64_t slots) {
  return R"(
name: adapters
workload:
  generate:
    requests: 2000
    arrivals: {poisson: {requests_per_s: 40}}
    prompt_tokens: {fixed: 200}
    output_tokens: {fixed: 50}
)" + adapters +
         R"(cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 4
    lora: {slots: )" +
         std::to_string(slots) + "}\n    router: {policy: " + router + "}\n";
}

const std::string zipf = "  adapters: {count: 100, zipf_exponent: 1}\n";

// A hundred adapters on four replicas with 25 slots each: a request that is sent where its adapter is finds it there.
TEST(Adapters, AffinityFindsThemWhereTheyAre) {
  const Summary blind = summary_of(many_adapters("least_requests", zipf, 25));
  const Summary affine = summary_of(many_adapters("adapter_affinity", zipf, 25));
  ASSERT_EQ(affine.adapters.size(), 1u);
  EXPECT_EQ(affine.adapters[0].hits + affine.adapters[0].loads, 2000);
  EXPECT_GT(affine.adapters[0].hit_fraction, 0.9);
  EXPECT_LT(blind.adapters[0].hit_fraction, affine.adapters[0].hit_fraction - 0.1);
  EXPECT_LT(affine.adapters[0].stall_s, blind.adapters[0].stall_s);
}

// With one slot for each adapter, each is loaded once on every replica and no more.
TEST(Adapters, WithRoomForAllEachIsLoadedOnce) {
  const Summary all = summary_of(many_adapters("round_robin", zipf, 100));
  EXPECT_LE(all.adapters[0].loads, 4 * 100);
  // 42 million parameters of rank 16 in bf16 over PCIe 5.0 (55e9 bytes/s): 1.5 ms each
  EXPECT_NEAR(all.adapters[0].stall_s / static_cast<double>(all.adapters[0].loads), 1.5e-3, 0.3e-3);
}

// Two GPUs of a replica load half an adapter each, at the same time over the one link above them: as long as one
// whole.
TEST(Adapters, GpusBelowOneRootLoadTheirSharesTogether) {
  const auto load_s = [](const std::string& more) {
    return scenario_from(many_adapters("round_robin", zipf, 100) + more).pools[0].adapters.load_s;
  };
  EXPECT_NEAR(load_s("    tensor_parallel: 2\n") / load_s(""), 1, 0.01);
}

// No request names one: slots cost memory, but no time.
TEST(Adapters, CostNothingWhereNobodyNamesOne) {
  const Summary none = summary_of(many_adapters("least_requests", "", 8));
  std::string text = many_adapters("least_requests", "", 8);
  text.replace(text.find("lora: {slots: 8}"), 16, "");
  const Summary without = summary_of(text);
  EXPECT_EQ(none.latencies.e2e_s, without.latencies.e2e_s);
  EXPECT_TRUE(without.adapters.empty());
}

// Fewer slots than adapters asked for at a time: requests wait for one, and all are served.
TEST(Adapters, RequestsWaitForASlot) {
  const Summary one = summary_of(many_adapters("adapter_affinity", zipf, 1));
  const Summary many = summary_of(many_adapters("adapter_affinity", zipf, 25));
  EXPECT_EQ(one.requests.completed, 2000);
  EXPECT_GT(one.latencies.queue_s->mean, many.latencies.queue_s->mean);
}

// The turns of a session name the same one.
TEST(Adapters, ASessionKeepsItsAdapter) {
  Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 300
    arrivals: {poisson: {requests_per_s: 1}}
    prompt_tokens: {fixed: 20}
    output_tokens: {fixed: 5}
    sessions: {turns: {fixed: 3}}
  adapters: {count: 50}
cluster: {node: dgx_h100}
pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, lora: {slots: 4}}]
)");
  std::map<SessionId, AdapterId> of;
  std::map<AdapterId, int> seen;
  double now_s = 0;
  while (const auto first = scenario.workload->next()) {
    std::optional<Request> request = first;
    while (request) {
      const auto [known, added] = of.emplace(request->session, request->adapter);
      EXPECT_EQ(known->second, request->adapter);
      EXPECT_NE(request->adapter, AdapterId{});
      ++seen[request->adapter];
      now_s = request->arrival_s + 1;
      request = scenario.workload->follow_up(*request, now_s);
    }
  }
  EXPECT_GT(of.size(), 50u);
  EXPECT_GT(seen[AdapterId{1}], seen[AdapterId{40}]) << "the first is the most popular";
}

// Twenty requests one after another begin with the same 1,600 tokens. Without adapters all but the first find them;
// of two adapters each computes them once.
TEST(Adapters, ShareBeginningsOnlyWithTheirOwn) {
  const auto cached_tokens = [](const std::string& adapters, const std::string& cache) {
    Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 20
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 16}
    output_tokens: {fixed: 2}
    system_prompts: {count: 1, tokens: 1600}
)" + adapters + R"(cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    lora: {slots: 4}
    kv_cache: {policy: )" + cache + "}\n");
    Recorder recorder(1);
    run_without_engine(scenario, recorder, {});
    std::int64_t cached = 0;
    for (const RequestRecord& r : recorder.requests()) cached += r.cached_tokens;
    return cached;
  };
  for (const std::string cache : {"paged_prefix", "radix"}) {
    EXPECT_EQ(cached_tokens("", cache), 19 * 1600) << cache;
    EXPECT_EQ(cached_tokens("  adapters: {count: 2}\n", cache), 18 * 1600) << cache;
  }
}

}  // namespace servecast::adapters_test
