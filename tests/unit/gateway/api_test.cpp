// Outside APIs: quotas, purchased units, caches, latencies as they were published. Held against arithmetic and
// against published quantiles that the model was not made from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/policy/stages/api_cache.h"
#include "models/policy/stages/api_latency.h"
#include "models/policy/stages/api_quota.h"
#include "sim/contract/made_gateway.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::api_test {

// 10 a minute: ten at once, the eleventh after 6 s.
TEST(MinuteQuota, FillsEvenly) {
  MinuteQuota quota(10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(quota.wait_s(1, 0));
    quota.take(1);
  }
  EXPECT_NEAR(quota.wait_s(1, 0).value(), 6, 1e-9);
  EXPECT_NEAR(quota.wait_s(1, 5).value(), 1, 1e-9);
  EXPECT_FALSE(quota.wait_s(1, 6.001));
  EXPECT_EQ(quota.wait_s(11, 100), MinuteQuota::never);
}

// 5,000 a day: what is left over at noon is refused until midnight, and nothing is carried into the next day.
TEST(DayQuota, BeginsAnewAtMidnight) {
  DayQuota quota(5000);
  quota.take(4000);
  EXPECT_FALSE(quota.wait_s(1000, 40'000));
  EXPECT_NEAR(quota.wait_s(1001, 43'200).value(), 43'200, 1e-9);
  EXPECT_FALSE(quota.wait_s(5000, 86'400));
  EXPECT_EQ(quota.wait_s(5001, 86'400), MinuteQuota::never);
}

// 15 units of 3,000: 750 tokens/s; ten seconds ahead of time are 7,500. A request of 2,000 + 4 x 500 = 4,000: two go,
// with 8,000 on the books; the third after 500 / 750 s.
TEST(ProvisionedUnits, TakeRequestsWhileBelowFull) {
  ProvisionedUnits units({.units = 15, .tokens_per_minute_per_unit = 3000, .burst_s = 10});
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(units.wait_s(0));
    units.take(4000);
  }
  EXPECT_NEAR(units.wait_s(0).value(), 500.0 / 750, 1e-9);
  EXPECT_FALSE(units.wait_s(0.7));
}
TEST(ProvisionedUnits, ArePaidByTheirTerm) {
  EXPECT_DOUBLE_EQ((ProvisionedTerms{.units = 15, .usd_per_unit = 1}.usd_per_hour()), 15);
  EXPECT_NEAR((ProvisionedTerms{.units = 15, .usd_per_unit = 260, .term = "month"}.usd_per_hour()), 5.342, 0.001);
}

// Prompts of 2,000 tokens whose first 1,600 are the same: 1,536 of them are found (12 steps of 128); after five
// minutes without use none are.
TEST(ApiCache, FindsBeginningsThatWereUsedLately) {
  std::vector<BlockHash> blocks;
  for (BlockHash b = 1; b <= 100; ++b) blocks.push_back(b);
  ApiCache cache({.usd_per_million_tokens = 0.5});
  Request request = MadeStage::request(0);
  request.block_tokens = 16;
  request.prefix_blocks = blocks;
  EXPECT_EQ(cache.look_up(request, 0), 0);
  EXPECT_EQ(cache.look_up(request, 299), 1536);
  EXPECT_EQ(cache.look_up(request, 598), 1536) << "used, so kept";
  EXPECT_EQ(cache.look_up(request, 899), 0);
  request.prefix_blocks = std::span(blocks).first(60);
  EXPECT_EQ(cache.look_up(request, 900), 0) << "960 tokens are too few";
}

/// Of so many draws.
double quantile(const MeasuredTime& time, double fraction) {
  Rng rng(3, "draws");
  std::vector<double> all;
  for (int i = 0; i < 100'000; ++i) all.push_back(time.draw(rng));
  std::ranges::sort(all);
  return all[static_cast<std::size_t>(fraction * 99'999)];
}

TEST(PublishedApis, HaveTheQuantilesThatWerePublished) {
  for (const PublishedApi& api : published_apis())
    for (std::size_t i = 1; i + 1 < api.ttft.fractions.size(); ++i) {
      EXPECT_NEAR(quantile(api.ttft, api.ttft.fractions[i]) / api.ttft.seconds[i], 1, 0.01) << api.name;
      EXPECT_NEAR(quantile(api.tpot, api.tpot.fractions[i]) / api.tpot.seconds[i], 1, 0.03) << api.name;
    }
}

// LLMPerf published quantiles of the whole request, too, which the model was not made from: TTFT and pace are drawn
// independently of each other.
TEST(PublishedApis, GiveTheWholeRequestsThatWerePublished) {
  struct Whole {
    std::string_view name;
    double outputs, p50_s, p75_s, p95_s;
  };
  for (const Whole& published : {Whole{"anyscale_llama_2_70b", 151, 2.260, 2.607, 3.126},
                                 Whole{"bedrock_llama_2_70b", 151, 6.989, 7.146, 7.834},
                                 Whole{"together_llama_2_70b", 157, 2.438, 2.588, 2.997}}) {
    const auto found = std::ranges::find(published_apis(), published.name, &PublishedApi::name);
    Rng rng(5, "whole");
    std::vector<double> all;
    for (int i = 0; i < 50'000; ++i) {
      const double ttft_s = found->ttft.draw(rng);
      all.push_back(ttft_s + (published.outputs - 1) * found->tpot.draw(rng));
    }
    std::ranges::sort(all);
    EXPECT_NEAR(all[25'000] / published.p50_s, 1, 0.03) << published.name;
    EXPECT_NEAR(all[37'500] / published.p75_s, 1, 0.05) << published.name;
    EXPECT_NEAR(all[47'500] / published.p95_s, 1, 0.15) << published.name;
  }
}

std::string requests(double per_s, int count) {
  return "    requests: " + std::to_string(count) +
         "\n    arrivals: {constant: {requests_per_s: " + std::to_string(per_s) +
         "}}\n    prompt_tokens: {fixed: 2000}\n    output_tokens: {fixed: 250}\n";
}

// 3,000 tokens a request: 15 units take 15 a minute. At 20 a minute for half an hour 450 of 600 go on the units,
// and 15 more that a minute ahead of time takes; the rest on demand at 2,000 x $2 + 250 x $8 a million = $0.006; the
// units cost $15 an hour whatever they do.
TEST(ApiTier, SendsWhatUnitsCannotTakeOnDemand) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: outside, takes_all: true, usd_per_million_prompt_tokens: 2, "
             "usd_per_million_output_tokens: 8, provisioned: {units: 15, tokens_per_minute_per_unit: 3000, "
             "usd_per_unit: 1, overflow: on_demand}}\n",
             requests(20.0 / 60, 600)));
  EXPECT_EQ(ran.summary.requests.completed, 600);
  EXPECT_NEAR(ran.counted("on_units"), 465, 3);
  const double hours = ran.facts.duration_s / 3600;
  EXPECT_NEAR(ran.facts.gateway.targets.back().usd, 15 * hours + (600 - ran.counted("on_units")) * 0.006, 1e-6);
}

// Refused by full units, told when to come back: they are kept busy to the last token, and every request ends in one
// of few attempts.
TEST(ApiTier, RetryAfterKeepsUnitsBusy) {
  const auto run = [](const std::string& obeys) {
    return Ran(behind(
        "gateway:\n  - {policy: api_tier, name: outside, takes_all: true, attempts: 100, obeys_retry_after: " +
            obeys + ", provisioned: {units: 15, tokens_per_minute_per_unit: 3000, usd_per_unit: 1, burst_s: 1}}\n",
        requests(14.0 / 60, 200)));
  };
  const Ran told = run("true");
  EXPECT_EQ(told.summary.requests.completed, 200);
  EXPECT_LT(told.counted("refused_429"), 5) << "evenly spaced requests fit";
  const Ran guessing = run("false");
  EXPECT_EQ(guessing.summary.requests.completed, 200);
}

// A day's quota of 100 requests: of 150 that come in the first hours 50 are given up, and nothing is paid for them.
TEST(ApiTier, GivesUpBeyondTheDaysQuota) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: outside, takes_all: true, requests_per_day: 100, "
             "usd_per_request: 0.01}\n",
             requests(1, 150)));
  EXPECT_EQ(ran.summary.requests.completed, 100);
  EXPECT_EQ(ran.counted("given_up"), 50);
  EXPECT_NEAR(ran.facts.gateway.targets.back().usd, 1, 1e-9);
}

// 2 and 0.5 CNY at 7.2 to the dollar.
TEST(ApiTier, TakesPricesInAnyCurrency) {
  const std::string yuan =
      "exchange_rates: {CNY: 0.1388888889}\ngateway:\n  - {policy: api_tier, name: outside, takes_all: true, "
      "usd_per_million_prompt_tokens: 2 CNY, cache: {usd_per_million_tokens: 0.5 CNY}}\n";
  const Ran ran(
      behind(yuan,
             "    requests: 2\n    arrivals: {constant: {requests_per_s: 0.01}}\n    prompt_tokens: {fixed: "
             "464}\n    output_tokens: {fixed: 1}\n    shared_prefix: {groups: 1, prompts_per_group: 2, "
             "system_tokens: 1536}\n"));
  EXPECT_EQ(ran.counted("cached_tokens"), 1536);
  EXPECT_NEAR(ran.facts.gateway.targets.back().usd, (2 * (2000 + 464) + 0.5 * 1536) * 1e-6 / 7.2, 1e-9);
}

}  // namespace servecast::api_test
