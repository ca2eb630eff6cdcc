#include "sim/plan/judge/hour_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/plan/judge/sizer.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::hour_cost_test {

constexpr const char* one_design =
    "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
    "space: [{name: replicas, path: 'pools[0].replicas', values: [2]}]\n";

/// Half an hour at 3 kW, with a bill beside the GPUs' line.
Summary half_an_hour() {
  Summary run{.duration_s = 1800};
  run.energy.j_total = 3000.0 * 1800;
  run.gateway.bill = {{.item = "GPUs", .usd = 7},
                      {.item = "retrieval", .usd = 1},
                      {.item = "API far", .usd = 2},
                      {.item = "all", .usd = 10}};
  return run;
}

HourCost cost_of(const std::string& below_base, const Summary& run) {
  const StudyFile file(below_base + one_design);
  const Study study = file.load();
  Sizer sizer(study);
  return hour_cost(study, sizer.size(enumerate(study).front()), run);
}

double line(const HourCost& cost, std::string_view item) {
  const auto found = std::ranges::find(cost.lines, item, &CostLine::item);
  return found == cost.lines.end() ? 0 : found->usd;
}

TEST(HourCost, AddsBillsToTheMachines) {
  EXPECT_DOUBLE_EQ(cost_of("", Summary{.duration_s = 1800}).usd(), 5);
  const HourCost cost = cost_of("", half_an_hour());
  EXPECT_DOUBLE_EQ(line(cost, "GPUs in use"), 5);               // two H100 at 2.50 dollars
  EXPECT_DOUBLE_EQ(line(cost, "gateway and outside APIs"), 6);  // 3 dollars in half an hour
  EXPECT_DOUBLE_EQ(cost.usd(), 11);
}

/// Bills come with the requests: with half the requests in the mean, half the bills.
TEST(HourCost, OverTheDayIsThatOfTheMeanRate) {
  const HourCost cost = cost_of("demand: {peak_factor: 2}\n", half_an_hour());
  EXPECT_DOUBLE_EQ(cost.usd(), 5 + 3);
  EXPECT_DOUBLE_EQ(cost.usd_at_peak(), 5 + 6);
  EXPECT_DOUBLE_EQ(cost.by_traffic_usd(), 3);
}

/// Two GPUs at 50 cents; two replicas with 1e12 bytes of host memory each at 0.73 dollars for 1e9 bytes and month: a
/// cent an hour for 1e10 bytes; 1e6 tokens an hour of 300 bytes and 3,600 requests of 1e6, at 10 cents.
TEST(HourCost, AddsSoftwareTiersAndEgress) {
  Summary run{.duration_s = 3600, .requests_per_s = 1};
  run.output_tokens_per_s = 1e6 / 3600;
  const HourCost cost = cost_of(
      "prices: {software_usd_per_gpu_hour: 0.5, kv_tiers: [{kind: host, usd_per_billion_bytes_month: 0.73}],\n"
      "  egress: {usd_per_billion_bytes_sent: 0.1, bytes_per_output_token: 300, bytes_per_request: 1e6}}\n"
      "set: ['pools[0].kv_cache.policy=paged_prefix', 'pools[0].kv_tiers.levels=[{kind: host, capacity_bytes: "
      "1e12}]']\n",
      run);
  EXPECT_DOUBLE_EQ(line(cost, "software"), 1);
  EXPECT_DOUBLE_EQ(line(cost, "KV tiers"), 2);
  EXPECT_DOUBLE_EQ(line(cost, "egress"), (0.3 + 3.6) * 0.1);
}

/// Ten dollars in half an hour, at the rate that the promise is for; the gateway's bill has them, too.
TEST(HourCost, AddsEgressBetweenSitesOnce) {
  Summary run = half_an_hour();
  run.egress = {{.group = "a", .bytes = 1e9, .usd = 4}, {.group = "b", .bytes = 1e9, .usd = 6}};
  run.gateway.bill.push_back({.item = "egress", .usd = 10});
  const HourCost cost = cost_of("demand: {peak_factor: 2}\n", run);
  EXPECT_DOUBLE_EQ(line(cost, "egress between sites"), 20);
  EXPECT_DOUBLE_EQ(line(cost, "gateway and outside APIs"), 6);
  EXPECT_DOUBLE_EQ(cost.usd_at_peak(), 5 + 20 + 6);
  EXPECT_DOUBLE_EQ(cost.usd(), 5 + 10 + 3);
}

/// Eight replicas at most, one at least: on demand pays for 2.5 of them, reserved for all. A node rented whole
/// has 5.5 GPUs that the run knows of.
TEST(HourCost, PaysForReplicasThatComeAndGoWhileTheyAreHeld) {
  const char* scaled =
      "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2}]}\n"
      "set: [cluster.rent=whole_nodes, 'pools[0].autoscaler={policy: hpa, waiting_requests: 1}', "
      "'pools[0].replicas=8',\n"
      "  'pools[0].scaling={min_replicas: 1}']\n"
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "space: [{name: one, path: 'seed', values: [1]}]\n";
  const StudyFile file(scaled);
  const Study study = file.load();
  Sizer sizer(study);
  const SizedDesign sized = sizer.size(enumerate(study).front());
  Summary run{.duration_s = 3600};
  ScalingSummary scaling;
  scaling.pool = "chat";
  scaling.rented_mean = 2.5;
  run.scaling = {scaling};
  run.unused_gpus = {{.gpus = 5.5, .usd_per_hour = 13.75}};
  EXPECT_DOUBLE_EQ(sized.least_usd_per_hour, 2.5);
  EXPECT_DOUBLE_EQ(hour_cost(study, sized, run).usd(), 2.5 * 2.5 + 13.75);
  EXPECT_DOUBLE_EQ(hour_cost(study, sized, "reserved", run)->usd(), 8 * 2);
}

TEST(HourCost, AddsElectricityThatIsPaidBesideRent) {
  // 3 kW, a tenth more at the meter, 20 cents: 66 cents an hour.
  const HourCost cost = cost_of("set: ['account={usd_per_kwh: 0.2, pue: 1.1}']\n", half_an_hour());
  EXPECT_DOUBLE_EQ(line(cost, "electricity"), 3 * 1.1 * 0.2);
  EXPECT_DOUBLE_EQ(line(cost, "GPUs in use"), 5);
}

TEST(HourCost, AddsTheSparesOfTheScenario) {
  // One node of eight H100 stands by.
  EXPECT_DOUBLE_EQ(line(cost_of("set: ['failures={spares: 1}']\n", half_an_hour()), "spare nodes"), 8 * 2.5);
}

TEST(HourCost, KnowsWhoAnswered) {
  Summary run = half_an_hour();
  EXPECT_FALSE(asks_outside(run));
  run.gateway.answered_by = {{.target = "chat", .llm_calls = 5}, {.target = "far", .llm_calls = 0}};
  EXPECT_FALSE(asks_outside(run));
  run.gateway.answered_by[1].llm_calls = 1;
  EXPECT_TRUE(asks_outside(run));
}

}  // namespace servecast::hour_cost_test
