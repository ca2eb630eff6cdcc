// Kernels that a process has not used yet: which steps wait for them, and what clients see of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::first_use_test {

using testing::Contains;
using testing::HasSubstr;

/// Five prompts at once, of which a step takes two. Loading kernels for prompts takes 1 s, for prompts that leave
/// others waiting 2 s, and compiling these 4 s more.
Finished served(const std::string& first_use) {
  Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 5
    arrivals: {constant: {requests_per_s: 1e6}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 1}
cluster: {node: dgx_h100}
pools:
  - {name: server, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, first_use: )" +
                                    first_use + R"(,
     batcher: {policy: vllm_v1, max_num_batched_tokens: 2000, async_scheduling: false}}
)");
  scenario.pools[0].engine.first_use = {{.step = "prompt", .load_s = 1, .source = "made up"},
                                        {.step = "backlog", .load_s = 2, .compile_s = 4, .source = "made up"},
                                        {.step = "prompt", .attention = "mla", .load_s = 1000}};
  return run_it(scenario);
}

double last_first_token_s(const Finished& done) {
  double last_s = 0;
  for (const RequestRecord& r : done.recorder.requests()) last_s = std::max(last_s, *r.first_token_s);
  return last_s;
}

TEST(FirstUse, StepsWaitForWhatTheirProcessHasNotUsed) {
  const double warm_s = last_first_token_s(served("warmed_up"));
  EXPECT_NEAR(last_first_token_s(served("loaded")), warm_s + 3, 1e-9);
  EXPECT_NEAR(last_first_token_s(served("compiled")), warm_s + 7, 1e-9);
}

TEST(FirstUse, TheReportHasLatenciesWithAndWithoutIt) {
  const Finished warm = served("warmed_up");
  EXPECT_FALSE(summarise(warm.recorder, warm.facts).first_use);
  const Finished done = served("compiled");
  const Summary s = summarise(done.recorder, done.facts);
  ASSERT_TRUE(s.first_use);
  EXPECT_EQ(s.first_use->wait_s, 7);
  EXPECT_EQ(s.first_use->requests, 5);
  EXPECT_FALSE(s.first_use->ttft_s);  // all waited
  EXPECT_GT(s.latencies.ttft_s->mean, 5);
  EXPECT_THAT(s.rests_on[0].notes, Contains(HasSubstr("4 s more to compile them (made up)")));
}

TEST(FirstUse, AnEngineThatSaysNothingOfItIsNamed) {
  Scenario scenario = scenario_from(R"(
workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 10}, output_tokens: {fixed: 1}}}
cluster: {node: dgx_h100}
pools:
  - {name: server, llm: llama-3.1-8b, gpu: h100_sxm_80g, first_use: loaded}
)");
  const Finished done = run_it(scenario);
  EXPECT_THAT(done.facts.rests_on[0].notes, Contains(HasSubstr("first_use: loaded, but what steps of vllm-0.15 on")));
}

}  // namespace servecast::first_use_test
