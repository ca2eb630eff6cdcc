// Several models in one pool's slots: what they have in common, what stands in, and what that costs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/summary_of.h"

namespace servecast::shared_experts_run_test {

/// Two tenants with models of their own beside the pool's; `models` and `offload` say how they are made and kept.
Summary tenants(const std::string& models, const std::string& offload) {
  return summary_of(fmt::format(R"(
seed: 3
workload:
  mix:
    - class: base
      generate: {{requests: 20, arrivals: {{poisson: {{requests_per_s: 0.2}}}}, prompt_tokens: {{fixed: 64}}, output_tokens: {{fixed: 40}}}}
    - class: tuned
      adapters: {{count: 1}}
      generate: {{requests: 20, arrivals: {{poisson: {{requests_per_s: 0.2}}}}, prompt_tokens: {{fixed: 64}}, output_tokens: {{fixed: 40}}}}
slo: {{tpot_s: 10, classes: [{{class: tuned, tpot_s: 1e-6, target_fraction: 0.5}}]}}
cluster: {{node: pcie_server_1}}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    latency: {{model: roofline}}
    expert_offload: {{models: [{}], {}}}
)",
                                models, offload));
}

// DeepSeek-V2-Lite has 64 experts in each of 26 layers. A model that has tuned a quarter of them adds 16; pruned to
// half of them and tuned by a quarter, it adds 8 and knows 32.
TEST(SharedExpertsRun, CountsDifferentExpertsOnce) {
  const Summary s = tenants("{name: law, tuned_fraction: 0.25}, {name: small, experts: 32, tuned_fraction: 0.25}",
                            "slots_per_layer: 44");
  ASSERT_EQ(s.expert_models.size(), 3u);
  EXPECT_EQ(s.expert_models[0].own_experts, 0);
  EXPECT_EQ(s.expert_models[1].own_experts, 16);
  EXPECT_EQ(s.expert_models[2].own_experts, 8);
  EXPECT_EQ(s.expert_models[2].experts, 32);
  EXPECT_EQ(s.expert_offload[0].cache_fraction, 44.0 / (64 + 16 + 8));
}

// Without sharing two further models would be kept whole: 15.7e9 parameters in bf16 each, less what they have tuned,
// and for the second less the 32 experts of 26 layers that pruning left out. An expert has 3 x 2048 x 1408
// parameters.
TEST(SharedExpertsRun, SaysWhatSharingSaves) {
  const Summary s = tenants("{name: law, tuned_fraction: 0.25}, {name: small, experts: 32, tuned_fraction: 0.25}",
                            "slots_per_layer: 44");
  const double expert_bytes = 2.0 * 3 * 2048 * 1408;
  const double saved = 2 * 2 * 15.706e9 - 26 * expert_bytes * (16 + 32 + 8);
  EXPECT_NEAR(s.expert_offload[0].shared_weight_bytes, saved, 1e-3 * saved);
}

// The pool's model asks the same of its slots as alone where the other one has tuned nothing: one cache serves both.
// Where all experts are the other's own, both have half of it.
TEST(SharedExpertsRun, CommonExpertsAreFoundByBoth) {
  const auto hits = [](double tuned_fraction) {
    return tenants(fmt::format("{{name: law, tuned_fraction: {}}}", tuned_fraction), "slots_per_layer: 32")
        .expert_offload[0]
        .hit_fraction;
  };
  EXPECT_GT(hits(0), hits(0.25));
  EXPECT_GT(hits(0.25), hits(1));
}

// What stands in is loaded less often, and costs its share of what tuning gained.
TEST(SharedExpertsRun, TheBaseStandsInForWhatIsTuned) {
  const std::string model = "{name: law, tuned_fraction: 0.25, gained_points: 16}";
  const Summary load = tenants(model, "slots_per_layer: 40");
  const Summary base = tenants(model, "slots_per_layer: 40, miss: {policy: base_expert}");
  EXPECT_EQ(load.expert_models[1].lost_points, 0);
  EXPECT_LT(base.expert_offload[0].loaded_bytes, load.expert_offload[0].loaded_bytes);
  EXPECT_GT(base.expert_models[1].untuned_gate_fraction, 0);
  EXPECT_DOUBLE_EQ(*base.expert_models[1].lost_points, 16 * base.expert_models[1].untuned_gate_fraction);
  EXPECT_EQ(base.expert_models[0].untuned_gate_fraction, 0);
}

TEST(SharedExpertsRun, WhatStandInsCostIsUnknownWithoutTheGain) {
  const Summary s = tenants("{name: law, tuned_fraction: 0.25}", "slots_per_layer: 40, miss: {policy: base_expert}");
  EXPECT_EQ(s.expert_models[1].lost_points, std::nullopt);
}

// A model with half of the experts finds more of them in the same slots.
TEST(SharedExpertsRun, APrunedModelMissesLess) {
  const Summary s = tenants("{name: small, experts: 32}", "slots_per_layer: 32");
  EXPECT_GT(s.expert_models[1].hit_fraction, s.expert_models[0].hit_fraction);
  EXPECT_GT(*s.expert_models[1].lost_points, 0);
}

TEST(SharedExpertsRun, ATenantIsHeldToItsOwnPromise) {
  const Summary s = tenants("{name: law, tuned_fraction: 0.25}", "slots_per_layer: 44");
  ASSERT_EQ(s.classes.size(), 2u);
  EXPECT_TRUE(s.classes[0].slo().met());
  EXPECT_FALSE(s.classes[1].slo().met());
  EXPECT_FALSE(s.slo.met());
}

}  // namespace servecast::shared_experts_run_test
