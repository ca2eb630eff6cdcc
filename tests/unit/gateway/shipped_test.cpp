// The shipped scenarios with a gateway keep, or break, the promise that their comments speak of.
#include <gtest/gtest.h>

#include "sim/engine/run.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"
#include "sim/report/summary.h"

namespace servecast::shipped_test {

Summary shipped(const std::string& name, const std::string& requests, std::vector<Override> set = {}) {
  set.push_back({"first_requests", requests});
  Scenario scenario = load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/" + name + ".yaml", set);
  Recorder recorder(scenario.pools.size());
  const RunFacts facts = run_without_engine(scenario, recorder, {});
  return summarise(recorder, facts);
}

TEST(Shipped, CaptionsBeginWithin80MillisecondsAndEndLater) {
  const Summary one = shipped("captions", "4000");
  EXPECT_TRUE(one.slo.met()) << "the first word";
  EXPECT_GT(one.latencies.e2e_s->p50, 0.08) << "not the whole caption";
  const Summary four = shipped("captions", "4000", {{"pools[0].tensor_parallel", "4"}, {"pools[0].replicas", "2"}});
  EXPECT_LT(four.latencies.e2e_s->p50, 0.08) << "four GPUs a replica write most captions in time";
  EXPECT_GT(four.latencies.e2e_s->p99, 0.08) << "but not all";
}

// 25,600 tokens in 180 s; one after the other at one stream's pace they take longer.
TEST(Shipped, AReportIsThereInThreeMinutesOnlyInParts) {
  const Summary parts = shipped("report_writing", "20");
  const Summary stream = shipped("report_writing", "20", {{"gateway", "[]"}});
  EXPECT_GE(parts.gateway.graph->output_tokens_mean, 20'000);
  EXPECT_LT(parts.latencies.e2e_s->max, 180);
  EXPECT_EQ(*parts.gateway.jobs.front().kept_fraction, 1);
  EXPECT_GT(stream.latencies.e2e_s->p50, 180);
  EXPECT_GT(parts.gateway.graph->node_time_s->p50, 180) << "its passes one after the other";
}

TEST(Shipped, RiskControlAnswersIn45SecondsUntilItsAgentAsksMore) {
  EXPECT_TRUE(shipped("risk_control", "1000").slo.met());
  EXPECT_FALSE(shipped("risk_control", "1000", {{"gateway[1].nodes[1].repeat.rounds_mean", "6"}}).slo.met());
}

TEST(Shipped, CustomerServiceKeepsItsPromiseAtItsPeak) {
  const Summary s = shipped("customer_service", "4000");
  EXPECT_TRUE(s.slo.met());
  EXPECT_EQ(s.requests.completed, 4000);
}

}  // namespace servecast::shipped_test
