// Clusters of several groups of nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/links/wiring.h"
#include "sim/engine/run/run.h"
#include "sim/report/record/platform.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/message_of.h"

namespace servecast::groups_test {

const std::string one_request_text = R"(
workload:
  generate:
    requests: 1
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 2}
)";

/// Prompts on H100, decodes on A100, each on machines of their own; `links` joins them.
std::string split(const std::string& links) {
  return one_request_text + R"(
cluster:
  groups: [{name: fast, node: dgx_h100}, {name: slow, node: dgx_a100, nodes: 2}]
)" + links +
         R"(
pools:
  - {name: decode, llm: llama-3.1-8b, gpu: a100_sxm_80g}
  - {name: prefill, llm: llama-3.1-8b, gpu: h100_sxm_80g, placement: {policy: disaggregated, decode_pool: decode}}
)";
}

Scenario split_scenario(const std::string& links) {
  return scenario_from(split(links), {{"workload.pool", "prefill"}});
}

double hand_over_s(const std::string& links) {
  Scenario scenario = split_scenario(links);
  return *run_it(scenario).recorder.requests()[0].hand_over_s;
}

std::string problem_of(const std::string& text) {
  return message_of([&] { scenario_from(text); });
}

// 1,000 tokens of 128 KiB: 131,072,000 bytes. Two adapters with their software, 10 us, one switch of 0.13 us at each
// end, and 2 ms between the groups, whose 10e9 bytes/s are less than any port carries: 0.01511746 s. The end is
// noticed within a microsecond.
TEST(Groups, AHandOverTakesLatencyPlusBytesOverTheSlowestLink) {
  EXPECT_NEAR(hand_over_s("  links: [{between: [fast, slow], bytes_per_s: 10e9, latency_s: 0.002}]"),
              10e-6 + 2 * 0.13e-6 + 2e-3 + 131'072'000 / 10e9, 1e-6);
}

// Now the HDR port of the A100 is the narrowest: 25e9 x 0.94 bytes/s. The order of names does not matter.
TEST(Groups, OrOverAPort) {
  EXPECT_NEAR(hand_over_s("  links: [{between: [slow, fast], bytes_per_s: 100e9, latency_s: 0}]"),
              10e-6 + 2 * 0.13e-6 + 131'072'000 / 23.5e9, 1e-6);
}

// The link is cut before the prompt is computed and whole again at 50 s: its KV waits for that.
TEST(Groups, AHandOverWaitsForABrokenLink) {
  const std::string links = "  links: [{between: [fast, slow], bytes_per_s: 10e9, latency_s: 0}]";
  Scenario scenario = split_scenario(links + "\nfailures: {events: [{at_s: 0, trunk: 0, down_s: 50}]}");
  const Finished done = run_it(scenario);
  const RequestRecord& r = done.recorder.requests()[0];
  EXPECT_NEAR(*r.prompt_end_s + *r.hand_over_s, 50 + 131'072'000 / 10e9, 0.01);
  EXPECT_EQ(done.facts.failures.parts.at(0).part, "trunk");
  EXPECT_THAT(problem_of(split(links + "\nfailures: {events: [{at_s: 0, trunk: 1, down_s: 50}]}")),
              testing::HasSubstr("there is only one, number 0"));
  EXPECT_THAT(problem_of("cluster: {node: dgx_h100}\nfailures: {rates: [{part: trunk, mtbf_s: 5, mttr_s: 1}]}\n" +
                         one_request_text + "pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g}]\n"),
              testing::HasSubstr("no link between groups of nodes is stated"));
}

TEST(Groups, WithoutALinkNoHandOver) {
  EXPECT_THAT(problem_of(split("")), testing::HasSubstr("KV goes from 'prefill' on group 'fast' to 'decode' on group "
                                                        "'slow', but no link leads there; add cluster.links"));
}

// Nodes 0 of dgx_h100, 1 and 2 of dgx_a100.
TEST(Groups, APoolGoesWhereItsGpuIs) {
  const Scenario scenario = split_scenario("  links: [{between: [fast, slow], bytes_per_s: 10e9, latency_s: 0}]");
  EXPECT_EQ(scenario.group_of(scenario.pools[0]).name, "slow");
  EXPECT_EQ(scenario.pools[0].places[0].gpus[0].node, 1);
  EXPECT_EQ(scenario.group_of(scenario.pools[1]).name, "fast");
  EXPECT_EQ(scenario.pools[1].places[0].gpus[0].node, 0);
  EXPECT_EQ(Wiring(scenario).platform().nodes[2].kind, "dgx_a100");
}

std::string three_pools(const std::string& last) {
  return one_request_text + R"(
cluster:
  groups: [{name: a, node: dgx_h100}, {name: b, node: dgx_h100, nodes: 2}, {name: c, node: dgx_a100}]
pools:
  - {name: first, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 6}
  - {name: second, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 3}
  - {name: third, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 2}
  - )" + last;
}

// Six of eight, so that three more have no room there and two have.
TEST(Groups, APoolGoesWhereThereIsRoom) {
  const Scenario scenario =
      scenario_from(three_pools("{name: last, llm: llama-3.1-8b, gpu: h100_sxm_80g, group: b}\n"));
  const auto group = [&](std::size_t pool) { return scenario.group_of(scenario.pools[pool]).name; };
  EXPECT_EQ(group(0), "a");
  EXPECT_EQ(group(1), "b");
  EXPECT_EQ(group(2), "a");
  EXPECT_EQ(group(3), "b");
}

TEST(Groups, MessagesNameThem) {
  EXPECT_THAT(problem_of(three_pools("{name: last, llm: llama-3.1-8b, gpu: l40s_48g}\n")),
              testing::HasSubstr("no group of nodes has l40s_48g. Their GPUs: 'a' (dgx_h100) h100_sxm_80g, 'b' "
                                 "(dgx_h100) h100_sxm_80g, 'c' (dgx_a100) a100_sxm_80g"));
  EXPECT_THAT(problem_of(three_pools("{name: last, llm: llama-3.1-8b, gpu: h100_sxm_80g, group: c}\n")),
              testing::HasSubstr("nodes of group 'c' have a100_sxm_80g, not h100_sxm_80g"));
  EXPECT_THAT(problem_of(three_pools("{name: last, llm: llama-3.1-8b, gpu: a100_sxm_80g, replicas: 9}\n")),
              testing::HasSubstr("after 8 of them all 8 GPUs of group 'c' are taken"));
}

TEST(Groups, TheShortFormIsOneGroup) {
  const std::string pools = R"(
workload:
  generate:
    requests: 300
    arrivals: {poisson: {requests_per_s: 20}}
    prompt_tokens: {exponential: {mean: 800}, max: 5000}
    output_tokens: {exponential: {mean: 60}, max: 400}
failures:
  spares: 1
  rates: [{part: node, mtbf_s: 20, mttr_s: 5}, {part: link, mtbf_s: 10, mttr_s: 1}]
pools:
  - {name: prefill, llm: llama-3.1-8b, gpu: a100_sxm_80g, replicas: 3, tensor_parallel: 2, start: cold}
  - {name: large, llm: llama-3.1-70b, gpu: a100_sxm_80g, tensor_parallel: 4, pipeline_parallel: 2}
)";
  const std::string form = "cluster: {node: dgx_h100, nodes: 3, fabric: fat_tree}\n";
  const std::string group = "cluster: {groups: [{name: all, node: dgx_h100, nodes: 3, fabric: fat_tree}]}\n";
  EXPECT_EQ(everything_of(form + pools, false), everything_of(group + pools, false));
  EXPECT_EQ(to_json(Wiring(scenario_from(form + pools)).platform()),
            to_json(Wiring(scenario_from(group + pools)).platform()));
}

// An H100 node and an A100 node with one replica each: the rent of 16 GPUs at two prices, and two kinds of nodes,
// whose seven GPUs that no replica holds are idle.
TEST(Groups, EachIsPaidForAtItsOwnPrice) {
  Scenario scenario = split_scenario("  links: [{between: [fast, slow], bytes_per_s: 10e9, latency_s: 0}]");
  const Finished done = run_it(scenario);
  const Summary summary = summarise(done.recorder, done.facts);
  EXPECT_NEAR(summary.cost.usd_per_hour,
              8 * (scenario.pools[0].gpu.usd_per_hour + scenario.pools[1].gpu.usd_per_hour), 1e-9);
  EXPECT_NE(scenario.pools[0].gpu.usd_per_hour, scenario.pools[1].gpu.usd_per_hour);
  EXPECT_NEAR(done.facts.node_overhead_j, (2800 + 1750 + 7 * 75 + 7 * 63) * done.facts.duration_s, 1e-6);
}

// Nodes: 0 and its spare 1 are H100, 2 is A100 and has none.
TEST(Groups, SparesStandInForNodesOfTheirGroup) {
  Scenario scenario = scenario_from(R"(
workload:
  mix:
    - pool: fast
      generate: {requests: 60, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 10}, output_tokens: {fixed: 10}}
    - pool: slow
      generate: {requests: 60, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 10}, output_tokens: {fixed: 10}}
cluster: {groups: [{name: f, node: dgx_h100, spares: 1}, {name: s, node: dgx_a100}]}
failures:
  events: [{at_s: 1, node: 0, down_s: 200}, {at_s: 1, node: 2, down_s: 60}]
pools:
  - {name: fast, llm: llama-3.1-8b, gpu: h100_sxm_80g}
  - {name: slow, llm: llama-3.1-8b, gpu: a100_sxm_80g}
)");
  const Finished done = run_it(scenario);
  EXPECT_EQ(done.facts.failures.pools[0].stand_ins, 1);
  EXPECT_EQ(done.facts.failures.pools[1].stand_ins, 0);
  EXPECT_EQ(scenario.pools[0].places[0].gpus[0].node, 1);
  ASSERT_EQ(done.facts.failures.spares.size(), 1u);
  EXPECT_EQ(done.facts.failures.spares[0].gpus, 8);
  EXPECT_EQ(done.facts.failures.spares[0].usd_per_gpu_hour, scenario.pools[0].gpu.usd_per_hour);
}

const std::string two_pools = R"(
pools:
  - {name: fast, llm: llama-3.1-8b, gpu: h100_sxm_80g, start: cold}
  - {name: slow, llm: llama-3.1-8b, gpu: a100_sxm_80g, start: cold}
)";

std::string load_of_two(const std::string& requests) {
  const std::string rest =
      ", arrivals: {poisson: {requests_per_s: 9}}, prompt_tokens: {exponential: {mean: 300}, max: "
      "2000}, output_tokens: {exponential: {mean: 50}, max: 300}}}\n";
  return "workload:\n  mix:\n    - {pool: fast, generate: {requests: " + requests + rest +
         "    - {pool: slow, generate: {requests: " + requests + rest;
}

// Switch 0 is that of the first group, 1 that of the second: what loads there waits until it is whole again.
TEST(Groups, ASwitchBelongsToOneOfThem) {
  Scenario scenario = scenario_from(load_of_two("5") + R"(
cluster: {groups: [{name: f, node: dgx_h100}, {name: s, node: dgx_a100}]}
failures: {events: [{at_s: 0, switch: 1, down_s: 50}]}
)" + two_pools);
  const Finished done = run_it(scenario);
  for (const RequestRecord& r : done.recorder.requests())
    EXPECT_EQ(*r.first_token_s > 50, scenario.pools[index(r.pool)].spec.name == "slow") << *r.first_token_s;
}

// Pools that send nothing to each other share the storage alone, which is the cluster's: so it does not matter
// whether their nodes are one group or two, as long as they are of one kind.
TEST(Groups, ApartTheyAreAsTogether) {
  const std::string pools = R"(
pools:
  - {name: fast, llm: llama-3.1-8b, gpu: h100_sxm_80g, start: cold, replicas: 8}
  - {name: slow, llm: llama-3.1-8b, gpu: h100_sxm_80g, start: cold, replicas: 2}
)";
  const std::string load = load_of_two("100");
  EXPECT_EQ(
      everything_of(load + "cluster: {node: dgx_h100, nodes: 2, rent: single_gpus}" + pools, false),
      everything_of(
          load + "cluster: {rent: single_gpus, groups: [{name: a, node: dgx_h100}, {name: b, node: dgx_h100}]}" +
              pools,
          true));
}

}  // namespace servecast::groups_test
