#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "sim/plan/answer/certificate.h"
#include "sim/plan/report/plan_report.h"
#include "tests/unit/plan/found.h"

namespace servecast::bills_test {

constexpr const char* promise = "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n";
constexpr const char* one_run = "promise: {certainty: best_estimate}\n";
constexpr const char* replicas = "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 8}]\n";
constexpr const char* with_bills =
    "space:\n"
    "  - {name: replicas, path: 'pools[0].replicas', from: 1, to: 8}\n"
    "  - {name: seqs, path: 'pools[0].batcher.max_num_seqs', values: [64, 256]}\n";

std::size_t cell(const RunRequest& run) {
  return static_cast<std::size_t>(2 * (number(run, "pools[0].replicas") - 1) +
                                  (number(run, "pools[0].batcher.max_num_seqs") == 64 ? 0 : 1));
}

struct Goal {
  const char* text;
  double budget_usd_per_hour;
};

class BillsOfGoals : public testing::TestWithParam<Goal> {};

/// Machines and bills together are what a design costs, against brute force: 2.50 dollars an hour per replica, bills
/// from nothing to ten times that.
TEST_P(BillsOfGoals, AgreeWithBruteForce) {
  Rng rng(1, "bills");
  for (int round = 0; round < 30; ++round) {
    std::vector<double> ttft_s, bill, total;
    for (int i = 0; i < 16; ++i) {
      ttft_s.push_back(rng.uniform() < 0.6 ? 0.5 : 2);
      bill.push_back(rng.uniform() < 0.4 ? 0 : 25 * rng.uniform());
      total.push_back(2.5 * (i / 2 + 1) + bill.back());
    }
    const Found found(
        std::string(promise) + one_run + GetParam().text + with_bills,
        [&](const RunRequest& run) { return ttft_s[cell(run)]; }, {},
        [&](const RunRequest& run) { return bill[cell(run)]; });
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < 16; ++i)
      if (ttft_s[i] < 1 && total[i] <= GetParam().budget_usd_per_hour && (best.empty() || total[i] < total[best[0]]))
        best = {i};
    EXPECT_EQ(found.result.best, best) << round;
    for (std::size_t i = 0; i < 16; ++i)  // a run told of its bill only where it was needed
      if (found.design(i).verdict == Verdict::not_needed) {
        EXPECT_GE(2.5 * static_cast<double>(i / 2 + 1), total[best.at(0)]);
      }
    EXPECT_EQ(certificate(found.study, found.result).complete, !best.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Goals, BillsOfGoals,
                         testing::Values(Goal{"goal: least_cost\n", 1e9},
                                         Goal{"goal: least_cost\nbudgets: {usd_per_hour: 12}\n", 12},
                                         Goal{"goal: most_goodput\nrate_factors: [1]\n", 1e9}));

TEST(Bills, ADearBillBreaksTheBudget) {
  const Found found(
      std::string(promise) + one_run + "goal: pareto_cost\nbudgets: {usd_per_hour: 10}\n" + replicas,
      [](const RunRequest&) { return 0.5; }, {},
      [](const RunRequest& run) { return number(run, "pools[0].replicas") < 3 ? 100 : 0; });
  EXPECT_EQ(found.best(), "replicas=3");
  EXPECT_EQ(found.design(0).verdict, Verdict::over_budget);
  EXPECT_EQ(found.design(0).why, "costs $102.50/h of at most $10.00");
}

/// What a design costs is known after one run: draws of one that is too dear are spared.
TEST(Bills, WhatIsTooDearNeedsNoDraws) {
  const auto nearly_always = [](const RunRequest& run) {
    return number(run, "pools[0].replicas") < 2 && run.calibration_draw.value_or(0) % 25 == 3 ? 2 : 0.5;
  };
  const Found found(std::string(promise) + "budgets: {usd_per_hour: 50}\n" + replicas, nearly_always, {},
                    [](const RunRequest& run) { return number(run, "pools[0].replicas") < 2 ? 60 : 0; });
  EXPECT_EQ(found.best(), "replicas=2");
  EXPECT_EQ(found.design(0).verdict, Verdict::over_budget);
  EXPECT_LT(found.design(0).draws, 40);
  EXPECT_TRUE(certificate(found.study, found.result).complete);
}

/// What power outside APIs draw no run knows, so no design that asks them is proven to draw least.
TEST(Bills, TheLeastPowerIsNotProvenWhereOthersAnswer) {
  for (const double bill : {0.0, 1.0}) {
    const Found found(
        std::string(promise) + one_run + "goal: least_energy\n" + replicas, [](const RunRequest&) { return 0.5; }, {},
        [&](const RunRequest&) { return bill; });
    EXPECT_EQ(found.best(), "replicas=1");
    const Certificate proof = certificate(found.study, found.result);
    EXPECT_EQ(proof.complete, bill == 0);
    EXPECT_EQ(proof.text.starts_with("There is no certificate: outside APIs answer"), bill > 0);
  }
}

}  // namespace servecast::bills_test
