// Mixtral-8x7B on an RTX A5000: seconds per token of five engines, published 0.735 (MoE-Infinity), 1.75
// (mixtral-offloading), 2.14 (vLLM), 2.49 (DeepSpeed), 6.63 (Accelerate). Asserted: this order, and each engine's
// distance from MoE-Infinity within a factor of two. Not published: lengths, prompts, versions, how much of the model
// each engine kept on the GPU; what is assumed of the engines stands in the scenario.
#include <fmt/format.h>

#include "tests/unit/papers/papers.h"

namespace servecast::moe_infinity_test {

double seconds_per_token(std::vector<Override> engine) {
  return PaperRun(paper("moe_infinity", engine)).summary.latencies.tpot_s->mean;
}

const std::string offload = "pools[0].expert_offload.";

TEST(MoeInfinity, TheOrderOfEngines) {
  const double infinity = seconds_per_token({});
  const double offloading =
      seconds_per_token({{offload + "prefetch.policy", "gate_lookahead"}, {offload + "copy_rate_fraction", "0.5"}});
  const double vllm = seconds_per_token(
      {{offload + "prefetch.policy", "whole_layer"}, {offload + "cache.policy", "frequency_pinned"}});
  const double deepspeed =
      seconds_per_token({{offload + "prefetch.policy", "whole_layer"}, {offload + "slots_per_layer", "0"}});
  const double accelerate = seconds_per_token({{offload + "prefetch.policy", "whole_layer"},
                                               {offload + "cache.policy", "frequency_pinned"},
                                               {offload + "copy_rate_fraction", "0.5"}});
  EXPECT_LT(infinity, offloading);
  EXPECT_LT(offloading, vllm);
  EXPECT_LT(vllm, deepspeed);
  EXPECT_LT(deepspeed, accelerate);
  const auto near = [&](double s, double published) {
    EXPECT_GT(s / infinity, published / 0.735 / 2);
    EXPECT_LT(s / infinity, published / 0.735 * 2);
  };
  near(offloading, 1.75);
  near(vllm, 2.14);
  near(deepspeed, 2.49);
  near(accelerate, 6.63);
  expect_in_section("MoE-Infinity", fmt::format("| {:.2f}, {:.2f}, {:.2f}, {:.2f}, {:.2f} |", infinity, offloading,
                                                vllm, deepspeed, accelerate));
}

}  // namespace servecast::moe_infinity_test
