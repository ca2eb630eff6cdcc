// DeepSeek-V3's service on 27 February 2025: 226.75 nodes on average, $87,072 of rent, a margin of 545 %. Asserted:
// nodes within 5 % and margin within 10 points, from tokens per second and node; prompt and output tokens per second
// and node within a factor of 2, forecast.
#include <fmt/format.h>

#include "models/hw/power_cost/cost.h"
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

// Prompts with what is found of them, as published.
TEST(S18, PromptTokensPerNodeAreForecastWithinAFactorOfTwo) {
  Scenario unit = paper("s18_deepseek_prefill");
  const auto nodes = static_cast<double>(unit.spec.cluster.nodes);
  const PaperRun run(std::move(unit));
  EXPECT_NEAR(run.hit_fraction(), found_tokens / prompt_tokens, 0.01);
  const double taken = run.summary.prompt_tokens_per_s / nodes;
  EXPECT_GE(taken / prompt_tokens_per_s_and_node, 0.5);
  EXPECT_LE(taken / prompt_tokens_per_s_and_node, 2);
  expect_in_section("S18", fmt::format("forecast: {:.0f}k prompt tokens/s per node ({:.2f} times)", taken / 1e3,
                                       taken / prompt_tokens_per_s_and_node));
}

// As many requests at a time as make 21 tokens/s for each user at the published rate.
TEST(S18, OutputTokensPerNodeAreForecastWithinAFactorOfTwo) {
  Scenario unit = paper("s18_deepseek_decode");
  const auto nodes = static_cast<double>(unit.spec.cluster.nodes);
  const Summary summary = PaperRun(std::move(unit)).summary;
  const double made = summary.output_tokens_per_s / nodes;
  EXPECT_GE(made / output_tokens_per_s_and_node, 0.5);
  EXPECT_LE(made / output_tokens_per_s_and_node, 2);
  expect_in_section(
      "S18", fmt::format("{:.1f}k output tokens/s ({:.2f} times)", made / 1e3, made / output_tokens_per_s_and_node));
}

}  // namespace servecast::s18_test
