// Experts elsewhere, through the engine: loads in closed form and as flows take the same time, flows share links with
// others, and short cuts change nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/report/csv/detail_csv.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::expert_offload_test {

/// One replica on each of two GPUs below one PCIe root, which carries one of them at a time at full speed.
std::string two_on_a_root(double requests_per_s, int requests) {
  return fmt::format(R"(
seed: 3
workload:
  generate:
    requests: {}
    arrivals: {{poisson: {{requests_per_s: {}}}}}
    prompt_tokens: {{fixed: 32}}
    output_tokens: {{fixed: 24}}
cluster: {{node: pcie_server_4}}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    replicas: 2
    batcher: {{policy: vllm_v1, async_scheduling: false}}
    router: {{policy: round_robin}}
    latency: {{model: roofline}}
    expert_offload:
      cache_fraction: 0.5
      streams: 2
      prefetch: {{policy: gate_lookahead}}
)",
                     requests, requests_per_s);
}

std::string tpot(const std::string& text, const std::vector<Override>& overrides, bool with_engine) {
  return in_child([&] {
    Scenario scenario = scenario_from(text, overrides);
    Recorder recorder(scenario.pools.size());
    const RunFacts facts = with_engine ? run(scenario, recorder, {}) : run_without_engine(scenario, recorder, {});
    return fmt::format("{}", summarise(recorder, facts).latencies.tpot_s->mean);
  });
}

TEST(ExpertOffload, LoadsAsFlowsTakeAsLongAsInClosedForm) {
  const std::string text = two_on_a_root(0.2, 6);  // one at a time: no sharing
  const double closed = std::stod(tpot(text, {}, false));
  const double flows = std::stod(tpot(text, {}, true));
  EXPECT_NEAR(flows / closed, 1, 2e-3);  // an end is noticed up to a microsecond later
  EXPECT_NE(flows, closed) << "these were flows";
}

TEST(ExpertOffload, ReplicasBelowOneRootShareIt) {
  const std::string text = two_on_a_root(1000, 8);  // all at once
  const double alone = std::stod(tpot(text, {}, false));
  const double shared = std::stod(tpot(text, {}, true));
  EXPECT_GT(shared, 1.2 * alone);
  EXPECT_LT(shared, 2 * alone * 1.01) << "at worst each gets half";
}

/// One replica in two stages below one root, one request at a time: never do both stages load.
TEST(ExpertOffload, EachStageLoadsItsOwnExperts) {
  const std::string text = two_on_a_root(0.2, 4);
  const std::vector<Override> stages{{"pools[0].replicas", "1"},
                                     {"pools[0].pipeline_parallel", "2"},
                                     {"pools[0].expert_offload.prefetch.policy", "none"}};
  const double closed = std::stod(tpot(text, stages, false));
  const double flows = std::stod(tpot(text, stages, true));
  EXPECT_NEAR(flows / closed, 1, 2e-3);
  EXPECT_NE(flows, closed) << "stages that share a link load over it as flows";
}

// A token that a stand-in or the host can serve at once waits for no prefetch: looking ahead does not slow these
// down.
TEST(ExpertOffload, APrefetchDelaysNoTokenThatNeedNotWait) {
  const std::string text = two_on_a_root(0.2, 4);
  for (const std::string miss : {"random", "skip", "cpu"})
    for (const std::string late : {"drop", "keep"}) {
      std::vector<Override> set{{"pools[0].replicas", "1"},
                                {"pools[0].expert_offload.streams", "1"},
                                {"pools[0].expert_offload.late_guesses", late},
                                {"pools[0].expert_offload.miss.policy", miss},
                                {"pools[0].expert_offload.host.flop_per_s", "1e12"},
                                {"pools[0].expert_offload.host.memory_bytes_per_s", "6e10"}};
      const double ahead = std::stod(tpot(text, set, false));
      set.push_back({"pools[0].expert_offload.prefetch.policy", "none"});
      EXPECT_LT(ahead, 1.01 * std::stod(tpot(text, set, false))) << miss << ", " << late;
    }
}

// Guesses that no token waits for hold up the loads behind them, unless they leave the queue.
TEST(ExpertOffload, LateGuessesThatAreDroppedMakeRoom) {
  const std::vector<Override> one{{"pools[0].replicas", "1"},
                                  {"pools[0].expert_offload.streams", "1"},
                                  {"pools[0].expert_offload.prefetch.policy", "whole_layer"}};
  std::vector<Override> dropped = one;
  dropped.push_back({"pools[0].expert_offload.late_guesses", "drop"});
  const std::string text = two_on_a_root(0.2, 2);
  EXPECT_LT(std::stod(tpot(text, dropped, false)), 0.5 * std::stod(tpot(text, one, false)));
}

/// Experts spread whole over the GPUs, each of which loads its own over its own link.
std::string spread(const std::string& offload) {
  return R"(
seed: 2
workload:
  generate:
    requests: 4
    arrivals: {poisson: {requests_per_s: 0.5}}
    prompt_tokens: {fixed: 64}
    output_tokens: {fixed: 20}
cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: h100_sxm_80g
    expert_parallel: 4
)" + offload;
}

TEST(ExpertOffload, SpreadExpertsAllInMemoryTakeAboutAsLongAsWithoutOffload) {
  const double all = std::stod(tpot(spread(""), {}, true));
  const double offloaded = std::stod(tpot(spread("    expert_offload: {cache_fraction: 1}\n"), {}, true));
  EXPECT_NEAR(offloaded / all, 1, 0.1) << "apart from routing that is drawn, not even";
}

TEST(ExpertOffload, SpreadExpertsLoadOverAllLinksAtOnce) {
  const std::string half = "    expert_offload: {cache_fraction: 0.5, prefetch: {policy: none}}\n";
  const double four = std::stod(tpot(spread(half), {}, true));
  const double two = std::stod(tpot(spread(half), {{"pools[0].expert_parallel", "2"}}, true));
  EXPECT_LT(four, two);
  EXPECT_GT(four, two / 2 * 0.99) << "half as many experts to load over each link, at best";
}

/// Sessions whose KV comes back from host memory over the links of the experts.
std::string random_scenario(std::uint64_t seed, const std::string& shape) {
  Rng rng(seed, "experts");
  const auto one_of = [&](std::vector<std::string> words) { return words[rng.below(words.size())]; };
  return fmt::format(R"(
seed: {}
workload:
  client_timeout_s: 60
  generate:
    requests: 15
    arrivals: {{poisson: {{requests_per_s: {}}}}}
    sessions: {{turns: {{fixed: 3}}, think_s: {{exponential: {{mean: 1}}}}}}
    prompt_tokens: {{exponential: {{mean: 700}}, max: 1500}}
    output_tokens: {{exponential: {{mean: 12}}, max: 40}}
cluster: {{node: {}, nodes: 2}}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    replicas: {}
    latency: {{model: roofline}}
{}
    kv_cache: {{policy: paged_prefix, num_gpu_blocks_override: 260}}
    kv_tiers: {{fetch: always, levels: [{{kind: host, capacity_bytes: 2e10}}]}}
    expert_offload:
      cache_fraction: {}
      streams: {}
      host_bytes: {}
      cache: {{policy: {}}}
      prefetch: {{policy: {}}}
      miss: {{policy: {}}}
      host: {{flop_per_s: 1e12, memory_bytes_per_s: 1e11}}
)",
                     seed, one_of({"1", "8"}), one_of({"pcie_server_1", "pcie_server_4"}), one_of({"1", "1", "1"}),
                     shape, one_of({"0.25", "0.6"}), one_of({"1", "3"}), one_of({"4e9", "2e11"}),
                     one_of({"lru", "lfu", "frequency_pinned"}),
                     one_of({"none", "previous_token", "gate_lookahead", "co_activation", "oracle"}),
                     one_of({"load", "cpu", "buddy", "skip", "random"}));
}

TEST(ExpertOffload, ShortCutsChangeNothingWhileKvSharesTheLinks) {
  const std::string stages = "    pipeline_parallel: 2\n";
  const std::string sides = "    placement: {policy: semi_pd}\n";
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const std::string& shape : {std::string(), stages, sides, stages + sides}) {
      const std::string text = random_scenario(seed, shape);
      EXPECT_EQ(everything_of(text, false), everything_of(text, true)) << text;
    }
}

/// Looks at flows: how many there were of each kind, and how much longer than alone the slowest KV took.
struct FlowWatch final : DetailListener {
  std::int64_t expert_loads = 0;
  double kv_slowdown = 0;
  void flow(const FlowRecord& f) override {
    constexpr double link_bytes_per_s = 24.8e9;
    if (f.kind == "expert_load") expert_loads += 1;
    if (f.kind == "kv_fetch") kv_slowdown = std::max(kv_slowdown, (f.end_s - f.start_s) * link_bytes_per_s / f.bytes);
  }
};

TEST(ExpertOffload, KvAndExpertsSlowEachOtherDown) {
  const std::string text = R"(
seed: 1
workload:
  generate:
    requests: 60
    arrivals: {poisson: {requests_per_s: 4}}
    sessions: {turns: {fixed: 4}, think_s: {fixed: 0.2}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 30}
cluster: {node: pcie_server_1}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    latency: {model: roofline}
    kv_cache: {policy: paged_prefix, num_gpu_blocks_override: 320}
    kv_tiers: {fetch: always, levels: [{kind: host, capacity_bytes: 2e10}]}
    expert_offload: {cache_fraction: 0.3}
)";
  const std::string seen = in_child([&] {
    Scenario scenario = scenario_from(text);
    Recorder recorder(scenario.pools.size());
    FlowWatch flows;
    run(scenario, recorder, {.detail = &flows});
    return fmt::format("{} {}", flows.expert_loads, flows.kv_slowdown);
  });
  EXPECT_GT(std::stol(seen), 0) << "while KV moved, experts were flows";
  EXPECT_GT(std::stod(seen.substr(seen.find(' '))), 1.5) << "KV had to share: alone it takes 1";
}

}  // namespace servecast::expert_offload_test
