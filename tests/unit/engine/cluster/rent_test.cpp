// Machines are rented whole, each once, unless the scenario says that GPUs are rented singly.
#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::rent_test {

// An H100 is 2.50 USD an hour, a node has eight.
const std::string work =
    "workload: {generate: {requests: 20, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 160}, "
    "output_tokens: {fixed: 32}}}\n"
    "account: {}\n";

struct Rent {
  double usd_per_hour = 0;
  double unused_gpus = 0;
  double account_usd = 0;
  double usd_total = 0;
  double duration_s = 0;
  double rented_s = 0;  // by replicas that come and go
};

Rent rent(const std::string& machines) {
  const auto numbers = in_child<6>([&] {
    Scenario scenario = scenario_from(work + machines);
    const Finished done = run_it(scenario);
    const Summary s = summarise(done.recorder, done.facts);
    double unused = 0;
    for (const UnusedGpus& group : s.unused_gpus) unused += group.gpus;
    return std::array{
        s.cost.usd_per_hour, unused,       s.account->items.back().cost,
        s.cost.usd_total,    s.duration_s, done.facts.scaling.empty() ? 0 : done.facts.scaling[0].rented_s};
  });
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

std::string pool(const std::string& name, int replicas, const std::string& more = "") {
  return "  - {name: " + name + ", llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: " + std::to_string(replicas) +
         more + "}\n";
}

TEST(Rent, ThreeOfEightGpusCostEight) {
  const Rent whole = rent("cluster: {node: dgx_h100}\npools:\n" + pool("chat", 3));
  EXPECT_DOUBLE_EQ(whole.usd_per_hour, 8 * 2.5);
  EXPECT_DOUBLE_EQ(whole.unused_gpus, 5);
  EXPECT_DOUBLE_EQ(whole.account_usd, whole.usd_total);
  const Rent single = rent("cluster: {node: dgx_h100, rent: single_gpus}\npools:\n" + pool("chat", 3));
  EXPECT_DOUBLE_EQ(single.usd_per_hour, 3 * 2.5);
  EXPECT_DOUBLE_EQ(single.unused_gpus, 0);
  EXPECT_DOUBLE_EQ(single.account_usd, single.usd_total);
}

// The second node carries no replica, and is not paid for.
TEST(Rent, TwoPoolsOnANodePayForItOnce) {
  EXPECT_DOUBLE_EQ(rent("cluster: {node: dgx_h100, nodes: 2}\npools:\n" + pool("a", 3) + pool("b", 2)).usd_per_hour,
                   20);
  EXPECT_DOUBLE_EQ(rent("cluster: {node: dgx_h100, nodes: 2}\npools:\n" + pool("a", 5) + pool("b", 5)).usd_per_hour,
                   40);
}

// 3 x 2.50 + 2 x 4, and the three that are left at 4.
TEST(Rent, UnusedGpusCostWhatTheDearestOnTheirNodeDoes) {
  const Rent both =
      rent("cluster: {node: dgx_h100}\npools:\n" + pool("a", 3) + pool("b", 2, ", usd_per_gpu_hour: 4"));
  EXPECT_DOUBLE_EQ(both.usd_per_hour, 3 * 2.5 + 2 * 4 + 3 * 4);
}

// One H100 of a node that is rented whole, one A100 (1.50 USD) by itself.
TEST(Rent, GroupsMayDiffer) {
  const Rent groups =
      rent("cluster: {groups: [{name: h, node: dgx_h100}, {name: a, node: dgx_a100, rent: single_gpus}]}\npools:\n" +
           pool("chat", 1) + "  - {name: slow, llm: llama-3.1-8b, gpu: a100_sxm_80g}\n");
  EXPECT_DOUBLE_EQ(groups.usd_per_hour, 8 * 2.5 + 1.5);
  EXPECT_DOUBLE_EQ(groups.unused_gpus, 7);
}

// A node with three replicas and a spare, into which they move when their node breaks: 16 GPUs, whichever replica
// stands where.
TEST(Rent, ASpareIsPaidForOnce) {
  const std::string spare = "cluster: {node: dgx_h100}\npools:\n" + pool("chat", 3) + "failures: {spares: 1";
  EXPECT_DOUBLE_EQ(rent(spare + "}\n").usd_per_hour, 16 * 2.5);
  EXPECT_DOUBLE_EQ(rent(spare + ", events: [{at_s: 5, node: 0, down_s: 100}]}\n").usd_per_hour, 16 * 2.5);
}

std::string scaled(const std::string& times, int at_first) {
  return "cluster: {node: pcie_server_4, nodes: 2}\npools:\n"
         "  - {name: chat, llm: llama-3.1-8b, gpu: l40s_48g, usd_per_gpu_hour: 1, replicas: 8, autoscaler: {policy: "
         "scheduled, times: [" +
         times + "]}, scaling: {start_replicas: " + std::to_string(at_first) + "}}\n";
}

// Nodes of four GPUs at 1 USD. Four replicas fill one and leave the other to its owner; a fifth pays for the whole.
TEST(Rent, ReplicasThatComeAndGoPayForTheirNodes) {
  EXPECT_NEAR(rent(scaled("{at_s: 0, replicas: 4}", 4)).usd_per_hour, 4, 1e-9);
  EXPECT_NEAR(rent(scaled("{at_s: 0, replicas: 5}", 5)).usd_per_hour, 8, 1e-9);
}

// The fifth leaves after ten seconds and some: until then its node costs 4 USD an hour instead of its own 1.
TEST(Rent, ANodeIsPaidForUntilItsLastReplicaHasGone) {
  const Rent run = rent(scaled("{at_s: 0, replicas: 5}, {at_s: 10, replicas: 4}", 5));
  const double fifth_s = run.rented_s - 4 * run.duration_s;
  EXPECT_GE(fifth_s, 10);
  EXPECT_LT(fifth_s, 15);
  EXPECT_NEAR(run.usd_total, (4 * run.duration_s + 4 * fifth_s) / 3600, 1e-9);
}

}  // namespace servecast::rent_test
