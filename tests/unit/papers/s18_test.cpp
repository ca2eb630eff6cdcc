// DeepSeek-V3's service on 27 February 2025: 226.75 nodes on average, $87,072 of rent, a margin of 545 %. Asserted:
// nodes within 5 % and margin within 10 points, from tokens per second and node as published; prompt and output
// tokens per second and node, forecast, within 15 %, and nodes and margin from these.
#include <fmt/format.h>

#include <array>

#include "models/hw/power_cost/cost.h"
#include "tests/unit/in_child.h"
#include "tests/unit/papers/papers.h"

namespace servecast::s18_test {

constexpr double day_s = 86400;
constexpr double prompt_tokens = 608e9;  // in that day
constexpr double found_tokens = 342e9;   // of these, in the cache
constexpr double output_tokens = 168e9;
constexpr double prompt_tokens_per_s_and_node = 73.7e3;
constexpr double output_tokens_per_s_and_node = 14.8e3;

TEST(S18, NodesAndMarginFollowFromTokensPerSecond) {
  const Scenario unit = paper("s18_deepseek_prefill");
  const double nodes = prompt_tokens / day_s / prompt_tokens_per_s_and_node +  // 95.5
                       output_tokens / day_s / output_tokens_per_s_and_node;   // 131.4
  EXPECT_NEAR(nodes / 226.75, 1, 0.05);

  const auto gpus = static_cast<std::int64_t>(nodes * static_cast<double>(unit.groups[0].node.gpus));
  const double rent = rent_usd(unit.pools[0].usd_per_gpu_hour(), gpus, day_s);
  EXPECT_NEAR(rent / 87'072, 1, 0.05);

  // List prices per million tokens: found 0.14, computed 0.55, output 2.19 USD.
  const double revenue_usd =
      (0.14 * found_tokens + 0.55 * (prompt_tokens - found_tokens) + 2.19 * output_tokens) / 1e6;
  EXPECT_NEAR(revenue_usd / 562'027, 1, 0.01);
  EXPECT_NEAR(revenue_usd / rent - 1, 5.45, 0.10);
  expect_in_section("S18", fmt::format("{:.1f} nodes, {:.0f} %;", nodes, 100 * (revenue_usd / rent - 1)));
}

/// Prompts with what is found of them, as published.
double prompts_forecast() {
  Scenario unit = paper("s18_deepseek_prefill");
  const auto nodes = static_cast<double>(unit.spec.cluster.nodes);
  const PaperRun run(std::move(unit));
  EXPECT_NEAR(run.hit_fraction(), found_tokens / prompt_tokens, 0.01);
  return run.summary.prompt_tokens_per_s / nodes;
}

/// As many requests at a time as make 21 tokens/s for each user at the published rate.
double outputs_forecast() {
  Scenario unit = paper("s18_deepseek_decode");
  const auto nodes = static_cast<double>(unit.spec.cluster.nodes);
  return PaperRun(std::move(unit)).summary.output_tokens_per_s / nodes;
}

TEST(S18, TokensNodesAndMarginAreForecastWithin15Percent) {
  const double prompts = prompts_forecast();
  const double outputs = outputs_forecast();
  EXPECT_NEAR(prompts / prompt_tokens_per_s_and_node, 1, 0.15);
  EXPECT_NEAR(outputs / output_tokens_per_s_and_node, 1, 0.15);
  expect_in_section("S18", fmt::format("forecast: {:.0f}k prompt tokens/s per node ({:.2f} times)", prompts / 1e3,
                                       prompts / prompt_tokens_per_s_and_node));
  expect_in_section("S18", fmt::format("{:.1f}k output tokens/s ({:.2f} times)", outputs / 1e3,
                                       outputs / output_tokens_per_s_and_node));
  const double nodes = prompt_tokens / day_s / prompts + output_tokens / day_s / outputs;
  EXPECT_NEAR(nodes / 226.75, 1, 0.15);
  const double margin = 562'027 / (nodes * 8 * 24 * 2) - 1;
  expect_in_section("S18", fmt::format("from these {:.0f} nodes and a margin of {:.0f} %", nodes, 100 * margin));
}

// The day in four minutes: a fleet of the published size at its peak serves every request, and its users read at least
// the 20 tokens/s that were published, more at night.
TEST(S18, AFleetOfThatSizeServesTheDay) {
  const auto [unserved, hits, mean_s, p95_s] = in_child<4>([&] {
    const PaperRun run(paper("s18_deepseek_day", {{"workload.generate.duration_s", "240"},
                                                  {"workload.generate.arrivals.day_curve",
                                                   "{period_s: 240, peak_factor: 1.226, peak_s: 120}"},
                                                  {"workload.generate.shared_prefix.prompts_per_group", "460"}}),
                       Network::simgrid);
    const Summary& s = run.summary;
    const auto unserved_requests = static_cast<double>(s.requests.arrived - s.requests.completed);
    return std::array{unserved_requests, run.hit_fraction(), s.latencies.tpot_s->mean, s.latencies.tpot_s->p95};
  });
  EXPECT_EQ(unserved, 0);
  EXPECT_NEAR(hits, found_tokens / prompt_tokens, 0.02);
  EXPECT_LT(p95_s, 1.0 / 20);
  EXPECT_GT(mean_s, 1.0 / 30);
  expect_in_section("S18",
                    fmt::format("a day in four minutes {:.0f} tokens/s for each user in the mean", 1 / mean_s));
}

}  // namespace servecast::s18_test
