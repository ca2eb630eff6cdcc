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

}  // namespace servecast::liveness_test
