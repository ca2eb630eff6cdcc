#include "sim/report/summary/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"
#include "sim/report/text/account_text.h"
#include "tests/unit/report/made_up.h"

namespace servecast::account_test {

using testing::HasSubstr;

RequestRecord served(unsigned id, unsigned request_class, double seconds) {
  return {.id = static_cast<RequestId>(id),
          .arrival_s = 0,
          .scheduled_s = 1,
          .first_token_s = 1 + seconds / 2,
          .finish_s = 1 + seconds,
          .prompt_tokens = 10,
          .output_tokens = 2,
          .request_class = static_cast<ClassId>(request_class),
          .status = RequestStatus::completed};
}

/// Two GPUs for an hour at 3 USD; 3.6 MJ and as much again in the nodes.
RunFacts an_hour() {
  RunFacts facts = made_up::facts();
  facts.slo = {};
  facts.duration_s = 3600;
  facts.pools[0].energy_j = 3.6e6;
  facts.node_overhead_j = 3.6e6;
  facts.account = {.currency = "CNY", .per_usd = 7, .usd_per_kwh = 0.5, .pue = 1.5, .co2_g_per_kwh = 400};
  return facts;
}

Recorder two_classes() {
  Recorder recorder(1);
  recorder.request(served(0, 0, 6));
  recorder.request(served(1, 1, 1));
  recorder.request(served(2, 1, 1));
  recorder.close();
  return recorder;
}

TEST(Account, OnlyWhereOneIsKept) {
  RunFacts facts = an_hour();
  facts.account.reset();
  EXPECT_FALSE(account_of(two_classes(), facts, 3));
}

TEST(Account, WorkedOutByHand) {
  const AccountSummary account = account_of(two_classes(), an_hour(), 3).value();
  ASSERT_EQ(account.items.size(), 3U);
  const AccountLine& gpus = account.items[0];
  EXPECT_EQ(gpus.item, "GPUs of chat");
  EXPECT_DOUBLE_EQ(gpus.gpu_hours, 2);
  EXPECT_DOUBLE_EQ(gpus.kwh, 1.5);                   // 1 kWh at the GPUs, 1.5 at the meter
  EXPECT_DOUBLE_EQ(gpus.cost, (6 + 1.5 * 0.5) * 7);  // rent and electricity
  EXPECT_DOUBLE_EQ(gpus.co2_g.value(), 600);
  const AccountLine& all = account.items.back();
  EXPECT_EQ(all.item, "all");
  EXPECT_DOUBLE_EQ(all.cost, (6 + 3 * 0.5) * 7);
  EXPECT_DOUBLE_EQ(all.cost_per_request.value(), all.cost / 3);
  EXPECT_DOUBLE_EQ(all.co2_g_per_request.value(), 400);
}

TEST(Account, ClassesShareByTimeInService) {
  const AccountSummary account = account_of(two_classes(), an_hour(), 3).value();
  ASSERT_EQ(account.classes.size(), 2U);  // 6 s of 8, and 2 s of 8; the second in which all waited belongs to none
  EXPECT_DOUBLE_EQ(account.classes[0].cost, account.items.back().cost * 0.75);
  EXPECT_DOUBLE_EQ(account.classes[1].cost, account.items.back().cost * 0.25);
  EXPECT_DOUBLE_EQ(account.classes[1].cost_per_request.value(), account.items.back().cost * 0.125);
}

TEST(Account, ApisAndStagesArePaidButDrawNothingHere) {
  RunFacts facts = an_hour();
  facts.gateway.stages = {{{.policy = "classifier", .usd = 2}}};
  facts.gateway.targets = {{.name = "outside", .api = true, .usd = 4}};
  const AccountSummary account = account_of(two_classes(), facts, 3).value();
  ASSERT_EQ(account.items.size(), 5U);
  EXPECT_DOUBLE_EQ(account.items[2].cost, 14);
  EXPECT_EQ(account.items[3].item, "API outside");
  EXPECT_DOUBLE_EQ(account.items[3].kwh, 0);
  EXPECT_DOUBLE_EQ(account.items.back().cost, (6 + 3 * 0.5 + 6) * 7);
}

/// In dollars and without electricity, the account is what the report says of cost, spares included.
TEST(Account, AgreesWithTheCost) {
  RunFacts facts = an_hour();
  facts.account = {.currency = "USD"};
  facts.failures.spares = {{.gpus = 8, .usd_per_gpu_hour = 2.5}};
  facts.unused_gpus = {{.group = "fast", .gpus = 1.5, .usd_per_hour = 4}};
  const Summary summary = summarise(two_classes(), facts);
  const AccountLine& all = summary.account.value().items.back();
  EXPECT_DOUBLE_EQ(all.cost, 6 + 8 * 2.5 + 4);
  EXPECT_DOUBLE_EQ(all.cost, summary.cost.usd_total);
  EXPECT_DOUBLE_EQ(all.gpu_hours, 11.5);
}

TEST(Account, NothingServedHasNoPricePerRequest) {
  Recorder recorder(1);
  recorder.close();
  const AccountSummary account = account_of(recorder, an_hour(), 0).value();
  EXPECT_FALSE(account.items.back().cost_per_request);
  EXPECT_TRUE(account.classes.empty());
  EXPECT_THAT(account_section(account).tables.front().text(0, 200), HasSubstr("-"));
}

TEST(Account, TextNamesCurrencyAndRate) {
  const TextSection section = account_section(account_of(two_classes(), an_hour(), 3).value());
  EXPECT_EQ(section.heading, "ACCOUNT in CNY, 7.00 to the dollar");
  EXPECT_THAT(section.tables[0].text(0, 200), HasSubstr("GPUs of chat"));
  EXPECT_THAT(section.tables[1].text(0, 200), HasSubstr("urgent"));
}

TEST(Account, SurvivesTheFile) {
  const Summary summary = summarise(two_classes(), an_hour());
  ASSERT_TRUE(summary.account);
  EXPECT_EQ(summary_from(to_json(summary), "made up").account, summary.account);
}

}  // namespace servecast::account_test
