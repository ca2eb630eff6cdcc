#include <cmath>

#include "models/hw/power_cost/cost.h"
#include "sim/input/library/library.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s18_deepseek {
namespace {

constexpr double day_s = 86400;
constexpr double prompt_tokens = 608e9;  // in that day
constexpr double found_tokens = 342e9;   // of these, in the cache
constexpr double output_tokens = 168e9;
constexpr double published_nodes = 226.75;
constexpr double published_rent_usd = 87'072;
constexpr double published_revenue_usd = 562'027;
constexpr double prompts_per_node = 73.7e3;  // tokens per second
constexpr double outputs_per_node = 14.8e3;
constexpr double gpus_per_node = 8;
constexpr double usd_per_gpu_hour = 2;

/// USD of list prices per million tokens: found, computed, made.
constexpr double revenue_usd =
    (0.14 * found_tokens + 0.55 * (prompt_tokens - found_tokens) + 2.19 * output_tokens) / 1e6;

Quantity nodes_for(const Quantity& prompts_per_s, const Quantity& outputs_per_s) {
  return prompt_tokens / day_s / prompts_per_s + output_tokens / day_s / outputs_per_s;
}

/// Rent of whole GPUs for a day, as the scenario has them.
Quantity rent_usd_of(double nodes) {
  return own_probe({.scenario = "s18_deepseek_prefill"}, [nodes](const PublicTraces&) {
    const Scenario unit = load_scenario((library_dir() / "papers/s18_deepseek_prefill.yaml").string(), {});
    const auto gpus = static_cast<std::int64_t>(nodes * static_cast<double>(unit.groups[0].node.gpus));
    return std::vector<double>{rent_usd(unit.pools[0].usd_per_gpu_hour(), gpus, day_s)};
  });
}

/// A figure per node of a unit, and the share of prompt tokens found.
ProbePtr unit(const std::string& scenario, const std::string& key) {
  const PaperSetup setup{.scenario = scenario};
  return own_probe(setup, [setup, key](const PublicTraces& traces) {
    const Scenario loaded = load_scenario((library_dir() / "papers" / (setup.scenario + ".yaml")).string(), {});
    std::vector<double> values = simulate(setup, traces, {figure_at(key), prompt_hit_fraction});
    values[0] /= static_cast<double>(loaded.spec.cluster.nodes);
    return values;
  });
}

/// The day in four minutes: requests not served, share of prompt tokens found, mean and P95 time per token.
ProbePtr short_day() {
  const PaperSetup setup{
      .scenario = "s18_deepseek_day",
      .set = {{"workload.generate.duration_s", "240"},
              {"workload.generate.arrivals.day_curve", "{period_s: 240, peak_factor: 1.226, peak_s: 120}"},
              {"workload.generate.shared_prefix.prompts_per_group", "460"}}};
  const Reading unserved = [](const PaperRecords& run) {
    return static_cast<double>(run.summary.requests.arrived - run.summary.requests.completed);
  };
  return slow(run_probe(setup, {unserved, prompt_hit_fraction, figure_at("tpot_s.mean"), figure_at("tpot_s.p95")}));
}

}  // namespace

PaperSystem all_figures() {
  const FigureUnit nodes{.digits = 1, .unit = " nodes"};
  const FigureUnit thousand{.digits = 1, .unit = "k tokens/s", .scale = 1e-3};
  const double from_tokens = prompt_tokens / day_s / prompts_per_node + output_tokens / day_s / outputs_per_node;
  const Quantity rent = rent_usd_of(from_tokens);
  const ProbePtr prompts = unit("s18_deepseek_prefill", "prompt_tokens_per_s");
  const ProbePtr outputs = unit("s18_deepseek_decode", "output_tokens_per_s");
  const Quantity forecast = nodes_for(prompts, outputs);
  const ProbePtr day = short_day();
  constexpr double margin = published_revenue_usd / published_rent_usd - 1;  // 5.45
  const double found = found_tokens / prompt_tokens;
  return {.id = "S18",
          .title = "DeepSeek-V3",
          .source = "open-infra-index, day 6: 24 hours on H800",
          .rows = {{.figure = "nodes, from published tokens per node",
                    .unit = nodes,
                    .published = exactly(published_nodes),
                    .asked = within(0.05, published_nodes),
                    .ours = from_tokens},
                   {.figure = "rent of a day from these",
                    .unit = {.digits = 0, .unit = " USD"},
                    .published = exactly(published_rent_usd),
                    .asked = within(0.05, published_rent_usd),
                    .ours = rent},
                   {.figure = "revenue at list prices",
                    .unit = {.digits = 0, .unit = " USD"},
                    .published = exactly(published_revenue_usd),
                    .asked = within(0.01, published_revenue_usd),
                    .ours = revenue_usd},
                   {.figure = "margin from these",
                    .unit = as_percent(),
                    .published = exactly(margin),
                    .asked = around(margin, 0.10),
                    .ours = revenue_usd / rent - 1},
                   {.figure = "forecast: prompt tokens/s per node",
                    .unit = thousand,
                    .published = exactly(prompts_per_node),
                    .asked = within(0.15, prompts_per_node),
                    .ours = prompts},
                   {.figure = "forecast: output tokens/s per node",
                    .unit = thousand,
                    .published = exactly(outputs_per_node),
                    .asked = within(0.15, outputs_per_node),
                    .ours = outputs},
                   {.figure = "forecast: nodes",
                    .unit = nodes,
                    .published = exactly(published_nodes),
                    .asked = within(0.15, published_nodes),
                    .ours = forecast},
                   {.figure = "forecast: margin",
                    .unit = as_percent(),
                    .published = exactly(margin),
                    .asked = within(0.15, margin),
                    .ours = published_revenue_usd / (forecast * gpus_per_node * 24 * usd_per_gpu_hour) - 1},
                   {.figure = "prompt tokens found in the cache, prefill unit",
                    .unit = as_percent(1),
                    .published = exactly(found),
                    .asked = around(found, 0.01),
                    .ours = Quantity(prompts, 1)},
                   {.figure = "the day in four minutes: requests not served",
                    .unit = {.digits = 0},
                    .asked = exactly(0),
                    .ours = day},
                   {.figure = "the day: prompt tokens found",
                    .unit = as_percent(1),
                    .published = exactly(found),
                    .asked = around(found, 0.02),
                    .ours = Quantity(day, 1)},
                   {.figure = "the day: for each user, mean",
                    .unit = as_tokens(),
                    .published = between(20, 22),
                    .asked = between(20, 30),
                    .ours = 1 / Quantity(day, 2),
                    .missed = "four minutes begin with empty decode units, and an answer takes one of them"},
                   {.figure = "the day: for 95 % of users, at least",
                    .unit = as_tokens(),
                    .asked = at_least(20),
                    .ours = 1 / Quantity(day, 3)}}};
}

}  // namespace servecast::s18_deepseek
