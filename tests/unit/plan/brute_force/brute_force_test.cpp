#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/base/rng.h"
#include "sim/cli/runs/scenario_simulator.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/plan/search/pareto.h"
#include "sim/plan/search/runs.h"
#include "tests/unit/plan/brute_force/random_study.h"
#include "tests/unit/plan/made_up_study.h"

// The search against all designs simulated: the same best one, and never a cheaper one that keeps its promise.
namespace servecast::brute_force_test {

constexpr const char* promise = "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n";

/// What a run of a design comes to, made up.
struct Made {
  double ttft_s = 0;
  double bill_usd = 0;
  double mean_w = 0;
  double sent_usd = 0;  // for KV that went to another site, in an hour
};

/// Stands for the engine: figures by the settings of a run, which designs differ in.
class MadeUp final : public Evaluator {
 public:
  explicit MadeUp(std::map<std::vector<std::string>, Made> known) : known_(std::move(known)) {}

  std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override {
    std::vector<RunResult> results;
    for (const RunRequest& request : requests)
      results.push_back({.key = "k", .summary = summary(known_.at(request.set)), .failure = {}});
    return results;
  }

 private:
  static Summary summary(const Made& made) {
    Summary s{.duration_s = 100, .requests = {.arrived = 100, .completed = 100}, .requests_per_s = 1};
    s.output_tokens_per_s = 10;
    s.latencies.ttft_s = Statistics{made.ttft_s, made.ttft_s, made.ttft_s, made.ttft_s, made.ttft_s, made.ttft_s};
    s.energy.j_total = made.mean_w * s.duration_s;
    s.egress = {{.group = "a", .bytes = 1e9, .usd = made.sent_usd * s.duration_s / 3600}};
    s.gateway.bill = {{.item = "GPUs", .usd = 1}, {.item = "API api", .usd = made.bill_usd * s.duration_s / 3600}};
    return s;
  }
  std::map<std::vector<std::string>, Made> known_;
};

/// The account of an hour, by hand.
double cost_by_hand(const RandomStudy& study, const std::string& term, double x, double y, const Made& made) {
  const double gpus[]{x * static_cast<double>(study.tensor_parallel), y};
  const double per_node[]{8, 4};
  const double on_demand[]{2.5, 0.9}, reserved[]{2, 0.7}, spot[]{1.6, 0.5}, bought[]{3000, 900};
  const double life_h = 1000;
  double usd = 0;
  for (int i = 0; i < 2; ++i) {
    if (gpus[i] == 0) continue;
    const double nodes = std::ceil(gpus[i] / per_node[i]);
    const double all_nodes = nodes + (study.spares ? 1 : 0);  // 0.999702 for two of three, 0.9999 for one of two
    if (term == "owned") {
      usd += all_nodes * (per_node[i] * bought[i] + 1000) / life_h;
      continue;
    }
    const double price = term == "on_demand" ? on_demand[i] : term == "reserved" ? reserved[i] : spot[i];
    usd += price * (study.whole_nodes ? nodes * per_node[i] : gpus[i]) + price * (all_nodes - nodes) * per_node[i];
  }
  usd += study.software_usd * (gpus[0] + gpus[1]);
  usd += study.tier_usd * study.tier_bytes / 1e9 * x / 730;
  usd += made.mean_w / 1000 * (term == "owned" ? 1.5 * 0.2 : study.usd_per_kwh > 0 ? 1.2 * study.usd_per_kwh : 0);
  const double bytes = 3600 * (10 * 300 + 1 * 1000);
  usd += (bytes * study.egress_usd / 1e9 + made.bill_usd + made.sent_usd) / study.peak_factor;
  return usd;
}

struct ByHand {
  std::size_t design = 0;
  double usd = 0;
  Made made{};
  double rate_factor = 1;

  /// What is made small.
  std::pair<double, double> value(const std::string& goal) const {
    if (goal == "least_energy") return {made.mean_w, usd};
    if (goal == "most_goodput") return {-rate_factor, usd};
    return {usd, usd};
  }
  bool beats(const ByHand& other) const {
    return usd <= other.usd && made.ttft_s <= other.made.ttft_s &&
           (usd < other.usd || made.ttft_s < other.made.ttft_s);
  }
};

double chosen(const Study& study, const Design& design, const std::string& dimension) {
  for (std::size_t d = 0; d < study.dimensions.size(); ++d)
    if (study.dimensions[d].name == dimension) return std::stod(value_name(study, design, d));
  return 0;
}

class Drawn : public testing::TestWithParam<int> {};

void check_one(Rng& rng) {
  const RandomStudy drawn(rng);
  const StudyFile file(drawn.text(promise));
  const Study study = file.load();
  Sizer sizer(study);
  std::map<std::vector<std::string>, Made> known;
  std::vector<ByHand> keeping;
  const std::vector<Design> designs = enumerate(study);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const SizedDesign sized = sizer.size(designs[i]);
    ASSERT_EQ(sized.impossible, "");
    const bool api = std::ranges::any_of(sized.set, [](const std::string& s) { return s.starts_with("gateway="); });
    const Made made{.ttft_s = rng.uniform() < 0.5 ? rng.uniform() : 2,
                    .bill_usd = api ? 20 * rng.uniform() : 0,
                    .mean_w = sized.machines.least_w * (1 + rng.uniform()),
                    .sent_usd = drawn.site_egress_usd / 100 * rng.uniform()};
    const auto& known_made = known.emplace(sized.set, made).first->second;  // terms may share a run
    const std::string term = term_of(study, designs[i]);
    const double usd =
        cost_by_hand(drawn, term, chosen(study, designs[i], "x"), chosen(study, designs[i], "y"), known_made);
    if (known_made.ttft_s <= 1 && (drawn.budget_usd == 0 || usd <= drawn.budget_usd))
      keeping.push_back({i, usd, known_made, designs[i].rate_factor});
  }
  MadeUp evaluator(known);
  const SearchResult found = search(study, sizer, evaluator);
  const auto cost_found = [&](std::size_t i) {
    return hour_cost(study, found.designs[i].sized, *found.designs[i].best_estimate).usd();
  };
  if (drawn.goal == "pareto_cost") {
    std::vector<std::size_t> front;
    for (const ByHand& one : keeping)
      if (std::ranges::none_of(keeping, [&](const ByHand& other) { return other.beats(one); }))
        front.push_back(one.design);
    EXPECT_EQ(found.best, front);
  } else if (keeping.empty()) {
    EXPECT_TRUE(found.best.empty());
  } else {
    const ByHand& best = *std::ranges::min_element(keeping, {}, [&](const ByHand& b) { return b.value(drawn.goal); });
    ASSERT_EQ(found.best.size(), 1U) << drawn.text(promise);
    const auto it = std::ranges::find(keeping, found.best[0], &ByHand::design);
    ASSERT_NE(it, keeping.end()) << drawn.text(promise);
    EXPECT_NEAR(it->value(drawn.goal).first, best.value(drawn.goal).first, 1e-9) << drawn.text(promise);
    EXPECT_NEAR(it->usd, best.usd, 1e-9) << drawn.text(promise);
  }
  for (const std::size_t i : found.best) {
    const auto it = std::ranges::find(keeping, i, &ByHand::design);
    ASSERT_NE(it, keeping.end());
    EXPECT_NEAR(cost_found(i), it->usd, 1e-9) << drawn.text(promise);
  }
  for (const DesignResult& d : found.designs)  // no bound is above what a run comes to
    if (d.best_estimate) {
      EXPECT_LE(d.sized.least_usd_per_hour, hour_cost(study, d.sized, *d.best_estimate).usd() * (1 + 1e-12));
    }
}

/// 500 studies, in parts that are quick.
TEST_P(Drawn, StudiesAgreeWithAllDesignsByHand) {
  Rng rng(static_cast<std::uint64_t>(GetParam()), "studies");
  for (int i = 0; i < 50 && !HasFailure(); ++i) check_one(rng);
}
INSTANTIATE_TEST_SUITE_P(BruteForce, Drawn, testing::Range(0, 10));

/// The same with the engine: all designs are simulated.
TEST(BruteForce, SimulatedStudiesAgreeWithAllDesigns) {
  Rng rng(1, "simulated studies");
  bool sites_send = false;
  for (int round = 0; round < 24; ++round) {
    RandomStudy drawn(rng);
    if (drawn.goal == "pareto_cost") drawn.goal = "least_cost";
    const std::string promises =
        fmt::format("objectives: [{{metric: e2e_s, percentile: 95, at_most: {}}}]\n", 0.08 + 0.1 * rng.uniform());
    const StudyFile file(drawn.text(promises), "40");
    const Study study = file.load();
    Sizer sizer(study);
    ScenarioSimulator simulator;
    ForkedEvaluator evaluator(simulator, nullptr, {.at_a_time = 2});
    const SearchResult found = search(study, sizer, evaluator);
    Runs runs(sizer, evaluator);
    std::vector<RunRequest> requests;
    for (const DesignResult& d : found.designs) requests.push_back(runs.request({&d.sized, 0}));
    const std::vector<RunResult> results = evaluator.evaluate(requests);
    std::optional<GoalValue> best;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const SizedDesign& sized = found.designs[i].sized;
      ASSERT_TRUE(results[i].summary) << results[i].failure;
      sites_send |= !results[i].summary->egress.empty();
      EXPECT_LE(sized.least_usd_per_hour, hour_cost(study, sized, *results[i].summary).usd() * (1 + 1e-9));
      EXPECT_LE(sized.machines.least_w, mean_w(*results[i].summary) * (1 + 1e-7));  // nine digits of both
      const bool kept = outcome(sized.promises.front(), *results[i].summary).kept;
      if (!kept || over_budget(study, sized, *results[i].summary)) continue;
      const GoalValue value = goal_value(study, sized, *results[i].summary);
      if (!best || value < *best) best = value;
    }
    ASSERT_EQ(found.best.empty(), !best) << drawn.text(promises);
    if (!best) continue;
    const DesignResult& taken = found.designs[found.best.front()];
    EXPECT_EQ(goal_value(study, taken.sized, *taken.best_estimate), *best) << drawn.text(promises);
  }
  EXPECT_TRUE(sites_send);  // some had KV cross from site to site
}

}  // namespace servecast::brute_force_test
