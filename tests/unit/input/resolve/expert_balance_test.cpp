// Experts that are not wanted equally often: kernels measured under power-law routing, and forecasts of whole pools.
#include <gtest/gtest.h>

#include <cmath>

#include "models/hw/profile/kernel_times.h"
#include "models/policy/experts/expert_draws.h"
#include "models/policy/experts/expert_ranks.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/scenario/scenario.h"

namespace servecast::expert_balance_test {

/// Routing as NVIDIA's benchmarks draw it (aiconfigurator, power_law_logits_v3): the share of an expert is
/// distributed as x^-1.01 between 1 and 0.8 tokens. Several draws of these shares, as layers.
RoutingTrace power_law(const ExpertShape& shape, std::int64_t tokens, std::int64_t recorded) {
  Rng rng(5, "power law");
  RoutingTrace trace{.shape = shape, .first_token = {0, recorded}};
  std::vector<std::vector<double>> weights(static_cast<std::size_t>(shape.layers));
  for (auto& layer : weights)
    for (std::int64_t e = 0; e < shape.experts; ++e)
      layer.push_back(std::pow(1 + (std::pow(0.8 * static_cast<double>(tokens), -0.01) - 1) * rng.uniform(), -100));
  ExpertDraws draws(shape.experts);
  for (std::int64_t t = 0; t < recorded; ++t)
    for (const auto& layer : weights) {
      draws.clear();
      while (draws.size() < static_cast<std::size_t>(shape.active)) draws.draw(layer, rng);
      for (const ExpertId expert : draws.all()) {
        trace.experts.push_back(static_cast<std::uint8_t>(index(expert)));
        trace.gates.push_back(1);
      }
    }
  return trace;
}

/// Time of the fullest of the GPUs over that of balanced routing: ours, and as measured.
struct Ratio {
  double ours = 0;
  double measured = 0;
};

Ratio ratio(const KernelTimes& kernels, std::int64_t gpus, std::int64_t tokens) {
  MoeCall call{.dtype = "fp8_block",
               .tokens = tokens,
               .hidden = 4096,
               .width = 2048,
               .experts = 256,
               .top_k = 8,
               .expert_parallel = gpus};
  const KernelTime even = kernels.moe(call).value();
  call.routing = "power_law_1.01";
  const double measured = kernels.moe(call)->seconds;
  const RoutingTrace routing = power_law({.layers = 8, .experts = 256, .active = 8}, tokens, 1024);
  Rng rng(7, "batches");
  const RankLoad load =
      fullest_ranks(routing, {.ranks = gpus, .node_ranks = gpus, .balanced = false}, tokens, rng).at(tokens);
  call.routing = "balanced";
  call.tokens = std::llround(load.visits * static_cast<double>(tokens));
  const KernelTime full = kernels.moe(call).value();
  const double ours = full.seconds - (1 - load.touched_fraction) * (full.seconds - full.compute_s);
  return {.ours = ours / even.seconds, .measured = measured / even.seconds};
}

// vLLM's fp8 kernels on H100, a layer like DeepSeek's. From the balanced measurement and the load of the fullest GPU
// follows what the skewed one measured: within a third up to 1,024 tokens; at 4,096 too much, since in this benchmark
// a GPU handles all tokens, sent to it or not, which skew does not make more.
TEST(ExpertBalance, FullestGpusTakeAboutWhatWasMeasured) {
  const KernelTimes kernels(load_profile("h100_sxm_80g.vllm", {}));
  double worst = 0;
  for (const std::int64_t gpus : {8, 16, 32, 64})
    for (const std::int64_t tokens : {64, 256, 1024, 4096}) {
      const Ratio r = ratio(kernels, gpus, tokens);
      RecordProperty("gpus_" + std::to_string(gpus) + "_tokens_" + std::to_string(tokens),
                     std::to_string(r.ours) + " " + std::to_string(r.measured));
      const double off = std::abs(std::log(r.ours / r.measured));
      worst = std::max(worst, off);
      if (tokens <= 1024) {
        EXPECT_LT(off, std::log(1.34)) << gpus << " " << tokens << ": " << r.ours << " " << r.measured;
      }
      if (tokens == 4096) {
        EXPECT_GT(r.ours, 1) << gpus;
        EXPECT_GT(r.measured, 1) << gpus;
      }
    }
  EXPECT_LT(worst, std::log(2));
}

std::string ep_scenario() { return std::string(SERVECAST_SOURCE_DIR) + "/scenarios/papers/s18_deepseek_decode.yaml"; }

double step_s(const std::vector<Override>& overrides) {
  const Scenario scenario = load_scenario(ep_scenario(), overrides);
  const StepWork work{.decode_sequences = 12686, .decode_kv_tokens = 12686 * 4989, .emitted_tokens = 12686};
  return scenario.pools[0].latency->stage(work, 0).seconds;
}

// DeepSeek-V3, every expert as far from even as gpt-oss's law of 32 makes 256. Over 128 GPUs with two experts each,
// the GPU of the busiest is the fullest however they are packed; 32 copies over 144 GPUs win back nearly all.
TEST(ExpertBalance, CopiesWinBackWhatSkewLoses) {
  const std::vector<Override> fewer{{"pools[0].expert_parallel", "128"},
                                    {"pools[0].expert_exchange.redundant_experts", "0"},
                                    {"cluster.nodes", "16"}};
  const auto with = [&](const std::string& balance) {
    std::vector<Override> all = fewer;
    if (!balance.empty()) all.push_back({"pools[0].expert_balance", balance});
    return step_s(all);
  };
  const double even = with("");
  const double in_order = with("{placement: in_order, profile_tokens: 2048}");
  const double packed = with("{profile_tokens: 2048}");
  RecordProperty("in_order", std::to_string(in_order / even));
  RecordProperty("packed", std::to_string(packed / even));
  EXPECT_GT(packed / even, 1.3);
  EXPECT_GT(in_order / even, 1.3);
  const double copies = step_s({{"pools[0].expert_balance", "{profile_tokens: 2048}"}}) / step_s({});
  RecordProperty("copies", std::to_string(copies));
  EXPECT_GT(copies, 1);
  EXPECT_LT(copies, 1.2);
}

// Routing without skew leaves what chance does to a batch.
TEST(ExpertBalance, EvenRoutingCostsLittle) {
  const std::string even =
      "{routing: {policy: synthetic, zipf_exponent: 0, repeat_fraction: 0, successor_fraction: 0}, profile_tokens: "
      "2048}";
  const double ratio = step_s({{"pools[0].expert_balance", even}}) / step_s({});
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 1.3);
}

}  // namespace servecast::expert_balance_test
