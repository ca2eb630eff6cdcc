// What becomes of KV in a tier that all replicas share when one of them fails.
#include <gtest/gtest.h>

#include "tests/unit/engine/everything_of.h"

namespace servecast::failures_shared_tier_test {

/// A replica on each of two nodes; all prompts begin alike. The first replica writes that beginning; after 3 s it
/// fails or its node does.
std::string shared_beginning(const std::string& what_fails) {
  return R"(
workload:
  generate:
    requests: 20
    arrivals: {constant: {requests_per_s: 1}}
    system_prompts: {count: 1, tokens: 4096}
    prompt_tokens: {fixed: 64}
    output_tokens: {fixed: 100}
cluster: {node: dgx_h100, nodes: 2}
failures:
  in_flight: recompute
  engine_init_s: 1
  events: [{at_s: 3.3, )" +
         what_fails + R"(, down_s: 1}]
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    tensor_parallel: 8
    replicas: 2
    router: {policy: round_robin}
    kv_cache: {policy: paged_prefix}
    kv_tiers: {fetch: always, levels: [{kind: shared, capacity_bytes: 1.0e11}]}
)";
}

/// Prompt tokens that the first request found which the replica served after its failure.
std::int64_t found_afterwards(const std::string& what_fails) {
  return std::stoll(in_child([&] {
    Scenario scenario = scenario_from(shared_beginning(what_fails));
    const Finished done = run_it(scenario);
    for (const RequestRecord& r : done.recorder.requests())
      if (index(r.replica) == 0 && r.arrival_s > 4) return fmt::format("{}", r.cached_tokens);
    return std::string("-1");
  }));
}

TEST(FailuresWithASharedTier, AnEngineThatCrashesLeavesWhatItWrote) {
  EXPECT_EQ(found_afterwards("replica: 0"), 4096);
}

TEST(FailuresWithASharedTier, ANodeTakesItsMemoryWithIt) { EXPECT_EQ(found_afterwards("node: 0"), 0); }

TEST(FailuresWithASharedTier, StepByStepAsWithShortCuts) {
  for (const std::string what : {"replica: 0", "node: 0", "node: 1"}) {
    const std::string lazy = everything_of(shared_beginning(what), false);
    EXPECT_EQ(lazy, everything_of(shared_beginning(what), true)) << what;
    EXPECT_NE(lazy.find("\"completed\": 20"), std::string::npos) << what;
  }
}

}  // namespace servecast::failures_shared_tier_test
