#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s11_mooncake_split {
namespace {

constexpr std::int64_t nodes = 16;
constexpr std::int64_t fewest = 5;
constexpr std::array published_share = {0.77, 0.97, 0.99, 0.99, 0.99, 0.985, 0.86};  // with 5 to 11 nodes for prompts

/// Share inside both bounds, mean TTFT, mean TPOT.
ProbePtr split(std::int64_t prefill_nodes) {
  return run_probe({.scenario = "s11_mooncake_split",
                    .set = {{"pools[0].replicas", std::to_string(prefill_nodes)},
                            {"pools[1].replicas", std::to_string(nodes - prefill_nodes)}},
                    .trace = "synthetic_trace.jsonl"},
                   {figure_at("slo.attained_fraction"), figure_at("ttft_s.mean"), figure_at("tpot_s.mean")});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{.id = "S11",
                     .title = "Mooncake: split of nodes",
                     .source = "FAST 2025: 5 to 11 of 16 nodes for prompts, synthetic trace"};
  std::vector<ProbePtr> by_split;
  Quantity in_the_middle = 0;  // most with 7 to 10 nodes, 44 to 63 % of them
  for (std::size_t i = 0; i < published_share.size(); ++i) {
    const std::int64_t prefill = fewest + static_cast<std::int64_t>(i);
    by_split.push_back(split(prefill));
    if (prefill >= 7 && prefill <= 10) in_the_middle = larger(in_the_middle, by_split.back());
    system.rows.push_back({.figure = fmt::format("inside both bounds, {} nodes for prompts", prefill),
                           .unit = as_percent(1),
                           .published = exactly(published_share[i]),
                           .ours = by_split.back()});
    system.rows.back().asked = between(published_share[i] - 0.03, std::min(1.0, published_share[i] + 0.03));
  }
  system.rows.front().missed = "prompts queue for less time here, see mean TTFT";
  system.rows.back().missed = "decodes are fast enough here on any number of nodes";
  const ProbePtr& few = by_split.front();
  const ProbePtr& many = by_split.back();
  system.rows.push_back({.figure = "most with 7 to 10 nodes over that with 11",
                         .unit = as_times(3),
                         .published = exactly(1.151),
                         .asked = at_least(0.999),
                         .ours = in_the_middle / many});
  system.rows.push_back({.figure = "most with 7 to 10 nodes, above that with 5",
                         .unit = as_percent(1),
                         .published = exactly(0.22),
                         .asked = at_least(0.1),
                         .ours = in_the_middle - few});
  system.rows.push_back(
      {.figure = "mean TTFT, 5 nodes", .unit = as_seconds(1), .published = exactly(5.7), .ours = Quantity(few, 1)});
  system.rows.push_back(
      {.figure = "mean TTFT, 11 nodes", .unit = as_seconds(1), .published = exactly(1.1), .ours = Quantity(many, 1)});
  system.rows.push_back({.figure = "mean TTFT, 5 nodes over 11",
                         .unit = as_times(1),
                         .published = exactly(5.2),
                         .asked = at_least(3),
                         .ours = Quantity(few, 1) / Quantity(many, 1)});
  system.rows.push_back(
      {.figure = "time per token, 5 nodes", .unit = as_ms(), .published = exactly(0.032), .ours = Quantity(few, 2)});
  system.rows.push_back({.figure = "time per token, 11 nodes",
                         .unit = as_ms(),
                         .published = exactly(0.058),
                         .ours = Quantity(many, 2)});
  system.rows.push_back({.figure = "time per token, 11 nodes over 7",
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = Quantity(many, 2) / Quantity(by_split[2], 2)});
  return system;
}

}  // namespace servecast::s11_mooncake_split
