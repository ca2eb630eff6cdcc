// The shipped scenarios with a gateway keep, or break, the promise that their comments speak of.
#include <gtest/gtest.h>

#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/summary/summary.h"

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
  EXPECT_GT(parts.gateway.graph->node_time_s->p50, 180) << "its LLM calls one after the other";
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

// Two requests a second of 800 and 200 tokens, for ten seconds. Each costs 800 x 0.27e-6 + 200 x 1.10e-6 USD, has its
// first token after 0.85 s + 800 x 0.14 ms and its last 199 x 30 ms later; the last one arrives after 9.5 s.
TEST(Shipped, AnApiAloneNeedsNoMachines) {
  const Summary s = shipped("api_only", "20",
                            {{"workload.generate.arrivals", "{constant: {requests_per_s: 2}}"},
                             {"workload.generate.prompt_tokens", "{fixed: 800}"},
                             {"workload.generate.output_tokens", "{fixed: 200}"},
                             {"gateway[0].ttft_sigma", "0"},
                             {"gateway[0].tpot_sigma", "0"}});
  EXPECT_EQ(s.requests.completed, 20);
  EXPECT_TRUE(s.pools.empty());
  const double usd = 20 * (800 * 0.27e-6 + 200 * 1.10e-6);
  EXPECT_NEAR(s.gateway.bill.back().usd, usd, 1e-12);
  EXPECT_NEAR(s.account->items.back().cost, usd, 1e-12);
  EXPECT_EQ(s.cost.usd_per_hour, 0);
  const double ttft_s = 0.85 + 800 * 0.00014;
  EXPECT_NEAR(s.latencies.ttft_s->max, ttft_s, 1e-9);
  EXPECT_NEAR(s.latencies.e2e_s->max, ttft_s + 199 * 0.03, 1e-9);
  EXPECT_NEAR(s.duration_s, 9.5 + ttft_s + 199 * 0.03, 1e-9);
  EXPECT_EQ(*s.slo.attained_fraction, 1);
}

TEST(Shipped, AnApiAloneKeepsItsPromise) { EXPECT_TRUE(shipped("api_only", "5000").slo.met()); }

}  // namespace servecast::shipped_test
