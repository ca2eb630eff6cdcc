// KV tiers through the engine: fetches share links, short cuts change nothing, and host memory is worth what the
// shipped scenario says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/flows_seen.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::kv_tiers_test {

/// Three replicas of four tiers' worth of sessions, of which the GPUs hold few. By seed: cache, evictions, writes,
/// rule, prefetch and which tiers there are.
std::string random_scenario(std::uint64_t seed) {
  Rng rng(seed, "tiers");
  const auto one_of = [&](std::vector<std::string> words) { return words[rng.below(words.size())]; };
  const auto level = [&](const std::string& kind, double bytes) {
    return fmt::format("        - {{kind: {}, capacity_bytes: {}, write: {}, eviction: {{policy: {}}}}}\n", kind,
                       bytes, one_of({"through", "on_evict"}), one_of({"lru", "lfu", "fifo", "ttl"}));
  };
  const std::string cache = one_of({"paged_prefix", "radix"});
  std::string text =
      fmt::format(R"(
seed: {}
workload:
  client_timeout_s: {}
  generate:
    requests: 500
    arrivals: {{poisson: {{requests_per_s: 6}}}}
    sessions: {{turns: {{fixed: 4}}, think_s: {{exponential: {{mean: 4}}}}}}
    system_prompts: {{count: 3, tokens: 400}}
    prompt_tokens: {{exponential: {{mean: 500}}, max: 1500}}
    output_tokens: {{exponential: {{mean: 60}}, max: 200}}
cluster: {{node: dgx_h100}}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 3
    router: {{policy: {}}}
    kv_cache: {{policy: {}, num_gpu_blocks_override: {}}}
    kv_tiers:
      fetch: {}
      prefetch: {}
      layer_wise: {}
      levels:
)",
                  seed, rng.below(2) == 0 ? 60 : 3, one_of({"least_loaded", "round_robin"}), cache,
                  (cache == "radix" ? 16 : 1) * (600 + rng.below(400)), one_of({"if_faster", "always"}),
                  one_of({"true", "false"}), seed % 2 == 0 ? "true" : "false");
  if (seed % 3 != 0) text += level("host", 1e9);
  if (seed % 3 != 1) text += level("nvme", 2e9);
  if (seed % 3 != 2) text += level("shared", 6e9);
  return text;
}

std::string everything(const std::string& text, bool step_by_step) {
  Scenario scenario = scenario_from(text);
  const Finished done = run_it(scenario, {.step_by_step = step_by_step});
  std::string out = to_json(summarise(done.recorder, done.facts));
  for (const RequestRecord& r : done.recorder.requests())
    out += fmt::format("{} {} {} {:a} {:a} {:a}\n", index(r.id), index(r.replica), r.cached_tokens,
                       r.scheduled_s.value_or(-1), r.first_token_s.value_or(-1), r.finish_s.value_or(-1));
  return out;
}

class KvTiersOnTheEngine : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Loads, KvTiersOnTheEngine, testing::Range(0, 12));

TEST_P(KvTiersOnTheEngine, StepByStepThroughTheEngineAndWithAllShortCuts) {
  const std::string text = random_scenario(static_cast<std::uint64_t>(GetParam()));
  const std::string quick = in_child([&] { return everything(text, false); });
  EXPECT_EQ(quick, in_child([&] { return everything(text, true); }));
  EXPECT_NE(quick.find("\"fetched_bytes\": 0"), std::string::npos) << "of the GPUs themselves";
  EXPECT_EQ(quick.find("unfinished\": 1"), std::string::npos);
}

/// What moves below one PCIe root, which carries 55.3e9 bytes/s, a little less than copies reach on either of its two
/// replicas' links.
FlowsByKind below_one_root(const std::string& rows) {
  return flows_of(rows, R"(
cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 2
    router: {policy: round_robin}
    kv_cache: {policy: paged_prefix, num_gpu_blocks_override: 1100}
    kv_tiers: {fetch: always, levels: [{kind: host, capacity_bytes: 50e9}]}
)");
}

/// Each replica gets a prompt of 16,000 tokens, then another that pushes most blocks out.
const std::string first_rows = "0,16000,1,16,1-1000\n0,16000,1,16,2001-3000\n100,16000,1,16,4001-5000\n";

/// And then the first again: the second replica `apart_s` after the first.
FlowsByKind two_below_one_root(double apart_s) {
  return below_one_root(first_rows + fmt::format("{},16000,1,16,6001-7000\n"
                                                 "200,16000,1,16,1-1000\n{},16000,1,16,2001-3000\n",
                                                 100 + apart_s, 200 + apart_s));
}

TEST(KvTiersFetches, AloneTakeTheWholeLink) {
  const auto flows = two_below_one_root(1).at("kv_fetch");
  ASSERT_EQ(flows.size(), 2u);
  for (const Flow& flow : flows) {
    EXPECT_GT(flow.bytes, 800 * 16 * 131'072.0);  // 128 KiB per token; 100 blocks of 1,000 and some were still there
    EXPECT_NEAR(flow.seconds(), flow.bytes / 55.3e9, 2e-6);
  }
}

TEST(KvTiersFetches, AtTheSameTimeShareTheirPcieRoot) {
  const auto flows = two_below_one_root(0).at("kv_fetch");
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].bytes, flows[1].bytes);
  for (const Flow& flow : flows) EXPECT_NEAR(flow.seconds(), 2 * flow.bytes / 55.3e9, 2e-6);
}

// What a step has computed is written when it has ended, and nothing is written again of what was fetched. The first
// two prompts come together, so their steps end together; the next two come a second apart.
TEST(KvTiersWrites, ShareTheirPcieRoot) {
  double bytes = 0;
  const auto flows = two_below_one_root(1).at("kv_write");
  for (const Flow& flow : flows) {
    EXPECT_LT(flow.start_s, 110);
    EXPECT_NEAR(flow.seconds(), flow.bytes / (flow.start_s < 100 ? 55.3e9 / 2 : 55.3e9), 2e-6);
    bytes += flow.bytes;
  }
  EXPECT_NEAR(bytes / (4 * 16000 * 131'072.0), 1, 1e-5);
}

// While one replica fetches, the other writes what its first step has computed: outwards the root carries 55.3e9 as
// well.
TEST(KvTiersWrites, GoTheOtherWayThanFetches) {
  const auto flows = below_one_root(first_rows +
                                    "100,16000,1,16,6001-7000\n"
                                    "199.97,16000,1,16,8001-9000\n200,16000,1,16,2001-3000\n");
  ASSERT_EQ(flows.at("kv_fetch").size(), 1u);
  const Flow& fetch = flows.at("kv_fetch")[0];
  EXPECT_NEAR(fetch.seconds(), fetch.bytes / 55.3e9, 2e-6);
  const auto beside = std::ranges::find_if(
      flows.at("kv_write"), [&](const Flow& w) { return w.start_s > fetch.start_s && w.end_s < fetch.end_s; });
  ASSERT_NE(beside, flows.at("kv_write").end());
  EXPECT_NEAR(beside->seconds(), beside->bytes / 55.3e9, 2e-6);
}

/// A prompt of 8,000 tokens in one step on the eight GPUs of a node, decoded on another node.
FlowsByKind handed_over(const std::string& levels) {
  return flows_of("0,8000,2,16,1-500\n", fmt::format(R"(
cluster: {{node: dgx_h100, nodes: 2}}
pools:
  - name: prefill
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    tensor_parallel: 8
    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192}}
    kv_cache: {{policy: paged_prefix}}
    kv_tiers: {{levels: {}}}
    placement: {{policy: disaggregated, decode_pool: decode}}
  - {{name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g, tensor_parallel: 8}}
)",
                                                     levels));
}

// Each GPU writes its share of the KV to its host, and hands it over. Two GPUs write over one root, 55.3e9 bytes/s:
// each gets half, and the hand-over what that leaves of its PCIe link, over which copies reach 56.227e9 outwards: it
// is through sooner than the write. Alone only the network bounds it.
TEST(KvTiersWrites, ShareAGpusPcieLinkWithItsHandOver) {
  const double alone_s =
      in_child<1>([] { return std::array{handed_over("[]").at("kv_hand_over").at(0).seconds()}; })[0];
  const auto flows = handed_over("[{kind: host, capacity_bytes: 50e9}]");
  ASSERT_EQ(flows.at("kv_write").size(), 8u);
  ASSERT_EQ(flows.at("kv_hand_over").size(), 8u);
  const Flow& write = flows.at("kv_write")[0];
  EXPECT_NEAR(write.bytes / (8000 * 131'072.0 / 8), 1, 1e-5);
  EXPECT_NEAR(write.seconds(), write.bytes / (55.3e9 / 2), 2e-6);
  for (const Flow& hand_over : flows.at("kv_hand_over")) {
    EXPECT_LT(hand_over.end_s, write.end_s);
    EXPECT_NEAR(hand_over.seconds(), hand_over.bytes / (56.227e9 - 55.3e9 / 2), 2e-5);
    EXPECT_GT(hand_over.seconds(), 1.4 * alone_s);
  }
}

/// Share of prompt tokens found, and the mean and 95th percentile of the time to first token, of the shipped
/// scenario.
struct Outcome {
  double hit_fraction = 0;
  double ttft_mean_s = 0;
  double ttft_p95_s = 0;
};
Outcome outcome(const std::vector<Override>& overrides) {
  const std::string text = in_child([&] {
    Scenario scenario = load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/kv_offload.yaml", overrides);
    const Finished done = run_it(scenario);
    double found = 0, asked = 0;
    for (const RequestRecord& r : done.recorder.requests()) {
      found += static_cast<double>(r.cached_tokens);
      asked += static_cast<double>(r.prompt_tokens);
    }
    const Statistics ttft = *summarise(done.recorder, done.facts).latencies.ttft_s;
    return fmt::format("{} {} {}", found / asked, ttft.mean, ttft.p95);
  });
  Outcome outcome;
  std::istringstream(text) >> outcome.hit_fraction >> outcome.ttft_mean_s >> outcome.ttft_p95_s;
  return outcome;
}

// What the scenario is there to show. Without the tier the same GPUs find half as much of their prompts.
TEST(KvOffloadScenario, HostMemoryRaisesTheHitRateAndLowersTheTimeToFirstToken) {
  const Outcome with = outcome({});
  const Outcome without = outcome({{"pools[0].kv_tiers.levels", "[]"}});
  EXPECT_GT(with.hit_fraction, without.hit_fraction + 0.2);
  EXPECT_LT(with.ttft_mean_s, without.ttft_mean_s / 2);
  EXPECT_LT(with.ttft_p95_s, without.ttft_p95_s / 2);
  const Outcome half = outcome({{"pools[0].kv_tiers.levels[0].capacity_bytes", "250e9"}});
  EXPECT_GT(half.hit_fraction, without.hit_fraction);
  EXPECT_LT(half.hit_fraction, with.hit_fraction);
}

}  // namespace servecast::kv_tiers_test
