// A run that comes to its end by itself has ended every request: else the program is wrong, and says where.
#include "sim/engine/run/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"

namespace servecast::liveness_test {

/// Without an engine no weights are loaded, so that a cold pool never serves.
std::string never_served(const std::string& more) {
  return "name: stuck\nseed: 7\n" + more +
         "workload: {generate: {requests: 3, arrivals: {constant: {requests_per_s: 4}}, prompt_tokens: {fixed: 10},\n"
         "  output_tokens: {fixed: 2}}}\n"
         "cluster: {node: dgx_h100}\n"
         "pools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, start: cold}\n";
}

std::int64_t unfinished(const std::string& text) {
  Scenario scenario = scenario_from(text);
  Recorder recorder(scenario.pools.size());
  run_without_engine(scenario, recorder, {});
  return recorder.classes()[0].requests.unfinished;
}

TEST(Liveness, ARunThatLeavesRequestsUnfinishedIsAnError) {
  try {
    unfinished(never_served(""));
    FAIL() << "not noticed";
  } catch (const RequestsLeftUnfinished& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("scenario 'stuck', seed 7"));
    EXPECT_THAT(error.what(), testing::HasSubstr("3 of 3 requests unfinished"));
    EXPECT_THAT(error.what(), testing::HasSubstr("pool 'chat', replica 0: 3 waiting, 0 running"));
  }
}

TEST(Liveness, AtUntilRequestsMayBeUnfinished) { EXPECT_EQ(unfinished(never_served("until_s: 60\n")), 3); }

// 32 GPUs that break once a minute each leave two seconds between failures; weights take longer to load.
TEST(Liveness, ARunWhoseReplicasBreakSoonerThanTheyStartEndsAndSaysSo) {
  Scenario scenario = scenario_from(R"(
workload: {generate: {requests: 3, arrivals: {constant: {requests_per_s: 4}}, prompt_tokens: {fixed: 10},
  output_tokens: {fixed: 2}}}
cluster: {node: dgx_h100, nodes: 4}
failures: {rates: [{part: gpu, mtbf_s: 60, mttr_s: 6}]}
pools:
  - {name: chat, llm: llama-3.1-70b, gpu: h100_sxm_80g, tensor_parallel: 8, pipeline_parallel: 4, start: cold}
)");
  const Finished finished = run_it(scenario);
  EXPECT_EQ(finished.recorder.classes()[0].requests.unfinished, 3);
  EXPECT_THAT(finished.facts.rests_on[0].notes,
              testing::Contains(testing::AllOf(testing::HasSubstr("parts broke at 1000 instants"),
                                               testing::HasSubstr("3 requests are unfinished (3 of them in pool "
                                                                  "'chat', pending: 3)"))));
}

}  // namespace servecast::liveness_test
