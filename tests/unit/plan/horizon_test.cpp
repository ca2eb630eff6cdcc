#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "models/base/error.h"
#include "models/base/rng.h"
#include "sim/plan/horizon/ideas.h"
#include "sim/plan/horizon/month_demand.h"
#include "sim/plan/horizon/schedule.h"
#include "sim/plan/horizon/terms.h"
#include "sim/plan/report/plan_report.h"
#include "sim/report/summary/summary.h"
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

PlanReport planned(const std::string& below, Evaluator& evaluator) {
  const StudyFile file(promise + below);
  PlanReport report;
  plan_horizon(file.load(), evaluator, report);
  return report;
}

/// One GPU, reserved for twelve months of which one is needed. Counted up to the horizon's end that is the cheapest;
/// counted whole, a month on demand is.
TEST(Horizon, SaysWhatCommitmentsCostAfterIt) {
  Formula evaluator(by_load);
  const std::string one_month = std::string(replicas) +
                                "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2}]}\n"
                                "horizon: {months: 1, commitments: [{term: reserved, months: 12}]";
  const PlanReport within = planned(one_month + "}\n", evaluator);
  EXPECT_NEAR(within.horizon_usd.value(), 2 * 730, 1e-9);
  EXPECT_NEAR(within.later_usd, 11 * 2 * 730, 1e-9);
  EXPECT_EQ(within.headline, "Over 1 month $1,460 in all: 1 H100 SXM 80GB on 1 node in the first and the last.");
  EXPECT_THAT(plan_text(within, 100), HasSubstr("commitments that outlast the horizon: $16,060 more after it"));
  const PlanReport whole = planned(one_month + ", commitments_counted: whole}\n", evaluator);
  EXPECT_EQ(whole.months[0].terms, "1 x h100_sxm_80g on_demand");
  EXPECT_NEAR(whole.horizon_usd.value(), 2.5 * 730, 1e-9);
  EXPECT_EQ(whole.later_usd, 0);
}

/// Owners pay a GPU, its eighth of a server, and electricity, each once; 100 months of 730 hours. 1 kW in the mean.
TEST(Horizon, OwnedMachinesArePaidOnce) {
  Formula evaluator(by_load);
  const PlanReport report =
      planned(std::string(replicas) +
                  "prices: {term: owned, gpus: [{gpu: h100_sxm_80g, purchase_usd: 20000}],\n"
                  "  owned: {lifetime_s: 262800000, node_purchase_usd: 80000, usd_per_kwh: 0.1, pue: 1.5}}\n"
                  "horizon: {months: 2, commitments: [{term: owned, months: 100}], growth_error_fraction: 0}\n",
              evaluator);
  EXPECT_NEAR(report.horizon_usd.value(), 2 * ((20000 + 10000) / 100.0 + 1 * 1.5 * 0.1 * 730), 1e-6);
  EXPECT_NEAR(report.later_usd, 98 * 300, 1e-6);
}

/// A design that was simulated as on spot machines may be had on them; the other one may not.
TEST(Horizon, SpotIsForDesignsThatWereSimulatedSo) {
  const std::string text =
      "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 8},\n"
      "  {name: term, path: prices.term, values: [on_demand, spot]}]\n"
      "prices: {gpus: [{gpu: h100_sxm_80g, spot_usd_per_gpu_hour: 1}], spot: {mtbf_s: 90000, mttr_s: 60}}\n"
      "horizon: {months: 2, growth_error_fraction: 0}\n";
  Formula kept(by_load);
  EXPECT_EQ(planned(text, kept).months[0].terms, "1 x h100_sxm_80g spot");
  Formula broken([](const RunRequest& run) {
    return setting(run, "failures").empty() && setting(run, "failures.rates").empty() ? by_load(run) : 2;
  });
  EXPECT_EQ(planned(text, broken).months[0].terms, "1 x h100_sxm_80g on_demand");
}

/// Runs in which 2.5 of up to eight replicas were held in the mean.
class Scaled final : public Evaluator {
 public:
  std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override {
    std::vector<RunResult> results = formula_.evaluate(requests);
    ScalingSummary scaling;
    scaling.pool = "chat";
    scaling.rented_mean = 2.5;
    for (RunResult& result : results) {
      Summary run = *result.summary;
      run.scaling = {scaling};
      result.summary = run;
    }
    return results;
  }

 private:
  Formula formula_{[](const RunRequest&) { return 0.5; }};
};

/// One replica is always there: it may be reserved. What comes and goes is paid by the hour.
TEST(Horizon, AutoscaledReplicasArePaidWhileTheyAreHeld) {
  Scaled evaluator;
  const PlanReport report = planned(
      "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2}]}\n"
      "set: ['pools[0].autoscaler={policy: hpa, waiting_requests: 1}', 'pools[0].replicas=8', "
      "'pools[0].scaling={min_replicas: 1}']\n"
      "space: [{name: one, path: 'seed', values: [1]}]\n"
      "horizon: {months: 3, commitments: [{term: reserved, months: 3}], growth_error_fraction: 0}\n",
      evaluator);
  EXPECT_NEAR(report.months[0].usd, (2 + 1.5 * 2.5) * 730, 1e-9);
  EXPECT_EQ(report.months[0].terms, "1 x h100_sxm_80g reserved, replicas by the hour for $2,738");
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
  const std::string text = plan_text({.ideas = ideas}, 100);  // one run of each: there is no range
  EXPECT_THAT(text, HasSubstr("per month   saves  points lost"));
  EXPECT_EQ(named("fast + cache").lost_points, 0.5);
  EXPECT_FALSE(named("lossy").design);
  EXPECT_THAT(named("lossy").says, HasSubstr("loses more"));
}

/// On spot machines one more replica is needed, at less than half the price.
TEST(Ideas, MayBeATerm) {
  const std::string text = std::string(promise) + replicas +
                           "prices: {gpus: [{gpu: h100_sxm_80g, spot_usd_per_gpu_hour: 1}], spot: {mtbf_s: 90000, "
                           "mttr_s: 60}}\noptions: [{name: callable, set: ['prices.term=";
  const StudyFile file(text + "spot']}]\n");
  Formula evaluator([](const RunRequest& run) {
    const bool spot = !setting(run, "failures").empty() || !setting(run, "failures.rates").empty();
    return number(run, "pools[0].replicas") >= (spot ? 3 : 2) ? 0.5 : 2;
  });
  const std::vector<PlanIdea> ideas = ranked_ideas(file.load(), evaluator);
  EXPECT_EQ(ideas[0].name, "callable");
  EXPECT_NEAR(ideas[0].usd_per_month.value(), 3 * 730, 1e-9);
  EXPECT_NEAR(ideas[1].usd_per_month.value(), 2 * 2.5 * 730, 1e-9);
  EXPECT_THROW(StudyFile(text + "sport']}]\n").load(), UserError);
}

/// Where an option does not say what it loses, what is published of its weights stands beside its price, and is held
/// to the promise.
TEST(Ideas, LoseWhatIsPublishedOfTheirWeights) {
  const StudyFile file(
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "promise: {certainty: best_estimate, most_lost_points: 2}\n" +
      std::string(replicas) +
      "options:\n"
      "  - {name: narrow, set: ['pools[0].weights=int8']}\n"
      "  - {name: stated, set: ['pools[0].weights=int8'], lost_points: 1.5}\n"
      "  - {name: lossy, set: ['pools[0].weights=int4']}\n"
      "  - {name: unknown, set: ['pools[0].weights=nvfp4']}\n");
  class Lossy final : public Evaluator {
   public:
    std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override {
      std::vector<RunResult> results = formula_.evaluate(requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const std::string weights = setting(requests[i], "pools[0].weights");
        AnswerLossSummary loss;
        loss.pool = "chat";
        if (weights == "int8") loss.lost_points = 0.5;
        if (weights == "int4") loss.lost_points = 3;
        Summary run = *results[i].summary;
        if (!weights.empty()) run.answer_losses = {loss};
        results[i].summary = run;
      }
      return results;
    }

   private:
    Formula formula_{[](const RunRequest&) { return 0.5; }};
  } evaluator;
  const std::vector<PlanIdea> ideas = ranked_ideas(file.load(), evaluator);
  const auto named = [&](const std::string& name) { return *std::ranges::find(ideas, name, &PlanIdea::name); };
  EXPECT_EQ(named("as it is").lost_points, 0);
  EXPECT_EQ(named("narrow").lost_points, 0.5);
  EXPECT_EQ(named("stated").lost_points, 1.5);
  EXPECT_TRUE(named("stated").design);
  EXPECT_FALSE(named("lossy").design);
  EXPECT_FALSE(named("unknown").design);
}

}  // namespace servecast::horizon_test
