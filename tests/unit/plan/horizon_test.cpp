#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "models/base/rng.h"
#include "sim/plan/horizon/ideas.h"
#include "sim/plan/horizon/month_demand.h"
#include "sim/plan/horizon/schedule.h"
#include "sim/plan/horizon/terms.h"
#include "sim/plan/report/plan_report.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::horizon_test {

using ::testing::HasSubstr;

constexpr const char* promise =
    "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\npromise: {certainty: best_estimate}\n";
constexpr const char* replicas = "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 8}]\n";

/// A replica carries one and a half times today's rate.
double by_load(const RunRequest& run) {
  const std::string scale = setting(run, "workload.generate.rate_scale");
  const double load = (scale.empty() ? 1 : std::stod(scale)) / (1.5 * number(run, "pools[0].replicas"));
  return load <= 1 ? 0.5 : 2;
}

/// The least of all ways to hold enough: by trying them all.
double least_by_hand(const std::vector<std::int64_t>& needed, const std::vector<TermOffer>& offers) {
  const auto months = needed.size();
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> held(months, 0);
  const std::function<void(std::size_t, std::size_t, double)> take = [&](std::size_t m, std::size_t offer,
                                                                         double usd) {
    if (usd >= least) return;
    if (m == months) {
      least = usd;
      return;
    }
    if (offer == offers.size()) {
      if (held[m] >= needed[m]) take(m + 1, 0, usd);
      return;
    }
    for (int count = 0; count <= 2; ++count) {
      const std::size_t end = std::min(months, m + static_cast<std::size_t>(offers[offer].months));
      for (std::size_t k = m; k < end; ++k) held[k] += count;
      take(m, offer + 1, usd + count * offers[offer].usd_per_month * static_cast<double>(end - m));
      for (std::size_t k = m; k < end; ++k) held[k] -= count;
    }
  };
  take(0, 0, 0);
  return least;
}

TEST(Terms, AreTheCheapestOfAllWays) {
  Rng rng(1, "terms");
  for (int round = 0; round < 60; ++round) {
    std::vector<std::int64_t> needed;
    for (int m = 0; m < 5; ++m) needed.push_back(static_cast<std::int64_t>(rng.below(3)));
    const std::vector<TermOffer> offers{
        {"on_demand", 1, 1}, {"reserved", 0.4 + 0.6 * rng.uniform(), 2 + static_cast<std::int64_t>(rng.below(2))}};
    const TermPlan plan = cheapest_terms(needed, offers);
    EXPECT_NEAR(plan.usd, least_by_hand(needed, offers), 1e-9) << round;
    for (std::size_t m = 0; m < needed.size(); ++m) {
      std::int64_t held = 0;
      for (const auto& [term, count] : plan.held[m]) held += count;
      EXPECT_GE(held, needed[m]);
    }
  }
}

/// One, two, one: two commitments of two months that overlap, 4 x 0.6, beat one of them and a month more.
TEST(Terms, CommitmentsOverlapWhereThatIsCheaper) {
  EXPECT_NEAR(cheapest_terms({1, 2, 1}, {{"on_demand", 1, 1}, {"reserved", 0.6, 2}}).usd, 2.4, 1e-12);
}

TEST(Horizon, MonthsGrowAndHaveSeasonsAndPeriods) {
  HorizonSpec h{.months = 4, .growth_fraction_per_month = 0.1, .seasons = {1, 2}};
  h.periods = {{.from_month = 3, .set = {"seed=5"}}};
  const std::vector<MonthDemand> months = month_demands(h, 0);
  EXPECT_DOUBLE_EQ(months[0].rate_factor, 1);
  EXPECT_NEAR(months[1].rate_factor, 2.2, 1e-12);
  EXPECT_NEAR(months[2].rate_factor, 1.21, 1e-12);
  EXPECT_NEAR(months[3].rate_factor, 2.67, 1e-12);  // 2.662, rounded up
  EXPECT_TRUE(months[1].set.empty());
  EXPECT_EQ(months[2].set, (std::vector<std::string>{"seed=5"}));
  EXPECT_NEAR(month_demands(h, 0.5)[2].rate_factor, 1.33, 1e-12);  // 1.15^2 = 1.3225
}

/// One replica to 1.5, two to 3: 1, 1.2, 1.44, 1.73. On demand 2.50, reserved 2 for three months: the first GPU is
/// reserved for all four months, the second comes with the fourth, for one month.
TEST(Horizon, HasAScheduleThatSaysWhenAPromiseBreaks) {
  const StudyFile file(
      std::string(promise) + replicas +
      "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2}]}\n"
      "horizon: {months: 4, growth_fraction_per_month: 0.2, commitments: [{term: reserved, months: 3}]}\n");
  const Study study = file.load();
  Formula evaluator(by_load);
  PlanReport report;
  plan_horizon(study, evaluator, report);
  ASSERT_EQ(report.months.size(), 4U);
  EXPECT_EQ(report.months[0].settings.at(0), "replicas=1");
  EXPECT_EQ(report.months[3].settings.at(0), "replicas=2");
  EXPECT_EQ(report.months[0].terms, "1 x h100_sxm_80g reserved");
  EXPECT_EQ(report.months[3].terms, "2 x h100_sxm_80g reserved");  // counted up to the horizon's end
  EXPECT_NEAR(report.months[0].usd, 2 * 730, 1e-9);
  EXPECT_NEAR(report.horizon_usd.value(), 5 * 2 * 730, 1e-9);
  EXPECT_THAT(report.first_design_breaks, HasSubstr("month 4: TTFT p99 <= 1.00 s: 2.00 s"));
  ASSERT_EQ(report.wrong_growth.size(), 2U);
  // Growth of 10 %: 1.331 in the fourth month, one GPU throughout. The plan's second one is committed: a month of it.
  EXPECT_NEAR(report.wrong_growth[0].best_usd.value(), 4 * 2 * 730, 1e-9);
  EXPECT_NEAR(report.wrong_growth[0].usd.value(), 5 * 2 * 730, 1e-9);
  // Growth of 30 %: 1.69 and 2.20. The plan lacks one GPU in the third month, and takes it on demand.
  EXPECT_NEAR(report.wrong_growth[1].best_usd.value(), 6 * 2 * 730, 1e-9);
  EXPECT_NEAR(report.wrong_growth[1].usd.value(), (5 * 2 + 2.5) * 730, 1e-9);
}

/// As it is three replicas; "fast" halves what they have to do, "cache" takes a third off, "lossy" loses too much.
TEST(Ideas, AreRankedAtTheirOwnCheapestDesigns) {
  const StudyFile file(std::string("objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
                                   "promise: {certainty: best_estimate, most_lost_points: 1}\n") +
                       replicas +
                       "options:\n"
                       "  - {name: fast, set: ['pools[0].weights=fp8'], lost_points: 0.5, rests_on: a paper}\n"
                       "  - {name: cache, set: ['pools[0].kv_cache.policy=paged_prefix']}\n"
                       "  - {name: lossy, set: ['pools[0].weights=int4'], lost_points: 3}\n");
  const Study study = file.load();
  Formula evaluator([](const RunRequest& run) {
    double work = 3;
    if (setting(run, "pools[0].weights") == "fp8") work *= 0.5;
    if (setting(run, "pools[0].kv_cache.policy") == "paged_prefix") work *= 0.66;
    return work <= number(run, "pools[0].replicas") ? 0.5 : 2;
  });
  const std::vector<PlanIdea> ideas = ranked_ideas(study, evaluator);
  const auto named = [&](const std::string& name) { return *std::ranges::find(ideas, name, &PlanIdea::name); };
  EXPECT_EQ(ideas.front().name, "fast + cache");  // 0.99: one replica
  EXPECT_NEAR(named("as it is").usd_per_month.value(), 3 * 2.5 * 730, 1e-9);
  EXPECT_NEAR(named("fast").saved_usd_per_month.value(), 2.5 * 730, 1e-9);
  EXPECT_NEAR(named("cache").saved_usd_per_month.value(), 2.5 * 730, 1e-9);
  EXPECT_NEAR(named("fast + cache").saved_usd_per_month.value(), 2 * 2.5 * 730, 1e-9);
  EXPECT_NEAR(named("fast + cache").sum_usd_per_month.value(), 2 * 2.5 * 730, 1e-9);
  EXPECT_EQ(named("fast").rests_on, "a paper");
  EXPECT_EQ(named("fast + cache").lost_points, 0.5);
  EXPECT_FALSE(named("lossy").design);
  EXPECT_THAT(named("lossy").says, HasSubstr("loses more"));
}

}  // namespace servecast::horizon_test
