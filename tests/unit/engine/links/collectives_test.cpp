// Steps whose GPUs send to each other, and flows that cross their links.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::collectives_test {

/// Every step takes 2/64 s in each stage, and for 1/64 s of it links of one reach are busy.
class HalfNetwork final : public StepLatency {
 public:
  explicit HalfNetwork(double slack_s, std::int64_t stages = 1, Reach reach = Reach::across_nodes)
      : slack_s_(slack_s), stages_(stages), reach_(reach) {}
  std::int64_t stages() const override { return stages_; }
  StageTime stage(const StepWork&, std::int64_t) const override { return {.seconds = 2.0 / 64}; }
  StepSends sends(const StepWork&, std::int64_t) const override {
    const SendTime half{.seconds = 1.0 / 64, .slack_s = slack_s_};
    return reach_ == Reach::inside_node ? StepSends{.inside_node = half} : StepSends{.across_nodes = half};
  }

 private:
  double slack_s_;
  std::int64_t stages_;
  Reach reach_;
};

constexpr double port_bytes_per_s = 12.5e9 * 0.94;  // one per node
constexpr double path_s = 10.13e-6;

struct TwoPrompts {
  std::vector<double> first_token_s{};
  std::vector<double> hand_over_s{};
};
/// What a run in a process of its own told: each request's time to first token and of its hand-over.
TwoPrompts read_prompts(const std::string& told) {
  TwoPrompts out;
  std::istringstream in(told);
  for (double first_s = 0, moved_s = 0; in >> first_s >> moved_s;) {
    out.first_token_s.push_back(first_s);
    out.hand_over_s.push_back(moved_s);
  }
  return out;
}
std::string prompts_told(Scenario& scenario) {
  const Finished done = run_it(scenario);
  std::string text;
  for (const RequestRecord& r : done.recorder.requests())
    text += fmt::format("{} {} ", *r.first_token_s - r.arrival_s, r.hand_over_s.value_or(0));
  return text;
}

/// Prompts on two nodes with one port each for every stage, decodes on another; requests at 1/64 and 2/64 s.
TwoPrompts two_prompts(std::int64_t prompt_tokens, double slack_s, bool moves = true, std::int64_t stages = 1) {
  return read_prompts(in_child([&] {
    Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 2
    arrivals: {constant: {requests_per_s: 64}}
    prompt_tokens: {fixed: )" + std::to_string(prompt_tokens) +
                                      R"(}
    output_tokens: {fixed: 2}
cluster: {node: pcie_server_4, nodes: )" +
                                      std::to_string(2 * stages + 1) +
                                      R"(}
pools:
  - {name: wide, llm: llama-3.1-8b, gpu: a100_pcie_80g, tensor_parallel: 8, engine: none, pipeline_parallel: )" +
                                      std::to_string(stages) + R"(,
     batcher: {policy: vllm_v1, max_num_batched_tokens: 16384, async_scheduling: false}, placement: )" +
                                      (moves ? "{policy: disaggregated, decode_pool: decode, first_token: prefill}"
                                             : "{policy: colocated}") +
                                      R"(}
  - {name: decode, llm: llama-3.1-8b, gpu: a100_pcie_80g, tensor_parallel: 4, engine: none}
)");
    scenario.pools[0].latency = std::make_unique<HalfNetwork>(slack_s, stages);
    return prompts_told(scenario);
  }));
}

double kv_s(std::int64_t tokens) { return static_cast<double>(tokens) * 131072 / port_bytes_per_s; }

// The first prompt's step is [1/64, 3/64], the second's starts at 3/64 and its network part at 4/64. Alone it ends at
// 5/64: 3/64 after the arrival.
TEST(Collectives, KeepTheirTimesWhileNobodyCrossesThem) {
  const TwoPrompts t = two_prompts(8000, 0, false);
  EXPECT_NEAR(t.first_token_s[1], 3.0 / 64, 1e-12);
}

// Eight shards of the first prompt's KV go to the third node's port: an eighth of its rate each, and four of them
// leave over each of the first nodes' ports. There they meet the collective's four flows: eight flows, an eighth
// each, so the collective has half a port and takes twice as long. 8,000 tokens keep moving for longer than that: for
// 3/64 s alone on the third node's port, and then beside as much of the second prompt's KV, at half the rate.
TEST(Collectives, TakeTwiceAsLongBesideAHandOver) {
  const TwoPrompts t = two_prompts(8000, 0);
  ASSERT_GT(kv_s(8000), 4.0 / 64);
  EXPECT_NEAR(t.first_token_s[0], 2.0 / 64, 1e-12);
  EXPECT_NEAR(t.first_token_s[1], 4.0 / 64, 2e-6);
  EXPECT_NEAR(t.hand_over_s[0], path_s + 3.0 / 64 + 2 * (kv_s(8000) - 3.0 / 64), 4e-6);
}

// The hand-over ends while the collective is under way: half a port until then, a whole one after that.
TEST(Collectives, HaveTheirLinksBackWhenTheHandOverEnds) {
  const TwoPrompts t = two_prompts(2100, 0);
  const double beside_s = path_s + kv_s(2100) - 1.0 / 64;  // of the network part, which starts 1/64 s later
  ASSERT_GT(beside_s, 0);
  ASSERT_LT(beside_s, 2.0 / 64);
  EXPECT_NEAR(t.first_token_s[1], 3.0 / 64 + beside_s / 2, 2e-6);
}

// Hidden behind 1/64 s of arithmetic it starts with the step, and may take twice as long before it shows.
TEST(Collectives, MayBeSlowerBehindArithmetic) {
  EXPECT_NEAR(two_prompts(8000, 1.0 / 64).first_token_s[1], 3.0 / 64, 2e-6);
  EXPECT_NEAR(two_prompts(8000, 0.5 / 64).first_token_s[1], 3.5 / 64, 2e-6);
}

// Two stages on two nodes each. The first prompt is in the first stage in [1/64, 3/64] and in the second in [3/64,
// 5/64]; the second prompt is in each 2/64 s later, and the network part of its second stage starts at 6/64. From
// 5/64 on the first prompt's KV goes to the fifth node: sixteen shards, a sixteenth of its port each, so four leave
// each sender over a quarter of its port. That leaves three quarters to the collective, which takes 4/3 of 1/64 s.
TEST(Collectives, OfPipelineStagesMeetWhatCrossesTheNodesOfTheirStage) {
  EXPECT_NEAR(two_prompts(8000, 0, false, 2).first_token_s[1], 5.0 / 64, 1e-12);
  const TwoPrompts t = two_prompts(8000, 0, true, 2);
  ASSERT_GT(kv_s(8000), (2 + 1.0 / 3) / 64) << "KV moves until then";
  EXPECT_NEAR(t.first_token_s[0], 4.0 / 64, 1e-12);
  EXPECT_NEAR(t.first_token_s[1], (4 + 4.0 / 3) / 64, 2e-6);
}

constexpr double pcie_bytes_per_s = 24.8e9;
constexpr std::int64_t tokens = 16000;
constexpr double kv_of_two_s = tokens * 131072 / 2 / pcie_bytes_per_s;  // each of two GPUs sends half

/// Prompts on two GPUs below a PCIe switch, decodes on two others below it; requests at 1/64 and 2/64 s.
TwoPrompts in_one_node(double slack_s, bool moves) {
  return read_prompts(in_child([&] {
    Scenario scenario = scenario_from(
        R"(
workload:
  generate:
    requests: 2
    arrivals: {constant: {requests_per_s: 64}}
    prompt_tokens: {fixed: )" +
        std::to_string(tokens) + R"(}
    output_tokens: {fixed: 2}
cluster: {node: pcie_server}
pools:
  - {name: prompts, llm: llama-3.1-8b, gpu: a100_pcie_80g, tensor_parallel: 2, engine: none,
     batcher: {policy: vllm_v1, max_num_batched_tokens: 16384, async_scheduling: false}, placement: )" +
        (moves ? "{policy: disaggregated, decode_pool: decode, first_token: prefill}" : "{policy: colocated}") + R"(}
  - {name: decode, llm: llama-3.1-8b, gpu: a100_pcie_80g, tensor_parallel: 2, engine: none}
)");
    scenario.pools[0].latency = std::make_unique<HalfNetwork>(slack_s, 1, Reach::inside_node);
    return prompts_told(scenario);
  }));
}

// The first prompt's step is [1/64, 3/64]; its KV moves from 3/64 on, over the links on which the second prompt's
// step all-reduces from 4/64 on. Each has half a link: the all-reduce takes 2/64 s in place of 1/64, and the KV as
// much longer.
TEST(Collectives, InsideANodeMeetAHandOver) {
  EXPECT_NEAR(in_one_node(0, false).first_token_s[1], 3.0 / 64, 1e-12);
  const TwoPrompts t = in_one_node(0, true);
  ASSERT_GT(kv_of_two_s, 2.0 / 64);
  ASSERT_LT(kv_of_two_s, 3.0 / 64);
  EXPECT_NEAR(t.first_token_s[0], 2.0 / 64, 1e-12);
  EXPECT_NEAR(t.first_token_s[1], 4.0 / 64, 4e-6);
  EXPECT_NEAR(in_one_node(1.0 / 64, true).first_token_s[1], 3.0 / 64, 4e-6) << "hidden behind arithmetic";
}

std::string wide_experts(std::uint64_t seed) {
  const auto of = [&](std::initializer_list<const char*> choices) { return choices.begin()[seed % choices.size()]; };
  return "seed: " + std::to_string(seed) + R"(
workload:
  generate:
    requests: 150
    arrivals: )" +
         of({"{poisson: {requests_per_s: 40}}", "{closed_loop: {clients: 40}}",
             "{gamma: {requests_per_s: 60, cv: 2}}"}) +
         R"(
    prompt_tokens: {exponential: {mean: 2000}, max: 8000}
    output_tokens: {exponential: {mean: 20}, max: 100}
cluster: {node: dgx_h100, nodes: 5}
pools:
  - name: prefill
    llm: qwen3-30b-a3b
    gpu: h100_sxm_80g
    expert_parallel: 16
    expert_exchange: {two_batch_overlap: )" +
         of({"true", "false"}) + R"(}
    batcher: {policy: vllm_v1, max_num_batched_tokens: 32768}
    placement: {policy: disaggregated, decode_pool: decode, transfer: )" +
         of({"pull", "push", "stream"}) + R"(}
  - name: decode
    llm: qwen3-30b-a3b
    gpu: h100_sxm_80g
    expert_parallel: 24
    expert_exchange: {redundant_experts: 16, kernels: low_latency}
    preemption: {mode: )" +
         of({"recompute", "swap"}) + "}\n";
}

TEST(Collectives, StepByStepAndWithAllShortCuts) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto run_once = [&](bool step_by_step) {
      return in_child([&] {
        Scenario scenario = scenario_from(wide_experts(seed));
        const Finished done = run_it(scenario, {.step_by_step = step_by_step});
        return told(done.recorder, done.facts);
      });
    };
    const std::string quick = run_once(false);
    ASSERT_EQ(quick, run_once(true)) << "seed " << seed;
    ASSERT_FALSE(quick.empty());
  }
}

// Three nodes each below leaves of two, whose uplinks carry half: the second leaf carries all.
TEST(Collectives, ThatShareAnUplinkSlowEachOther) {
  const auto mean_step_s = [](std::int64_t replicas) {
    const std::string text = in_child([&] {
      Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: )" + std::to_string(20 * replicas) +
                                        R"(
    arrivals: {constant: {requests_per_s: 1e6}}
    prompt_tokens: {fixed: 1}
    output_tokens: {fixed: 20}
cluster: {node: dgx_h100, nodes: 6, fabric: fat_tree_4_to_1}
pools:
  - {name: wide, llm: qwen3-30b-a3b, gpu: h100_sxm_80g, expert_parallel: 24, engine: none,
     expert_exchange: {redundant_experts: 16}, router: {policy: round_robin}, replicas: )" +
                                        std::to_string(replicas) + "}\n");
      scenario.groups[0].fabric.nodes_per_leaf = 2;
      scenario.pools[0].latency = std::make_unique<HalfNetwork>(0);
      const Finished done = run_it(scenario);
      return fmt::format("{}", done.facts.pools[0].totals.busy_s / static_cast<double>(done.facts.steps));
    });
    return std::stod(text);
  };
  EXPECT_NEAR(mean_step_s(1), 2.0 / 64, 1e-9);
  EXPECT_GT(mean_step_s(2), 2.5 / 64);
}

}  // namespace servecast::collectives_test
