// Ranks of a replica with requests of their own: KV of a request moves over the links of one rank's GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/engine/links/wiring.h"
#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/flows_seen.h"

namespace servecast::expert_ranks_test {

using testing::UnorderedElementsAre;

constexpr double token_bytes = 48 * 2 * 4 * 128 * 2;  // qwen3-30b-a3b in bf16: key and value of 4 heads in 48 layers

std::string gpu(std::int64_t number, std::int64_t node = 0) {
  return Wiring::name(GpuPlace{.node = node, .gpu = number});
}

/// One replica with a tier in host memory and room for 1,100 blocks on its GPUs. Requests 0 and 1 bring prompts of
/// 1,000 blocks, so most of the first has left the GPUs when the last request brings it again.
FlowsByKind again(const std::string& shape, int requests_between = 1) {
  std::string rows = "0,16000,1,16,1-1000\n";
  for (int i = 0; i < requests_between; ++i) rows += fmt::format("{},16000,1,16,2001-3000\n", 100 + i);
  return flows_of(rows + "400,16000,1,16,1-1000\n", R"(
cluster: {node: dgx_h100, nodes: 2}
pools:
  - name: chat
    llm: qwen3-30b-a3b
    gpu: h100_sxm_80g
    )" + shape + R"(
    kv_cache: {policy: paged_prefix, num_gpu_blocks_override: 1100}
    kv_tiers: {fetch: always, levels: [{kind: host, capacity_bytes: 50e9}]}
)");
}

std::vector<std::string> ends(const std::vector<Flow>& flows, std::string Flow::*end) {
  std::vector<std::string> names;
  for (const Flow& flow : flows)
    if (std::ranges::find(names, flow.*end) == names.end()) names.push_back(flow.*end);
  return names;
}
double bytes(const std::vector<Flow>& flows) {
  double sum = 0;
  for (const Flow& flow : flows) sum += flow.bytes;
  return sum;
}

constexpr double fetched_bytes = 899 * 16 * token_bytes;  // 1,100 blocks less 1,000 leave 100; one more was taken
// Its 899 blocks lie apart: each but the first takes a GPU's link, of 55.894e9 bytes/s to such copies, 221.94 ns
// more.
constexpr double apart_bytes = 898 * 221.94e-9 * 55.894e9;

// Request 2 is the third rank's: all of its KV comes over that GPU's PCIe link of 55.3e9 bytes/s. Eight links would
// take an eighth of the time.
TEST(ExpertRanks, AFetchTakesOneGpusLink) {
  const auto flows = again("expert_parallel: 8");
  ASSERT_EQ(flows.at("kv_fetch").size(), 1u);
  const Flow& fetch = flows.at("kv_fetch")[0];
  EXPECT_EQ(fetch.to, gpu(2));
  EXPECT_NEAR(fetch.bytes / (fetched_bytes + apart_bytes), 1, 1e-5);
  EXPECT_NEAR(fetch.seconds(), fetch.bytes / 55.3e9, 2e-6);
}

// What requests 0 and 1 compute, their GPUs write: 16,000 tokens each. Nothing is written again.
TEST(ExpertRanks, WritesTakeTheLinksOfWhoComputed) {
  const auto flows = again("expert_parallel: 8");
  EXPECT_THAT(ends(flows.at("kv_write"), &Flow::from), UnorderedElementsAre(gpu(0), gpu(1)));
  EXPECT_NEAR(bytes(flows.at("kv_write")) / (2 * 16000 * token_bytes), 1, 1e-5);
}

// Four ranks of two GPUs: the third has the fifth and sixth GPU, each with two of four KV heads.
TEST(ExpertRanks, ARanksGpusShareAFetch) {
  const auto flows = again("tensor_parallel: 2\n    expert_parallel: 8").at("kv_fetch");
  EXPECT_THAT(ends(flows, &Flow::to), UnorderedElementsAre(gpu(4), gpu(5)));
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].bytes, flows[1].bytes);
  EXPECT_NEAR(bytes(flows) / (fetched_bytes + 2 * apart_bytes), 1, 1e-5) << "as many bytes in all";
}

// Four ranks in two stages: the third one's GPUs are the third and the seventh, with 24 layers each.
TEST(ExpertRanks, ARanksStagesShareAFetch) {
  const auto flows = again("pipeline_parallel: 2\n    expert_parallel: 4").at("kv_fetch");
  EXPECT_THAT(ends(flows, &Flow::to), UnorderedElementsAre(gpu(2), gpu(6)));
  EXPECT_EQ(flows[0].bytes, flows[1].bytes);
}

// Over two nodes, request 9 is of a rank of the second node: what the first rank wrote lies in the first node.
TEST(ExpertRanks, WhatAnotherNodesRankWroteComesOverTheNetwork) {
  const auto flows = again("expert_parallel: 16", 8).at("kv_fetch");
  EXPECT_THAT(ends(flows, &Flow::from), testing::Contains(Wiring::name(Part{.kind = Part::Kind::host})));
  EXPECT_THAT(ends(flows, &Flow::to), testing::Each(gpu(1, 1)));
}

// Two ranks of two GPUs compute prompts, four ranks of one decode: request 1 is the second rank's here and there.
TEST(ExpertRanks, HandOversGoFromOneRankToOneRank) {
  const auto flows = flows_of("0,1600,2,16,1-100\n100,1600,2,16,201-300\n", R"(
cluster: {node: dgx_h100, nodes: 2}
pools:
  - {name: prompts, llm: qwen3-30b-a3b, gpu: h100_sxm_80g, tensor_parallel: 2, pipeline_parallel: 2,
     expert_parallel: 4, placement: {policy: disaggregated, decode_pool: answers}}
  - {name: answers, llm: qwen3-30b-a3b, gpu: h100_sxm_80g, expert_parallel: 8}
)")
                         .at("kv_hand_over");
  std::vector<Flow> later;
  std::ranges::copy_if(flows, std::back_inserter(later), [](const Flow& flow) { return flow.start_s > 50; });
  EXPECT_THAT(ends(later, &Flow::from), UnorderedElementsAre(gpu(2), gpu(3), gpu(6), gpu(7)));
  EXPECT_THAT(ends(later, &Flow::to), UnorderedElementsAre(gpu(1, 1)));
  EXPECT_NEAR(bytes(later) / (1600 * token_bytes), 1, 0.01);
}

// Ranks, stages and tiers at once, with KV that runs short: short cuts change nothing.
TEST(ExpertRanks, StepByStepAndWithAllShortCuts) {
  for (const char* shape : {"tensor_parallel: 2, pipeline_parallel: 2, expert_parallel: 4",
                            "tensor_parallel: 4, expert_parallel: 4", "tensor_parallel: 4, expert_parallel: 16"}) {
    const std::string text = fmt::format(R"(
workload:
  generate:
    requests: 200
    arrivals: {{poisson: {{requests_per_s: 10}}}}
    sessions: {{turns: {{fixed: 4}}, think_s: {{exponential: {{mean: 2}}}}}}
    prompt_tokens: {{exponential: {{mean: 500}}, max: 1500}}
    output_tokens: {{exponential: {{mean: 40}}, max: 100}}
cluster: {{node: dgx_h100, nodes: 4}}
pools:
  - {{name: chat, llm: qwen3-30b-a3b, gpu: h100_sxm_80g, replicas: 2, {},
     kv_cache: {{policy: paged_prefix, num_gpu_blocks_override: 700}},
     kv_tiers: {{fetch: always, levels: [{{kind: host, capacity_bytes: 1e9, write: on_evict}},
                                         {{kind: shared, capacity_bytes: 4e9, write: on_evict}}]}}}}
)",
                                         shape);
    const std::string quick = everything_of(text, false);
    EXPECT_EQ(quick, everything_of(text, true)) << shape;
    EXPECT_EQ(quick.find("unfinished\": 1"), std::string::npos) << shape;
  }
}

}  // namespace servecast::expert_ranks_test
