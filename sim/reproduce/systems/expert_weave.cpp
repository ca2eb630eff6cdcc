#include <fmt/format.h>

#include <array>

#include "models/hw/llm/llm.h"
#include "sim/input/library/llm_config.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::expert_weave {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double kv_tokens_of_one = 810e3;  // that one merged model leaves room for

struct Adapter {
  const char* name;
  double experts;      // of 64, the mean over layers: table 1
  double weights_gib;  // of the base with this one and those before it: figure 9
  double kv_tokens;    // beside these; 0: not told
};
constexpr std::array adapters{Adapter{"gate-math", 7.04, 32.1, 0}, Adapter{"gate-intent", 9.50, 36.2, 572e3},
                              Adapter{"token-math", 6.12, 38.7, 477e3}};

/// Bytes of the weights of one model, and of a token's KV.
ProbePtr one_model() {
  return own_probe({.scenario = "sizes of DeepSeek-V2-Lite"}, [](const PublicTraces&) {
    const Llm llm = load_llm("deepseek-v2-lite", {});
    return std::vector<double>{weight_bytes(llm, {}), kv_bytes_per_token(llm, DataType::bf16)};
  });
}

/// Of the base and its first `count` adapters, less what they have in common.
Quantity weights(const ProbePtr& one, std::size_t count) {
  std::string models;
  for (const Adapter& a : std::span(adapters).first(count))
    models += fmt::format("{}{{name: {}, tuned_fraction: {}}}", models.empty() ? "" : ", ", a.name, a.experts / 64);
  const Quantity shared =
      figure_of({.scenario = "expert_weave", .set = {{"pools[0].expert_offload.models", "[" + models + "]"}}},
                "expert_offload[0].shared_weight_bytes");
  return Quantity(static_cast<double>(count) + 1) * Quantity(one) - shared;
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{
      .id = "ExpertWeave",
      .title = "",
      .source = "arXiv 2508.17624, table 1 and figure 9: ESFT adapters of a 16B model on one NPU of 64 GB"};
  const FigureUnit in_gib{.digits = 1, .unit = " GiB"};
  const ProbePtr one = one_model();
  system.rows.push_back({.figure = "weights of two merged models",
                         .unit = in_gib,
                         .published = exactly(58.6),
                         .asked = within(0.03, 58.6),
                         .ours = Quantity(one) * 2 / gib});
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    const Quantity all = weights(one, i + 1);
    const std::string with = fmt::format("{} {}", i + 1, i == 0 ? "adapter" : "adapters");
    system.rows.push_back({.figure = "weights with " + with,
                           .unit = in_gib,
                           .published = exactly(adapters[i].weights_gib),
                           .asked = within(0.03, adapters[i].weights_gib),
                           .ours = all / gib});
    if (adapters[i].kv_tokens == 0) continue;
    const double left = adapters[i].kv_tokens / kv_tokens_of_one;
    system.rows.push_back({.figure = "KV tokens beside " + with + ", of those beside one model",
                           .unit = as_percent(1),
                           .published = exactly(left),
                           .asked = around(left, 0.03),
                           .ours = 1 - (all - Quantity(one)) / (Quantity(one, 1) * kv_tokens_of_one)});
  }
  return system;
}

}  // namespace servecast::expert_weave
