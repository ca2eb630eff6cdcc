// LoRA adapters that come over the links that others use, too.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "sim/report/csv/detail_csv.h"
#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::adapter_loads_test {

constexpr double noticed_s = 2e-6;           // the end of a flow: within 2^-20 s
constexpr double root_bytes_per_s = 55.3e9;  // of PCIe, above two GPUs
constexpr double link_bytes_per_s = 55.894e9;  // of each, as copies reach it (profile h100_sxm_80g.vllm)

struct Flow {
  double bytes = 0;
  double start_s = 0;
  double end_s = 0;
  double seconds() const { return end_s - start_s; }
};
using Flows = std::map<std::string, std::vector<Flow>>;

struct FlowsSeen final : DetailListener {
  Flows by_kind{};
  void flow(const FlowRecord& flow) override {
    by_kind[std::string(flow.kind)].push_back({flow.bytes, flow.start_s, flow.end_s});
  }
};

Flows flows_of(const std::string& text) {
  Scenario scenario = scenario_from(text);
  FlowsSeen seen;
  run_it(scenario, {.detail = &seen});
  return seen.by_kind;
}

/// Two replicas below one PCIe root. Each request names another adapter.
std::string two_below_one_root(const std::string& arrivals, const std::string& more = "") {
  return fmt::format(R"(
workload:
  generate:
    requests: 6
    arrivals: {}
    prompt_tokens: {{fixed: 200}}
    output_tokens: {{fixed: 5}}
  adapters: {{count: 1000000, zipf_exponent: 0}}
cluster: {{node: dgx_h100}}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 2
    router: {{policy: round_robin}}
    lora: {{slots: 8, modules: attention}}
{})",
                     arrivals, more);
}

/// 32 layers, rank 16, inputs + outputs of query, key, value and output, two bytes each.
constexpr double adapter_bytes = 32.0 * 16 * 2 * (2 * (4096 + 4096) + 2 * (4096 + 1024));

TEST(AdapterLoads, AloneTakeTheWholeLink) {
  const auto loads = flows_of(two_below_one_root("{constant: {requests_per_s: 10}}")).at("adapter_load");
  ASSERT_EQ(loads.size(), 6u);
  for (const Flow& load : loads) {
    EXPECT_NEAR(load.bytes / adapter_bytes, 1, 1e-12);
    EXPECT_NEAR(load.seconds(), adapter_bytes / root_bytes_per_s, noticed_s);
  }
}

/// Mean time to first token, and what steps waited for adapters in all.
struct Outcome {
  double ttft_s = 0;
  double stall_s = 0;
  double loads = 0;
};
Outcome outcome(const std::string& text, bool engine) {
  const auto numbers = in_child<3>([&] {
    Scenario scenario = scenario_from(text);
    Recorder recorder(scenario.pools.size());
    const RunFacts facts = engine ? run(scenario, recorder, {}) : run_without_engine(scenario, recorder, {});
    const Summary s = summarise(recorder, facts);
    return std::array{s.latencies.ttft_s->mean, s.adapters[0].stall_s, static_cast<double>(s.adapters[0].loads)};
  });
  return {numbers[0], numbers[1], numbers[2]};
}

// Without the engine no link is shared, and a step waits for as long as its adapters take alone. The same with
// GPUs that share a root, with two stages, which load together, and with prompts beside decodes.
TEST(AdapterLoads, HoldStepsUpByTheirTimeAlone) {
  for (const std::string more : {"", "    tensor_parallel: 2\n", "    pipeline_parallel: 2\n",
                                 "    placement: {policy: semi_pd, prefill_sm_fraction: 0.5}\n"}) {
    const std::string text = two_below_one_root("{constant: {requests_per_s: 10}}", more);
    const Outcome alone = outcome(text, false);
    const Outcome flows = outcome(text, true);
    EXPECT_EQ(flows.loads, 6);
    EXPECT_NEAR(alone.stall_s, 6 * adapter_bytes / root_bytes_per_s, 6 * noticed_s) << more;
    EXPECT_NEAR(flows.stall_s, alone.stall_s, 6 * noticed_s) << more;
    EXPECT_NEAR(flows.ttft_s, alone.ttft_s, noticed_s) << more;
  }
}

// Two clients, one on each replica. Each keeps its adapter, and both begin at the same time.
TEST(AdapterLoads, AtTheSameTimeShareTheirPcieRoot) {
  const auto loads = flows_of(two_below_one_root("{closed_loop: {clients: 2}}")).at("adapter_load");
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].start_s, loads[1].start_s);
  for (const Flow& load : loads) EXPECT_NEAR(load.seconds(), 2 * adapter_bytes / root_bytes_per_s, noticed_s);
}

/// Prompts computed on one node, each on a GPU of its own, and decoded on one GPU of another, with adapters of
/// rank 64.
Flows handed_over(const std::string& rows) {
  const auto trace = std::filesystem::temp_directory_path() / fmt::format("servecast-adapters-{}.csv", getpid());
  std::ofstream(trace) << "arrival_s,prompt_tokens,output_tokens\n" << rows;
  Flows flows = flows_of(fmt::format(R"(
workload: {{trace: {{path: {}}}, adapters: {{count: 1000000, zipf_exponent: 0}}}}
cluster: {{node: dgx_h100, nodes: 2}}
pools:
  - name: prefill
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 8
    router: {{policy: round_robin}}
    placement: {{policy: disaggregated, decode_pool: decode}}
  - {{name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g, lora: {{slots: 2, rank: 64, modules: attention}}}}
)",
                                     trace.string()));
  std::filesystem::remove(trace);
  return flows;
}

struct FlowTimes {
  double hand_over_start_s = 0;
  double hand_over_end_s = 0;
  double load_start_s = 0;
  double load_end_s = 0;
};
/// Of the last hand-over and the first load.
FlowTimes times_of(const std::string& rows) {
  const auto n = in_child<4>([&] {
    const Flows flows = handed_over(rows);
    const Flow& hand_over = flows.at("kv_hand_over").back();
    const Flow& load = flows.at("adapter_load").front();
    return std::array{hand_over.start_s, hand_over.end_s, load.start_s, load.end_s};
  });
  return {n[0], n[1], n[2], n[3]};
}

// The adapter of a short prompt comes while the KV of a long one arrives at the same GPU, over a port that gives it
// 46 of the 55.894e9 bytes/s of the GPU's link: each gets half of the link.
TEST(AdapterLoads, ShareTheGpusLinkWithAHandOver) {
  const std::string long_row = "0,16000,2\n";
  const FlowTimes of_long = times_of(long_row);
  const FlowTimes of_short = times_of("0,16,2\n");
  const double load_s = 4 * adapter_bytes / root_bytes_per_s;
  EXPECT_NEAR(of_short.load_end_s - of_short.load_start_s, load_s, noticed_s);
  const double comes_s = of_long.hand_over_start_s + 0.002 - of_short.load_start_s;
  const FlowTimes both = times_of(long_row + fmt::format("{},16,2\n", comes_s));
  ASSERT_LT(both.hand_over_start_s, both.load_start_s);
  ASSERT_GT(both.hand_over_end_s, both.load_end_s);
  EXPECT_NEAR(both.load_end_s - both.load_start_s, 2 * 4 * adapter_bytes / link_bytes_per_s, noticed_s);
  EXPECT_GT(both.hand_over_end_s, of_long.hand_over_end_s + load_s / 2);
}

/// Random loads with more adapters than slots: stages, shards, replicas over two nodes, placements, migration,
/// failures, scarce memory, swapping, closed loops, clients that give up.
std::string random_scenario(std::uint64_t seed) {
  Rng rng(seed, "adapter loads");
  const auto one_of = [&](std::initializer_list<const char*> choices) {
    return std::string(choices.begin()[rng.below(choices.size())]);
  };
  const std::string special = std::vector<std::string>{"", "migrates", "apart", "semi_pd", "fails", "wide"}[seed % 6];
  const bool one_node = special == "" || special == "migrates" || special == "fails";
  const std::string stages = one_node && rng.below(2) == 0 ? "2" : "1";
  std::string text = fmt::format(
      "seed: {}\nworkload:\n{}  adapters: {{count: {}, zipf_exponent: 0.7}}\n  generate:\n    requests: 150\n    "
      "arrivals: {}\n    prompt_tokens: {{exponential: {{mean: 300}}, max: 3000}}\n    output_tokens: {{exponential: "
      "{{mean: 60}}, max: 300}}\ncluster: {{node: dgx_h100, nodes: 2}}\npools:\n",
      seed, seed % 4 == 1 ? "  client_timeout_s: 3\n" : "", one_of({"20", "60"}),
      one_of({"{poisson: {requests_per_s: 60}}", "{closed_loop: {clients: 40}}"}));
  if (special == "apart")
    text +=
        "  - name: prefill\n    llm: llama-3.1-8b\n    gpu: h100_sxm_80g\n    replicas: 2\n    lora: {slots: 4}\n"
        "    placement: {policy: disaggregated, decode_pool: chat}\n";
  text += fmt::format(
      "  - name: chat\n    llm: llama-3.1-8b\n    gpu: h100_sxm_80g\n    replicas: {}\n    tensor_parallel: {}\n    "
      "pipeline_parallel: {}\n    lora: {{slots: {}, rank: {}}}\n    batcher: {{policy: {}}}\n    kv_cache: "
      "{{policy: "
      "paged, num_gpu_blocks_override: {}}}\n    preemption: {{mode: {}}}\n    router: {{policy: {}}}\n",
      special == "wide" ? 1 : 3, special == "wide" ? "16" : one_of({"1", "2"}), stages, one_of({"4", "16"}),
      one_of({"16", "128"}), one_of({"vllm_v1", "vllm_v0", "sarathi"}), one_of({"300", "2000"}),
      one_of({"swap", "recompute"}),
      special == "apart" ? "round_robin" : one_of({"round_robin", "least_requests", "adapter_affinity"}));
  if (special == "migrates")
    text += "    migration: {policy: llumnix, check_every_s: 0.05, send_below_freeness: 30}\n";
  if (special == "semi_pd") text += "    placement: {policy: semi_pd, prefill_sm_fraction: 0.5}\n";
  if (special == "fails") text += "failures:\n  in_flight: retry\n  events: [{at_s: 1.5, replica: 1, down_s: 0.7}]\n";
  return text;
}

TEST(AdapterLoads, StepByStepAndWithAllShortCuts) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::string quick = everything_of(random_scenario(seed), false);
    ASSERT_EQ(quick, everything_of(random_scenario(seed), true)) << random_scenario(seed);
    EXPECT_NE(quick.find("\"unfinished\": 0"), std::string::npos) << random_scenario(seed);
    EXPECT_EQ(quick.find("\"loads\": 0"), std::string::npos) << random_scenario(seed);
  }
}

}  // namespace servecast::adapter_loads_test
