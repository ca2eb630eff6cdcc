#include "sim/input/yaml/money.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/input/trace_testing.h"
#include "tests/unit/message_of.h"

// Amounts may be in any currency that the scenario says the worth of.
namespace servecast::money_test {

using testing::AllOf;
using testing::HasSubstr;

const std::string euros =
    "exchange_rates: {EUR: 1.25, CNY: 0.15}\n"
    "workload: {generate: {requests: 1, arrivals: {poisson: {requests_per_s: 1}}, "
    "prompt_tokens: {fixed: 100}, output_tokens: {fixed: 10}}}\n"
    "cluster: {node: dgx_h100}\n"
    "account: {currency: EUR, usd_per_kwh: 0.2 EUR}\n"
    "gateway: [{policy: api_tier, name: far, usd_per_request: 2 CNY, usd_per_million_output_tokens: 4}]\n"
    "pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, usd_per_gpu_hour: 2 EUR}]\n";

Scenario load(const std::vector<Override>& set = {}) {
  const TempFolder folder;
  return load_scenario(folder.write("s.yaml", euros), set);
}

std::string complaint(const std::vector<Override>& set) {
  return message_of([&] { load(set); });
}

TEST(Money, IsANumberAndACode) {
  EXPECT_EQ(read_money("2.30 EUR")->amount, 2.3);
  EXPECT_EQ(read_money("2.30 EUR")->currency, "EUR");
  for (const char* text : {"2.30", "EUR", "2.30 eur", "2.30 EURO", "2.30EUR", "x EUR", "2.30  EUR", ""})
    EXPECT_FALSE(read_money(text)) << text;
}

// A euro is 1.25 USD: 2 EUR are 2.50 USD, 0.20 EUR are 0.25 USD; 2 CNY are 0.30 USD. A number alone is in dollars, as
// the setting's name says.
TEST(Money, IsCountedInDollars) {
  const Scenario s = load();
  EXPECT_DOUBLE_EQ(s.pools[0].usd_per_gpu_hour(), 2.5);
  EXPECT_DOUBLE_EQ(s.spec.account->usd_per_kwh, 0.25);
  EXPECT_DOUBLE_EQ(s.spec.account->per_usd, 0.8);
  const auto api = s.spec.gateway[0].stage.make();
  Rng rng(1, "");
  const ApiReply reply = api->api()->ask({.prompt_tokens = 10, .output_tokens = 1'000'000}, 0, 0, rng);
  EXPECT_DOUBLE_EQ(reply.usd, 0.30 + 4);
}

TEST(Money, OfHardwareIsStatedInTheScenario) {
  EXPECT_DOUBLE_EQ(load({{"gpus.h100_sxm_80g.usd_per_hour", "4 EUR"}}).pools[0].gpu.usd_per_hour, 5);
}

TEST(Money, MistakesSayWhatWouldBeRight) {
  EXPECT_THAT(complaint({{"pools[0].usd_per_gpu_hour", "2 GBP"}}),
              AllOf(HasSubstr("--set pools[0].usd_per_gpu_hour=2 GBP"), HasSubstr("exchange_rates: {GBP:")));
  EXPECT_THAT(complaint({{"exchange_rates", "{CNY: 0.15}"}}), HasSubstr("give exchange_rates: {EUR:"));
  EXPECT_THAT(complaint({{"exchange_rates.Euro", "1.1"}}), HasSubstr("three capital letters of its ISO code"));
  EXPECT_THAT(complaint({{"exchange_rates.USD", "1"}}), HasSubstr("a dollar is worth a dollar"));
  EXPECT_THAT(complaint({{"exchange_rates.EUR", "-1"}}), HasSubstr("must be above 0"));
  EXPECT_THAT(complaint({{"account.currency", "CHF"}}), HasSubstr("give exchange_rates: {CHF:"));
  EXPECT_THAT(complaint({{"pools[0].usd_per_gpu_hour", "-2 EUR"}}), HasSubstr("must be at least 0"));
  EXPECT_THAT(complaint({{"slo.ttft_s", "2 EUR"}}), HasSubstr("must be a number"));
}

}  // namespace servecast::money_test
