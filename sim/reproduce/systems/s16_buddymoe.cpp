#include <fmt/format.h>

#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s16_buddymoe {
namespace {

constexpr double answers_right = 0.735;  // mean accuracy with all experts at hand
const std::vector<Override> ahead{{"pools[0].expert_offload.prefetch.policy", "gate_lookahead"},
                                  {"pools[0].expert_offload.late_guesses", "drop"}};

/// Tokens per second, bytes loaded, points of accuracy lost.
ProbePtr run_with(const std::string& miss, const std::string& cache_fraction, const std::vector<Override>& more) {
  const PaperSetup setup{.scenario = "s16_buddymoe", .set = more};
  const ProbePtr probe =
      run_probe(setup.with({{"pools[0].expert_offload.miss.policy", miss},
                            {"pools[0].expert_offload.cache_fraction", cache_fraction}}),
                {[](const PaperRecords& run) { return 1 / run.summary.latencies.tpot_s->mean; },
                 figure_at("expert_offload[0].loaded_bytes"), figure_at("expert_offload[0].quality_lost_fraction")});
  return more.empty() ? probe : slow(probe);
}

struct CacheSize {
  std::string fraction;
  std::optional<double> speed, gain;  // published: tokens/s on demand, buddies' gain
  double with_buddies, at_random;     // accuracy
};

void add(PaperSystem& system, const CacheSize& size, std::optional<Quantity>& gain_before) {
  const std::string of = fmt::format(", {} of the experts in GPU memory", size.fraction);
  const ProbePtr load = run_with("load", size.fraction, {});
  const ProbePtr buddies = run_with("buddy", size.fraction, {});
  const ProbePtr random = run_with("random", size.fraction, {});
  const Quantity gain = Quantity(buddies) / load - 1;
  const auto published = [](std::optional<double> value) {
    return value ? std::optional(exactly(*value)) : std::nullopt;
  };
  system.rows.push_back(
      {.figure = "loading on demand" + of, .unit = as_tokens(), .published = published(size.speed), .ours = load});
  system.rows.push_back({.figure = "buddies' gain" + of,
                         .unit = as_percent(1),
                         .published = published(size.gain),
                         .asked = between(0.04, 0.12),
                         .ours = gain});
  if (gain_before)
    system.rows.push_back({.figure = "buddies' gain over that of the larger cache" + of,
                           .unit = as_times(),
                           .asked = at_least(1),
                           .ours = gain / *gain_before});
  gain_before = gain;
  system.rows.push_back({.figure = "fewer bytes over PCIe" + of,
                         .unit = as_percent(),
                         .published = exactly(0.2),
                         .asked = around(0.2, 0.05),
                         .ours = 1 - Quantity(buddies, 1) / Quantity(load, 1)});
  system.rows.push_back(
      {.figure = "random stand-ins" + of, .unit = as_tokens(), .published = exactly(39.7), .ours = random});
  system.rows.push_back({.figure = "random stand-ins over buddies" + of,
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = Quantity(random) / buddies});

  const ProbePtr ahead_load = run_with("load", size.fraction, ahead);
  const ProbePtr ahead_buddies = run_with("buddy", size.fraction, ahead);
  const ProbePtr ahead_random = run_with("random", size.fraction, ahead);
  system.rows.push_back(
      {.figure = "loading ahead" + of, .unit = as_tokens(), .published = published(size.speed), .ours = ahead_load});
  if (size.speed) system.rows.back().asked = within(0.2, *size.speed);
  system.rows.push_back({.figure = "buddies' gain, loading ahead" + of,
                         .unit = as_percent(1),
                         .published = published(size.gain),
                         .asked = between(0.035, 0.125),
                         .ours = Quantity(ahead_buddies) / ahead_load - 1});
  system.rows.push_back({.figure = "random stand-ins, ahead over on demand" + of,
                         .unit = as_times(3),
                         .asked = between(0.999, 1.001),
                         .ours = Quantity(ahead_random) / random});
  system.rows.push_back({.figure = "accuracy with buddies" + of,
                         .unit = {.digits = 3},
                         .published = exactly(size.with_buddies),
                         .asked = around(size.with_buddies, 0.08),
                         .ours = answers_right - Quantity(ahead_buddies, 2)});
  system.rows.push_back({.figure = "accuracy at random" + of,
                         .unit = {.digits = 3},
                         .published = exactly(size.at_random),
                         .asked = around(size.at_random, 0.03),
                         .ours = answers_right - Quantity(ahead_random, 2)});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{
      .id = "S16",
      .title = "BuddyMoE",
      .source = "arXiv 2511.10054: DeepSeek-V2-Lite, part of its experts in the memory of an A100 PCIe"};
  std::optional<Quantity> gain_before;
  add(system, {"0.75", 34.2, 0.074, 0.695, 0.55}, gain_before);
  add(system, {"0.5", {}, {}, 0.635, 0.23}, gain_before);
  add(system, {"0.375", 24.8, 0.103, 0.645, 0.16}, gain_before);
  return system;
}

}  // namespace servecast::s16_buddymoe
