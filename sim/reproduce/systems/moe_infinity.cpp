#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::moe_infinity {
namespace {

constexpr double infinity_s = 0.735;  // published
const std::string offload = "pools[0].expert_offload.";

Quantity seconds_per_token(const std::vector<Override>& engine) {
  return figure_of({.scenario = "moe_infinity", .set = engine}, "tpot_s.mean");
}

}  // namespace

PaperSystem all_figures() {
  const Override whole_layer{offload + "prefetch.policy", "whole_layer"};
  const Override half_rate{offload + "copy_rate_fraction", "0.5"};
  const Override pinned{offload + "cache.policy", "frequency_pinned"};
  struct Engine {
    std::string name;
    double published_s;
    Quantity ours_s;
  };
  const Quantity infinity = seconds_per_token({});
  const std::vector<Engine> others{
      {"mixtral-offloading", 1.75, seconds_per_token({{offload + "prefetch.policy", "gate_lookahead"}, half_rate})},
      {"vLLM", 2.14, seconds_per_token({whole_layer, pinned})},
      {"DeepSpeed", 2.49, seconds_per_token({whole_layer, {offload + "slots_per_layer", "0"}})},
      {"Accelerate", 6.63, seconds_per_token({whole_layer, pinned, half_rate})}};
  PaperSystem system{.id = "MoE-Infinity",
                     .title = "",
                     .source = "its README: Mixtral-8x7B in bf16 on an RTX A5000, seconds per token"};
  system.rows.push_back(
      {.figure = "MoE-Infinity", .unit = as_seconds(), .published = exactly(infinity_s), .ours = infinity});
  const Engine* before = nullptr;
  for (const Engine& engine : others) {
    const double ratio = engine.published_s / infinity_s;
    system.rows.push_back({.figure = engine.name,
                           .unit = as_seconds(),
                           .published = exactly(engine.published_s),
                           .ours = engine.ours_s});
    system.rows.push_back({.figure = engine.name + " over MoE-Infinity",
                           .unit = as_times(1),
                           .published = exactly(ratio),
                           .asked = between(ratio / 2, ratio * 2),
                           .ours = engine.ours_s / infinity});
    if (before != nullptr)
      system.rows.push_back({.figure = engine.name + " over " + before->name,
                             .unit = as_times(),
                             .published = exactly(engine.published_s / before->published_s),
                             .asked = at_least(1),
                             .ours = engine.ours_s / before->ours_s});
    before = &engine;
  }
  return system;
}

}  // namespace servecast::moe_infinity
