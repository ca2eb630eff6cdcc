// What groups of nodes send to other sites, and what that costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::egress_test {

constexpr double prompt_bytes = 1000.0 * 128 * 1024;  // 1,000 tokens of Llama-3.1-8B

/// Ten prompts on H100, decodes on A100, with a group between them that both links lead to.
std::string split(const std::string& fast, const std::string& slow, const std::string& more = "") {
  return R"(
workload:
  generate:
    requests: 10
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 2}
account: {}
cluster:
  groups:
    - {name: fast, node: dgx_h100)" +
         fast + R"(}
    - {name: between, node: hgx_h200, egress_usd_per_billion_bytes: 0.5}
    - {name: slow, node: dgx_a100)" +
         slow + R"(}
  links:
    - {between: [between, fast], bytes_per_s: 10e9, latency_s: 0.002}
    - {between: [between, slow], bytes_per_s: 10e9, latency_s: 0.002}
pools:
  - {name: decode, llm: llama-3.1-8b, gpu: a100_sxm_80g}
  - {name: prefill, llm: llama-3.1-8b, gpu: h100_sxm_80g, placement: {policy: disaggregated, decode_pool: decode}}
)" + more;
}

struct Paid {
  std::array<double, 2> bytes{};  // of the first two groups that pay
  std::array<double, 2> usd{};
  double cost_usd = 0;
  double account_usd = 0;
  double usd_per_hour = 0;
  double duration_s = 0;
  double bill_usd = 0;
};

Paid paid(const std::string& text) {
  const auto n = in_child<9>([&] {
    Scenario scenario = scenario_from(text, {{"workload.pool", "prefill"}});
    const Finished done = run_it(scenario);
    const Summary s = summarise(done.recorder, done.facts);
    std::array<double, 9> all{};
    for (std::size_t i = 0; i < std::min<std::size_t>(2, s.egress.size()); ++i) {
      all[i] = s.egress[i].bytes;
      all[2 + i] = s.egress[i].usd;
    }
    all[4] = s.cost.usd_total;
    all[5] = s.account->items.back().cost;
    all[6] = s.cost.usd_per_hour;
    all[7] = s.duration_s;
    all[8] = s.gateway.bill.empty() ? 0 : s.gateway.bill.back().usd;
    return all;
  });
  return {{n[0], n[1]}, {n[2], n[3]}, n[4], n[5], n[6], n[7], n[8]};
}

constexpr const char* priced = ", egress_usd_per_billion_bytes: 2";

/// The sender pays, and so does the site in between, which sends on.
TEST(Egress, EverySiteOnTheWayPaysForWhatItSends) {
  const Paid p = paid(split(priced, ""));
  EXPECT_DOUBLE_EQ(p.bytes[0], 10 * prompt_bytes);
  EXPECT_DOUBLE_EQ(p.bytes[1], 10 * prompt_bytes);
  EXPECT_DOUBLE_EQ(p.usd[0], 10 * prompt_bytes * 2 / 1e9);
  EXPECT_DOUBLE_EQ(p.usd[1], 10 * prompt_bytes * 0.5 / 1e9);
  const Paid machines = paid(split(", site: here", ", site: here"));  // the group between pays for its own
  EXPECT_NEAR(p.cost_usd - machines.cost_usd, p.usd[0], 1e-9);
  EXPECT_NEAR(p.account_usd, p.cost_usd, 1e-9);
  EXPECT_NEAR(p.usd_per_hour, p.cost_usd / p.duration_s * 3600, 1e-6);
}

/// Nothing is paid for what is received, within a site, or where no price is stated.
TEST(Egress, IsThatOfTheSenderToOtherSites) {
  const Paid receiver = paid(split("", priced));
  EXPECT_DOUBLE_EQ(receiver.bytes[0], 10 * prompt_bytes);  // of the group between
  EXPECT_DOUBLE_EQ(receiver.bytes[1], 0);
  std::string one_site = split(std::string(priced) + ", site: here", ", site: here");
  const std::string between = "hgx_h200, ";
  one_site.insert(one_site.find(between) + between.size(), "site: here, ");
  EXPECT_DOUBLE_EQ(paid(one_site).bytes[0], 0);
}

/// With a gateway the bill has a line of its own for it, and its sum is that of the account.
TEST(Egress, IsInTheBillOnce) {
  const Paid p = paid(split(priced, "", "gateway: [{policy: prompt_trim}]\n"));
  EXPECT_GT(p.usd[0], 0);
  EXPECT_NEAR(p.bill_usd, p.cost_usd, 1e-9);
  EXPECT_NEAR(p.account_usd, p.cost_usd, 1e-9);
}

}  // namespace servecast::egress_test
