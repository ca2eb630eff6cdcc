#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "sim/cli/runs/plan_study.h"
#include "sim/cli/runs/scenario_simulator.h"
#include "sim/plan/answer/certificate.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/objective.h"
#include "sim/plan/study/study.h"

namespace servecast::studies_test {

struct Reduced {
  const char* study;
  std::size_t most_values;  // of a dimension: the first, the last, and what lies evenly between
  const char* requests;
};

void PrintTo(const Reduced& reduced, std::ostream* out) { *out << reduced.study; }

/// The shipped study with fewer values, fewer requests, and one run per design.
Study load(const Reduced& reduced) {
  Study study = load_study(std::string(SERVECAST_SOURCE_DIR "/scenarios/studies/") + reduced.study + ".yaml");
  study.spec.promise.certainty = "best_estimate";
  study.spec.set.push_back(std::string("workload.generate.requests=") + reduced.requests);
  for (Dimension& d : study.dimensions) {
    std::vector<DimensionValue> some;
    const std::size_t count = std::min(reduced.most_values, d.values.size());
    for (std::size_t i = 0; i < count; ++i)
      some.push_back(d.values[count == 1 ? 0 : i * (d.values.size() - 1) / (count - 1)]);
    d.values = some;
  }
  return study;
}

class Studies : public testing::TestWithParam<Reduced> {};

/// Every design that can be built is simulated in full and judged by itself; the cheapest that keeps its promises must
/// be the chosen one, and whatever was ruled out must indeed break a promise.
TEST_P(Studies, CertificateAgreesWithBruteForce) {
  const Study study = load(GetParam());
  Sizer sizer(study);
  ScenarioSimulator simulator;
  ForkedEvaluator evaluator(simulator, nullptr);
  const SearchResult found = search(study, sizer, evaluator);

  std::vector<RunRequest> requests;
  std::vector<std::size_t> whose;
  Runs runs(sizer, evaluator);
  for (std::size_t i = 0; i < found.designs.size(); ++i) {
    const DesignResult& d = found.designs[i];
    if (d.verdict == Verdict::impossible || d.verdict == Verdict::over_budget) continue;
    requests.push_back(runs.request({&d.sized, 0}));
    whose.push_back(i);
  }
  const std::vector<RunResult> results = evaluator.evaluate(requests);
  double cheapest = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < results.size(); ++r) {
    const DesignResult& d = found.designs[whose[r]];
    ASSERT_TRUE(results[r].summary) << results[r].failure;
    const bool kept = std::ranges::all_of(
        d.sized.promises, [&](const Promise& p) { return outcome(p, *results[r].summary).kept; });
    if (kept) cheapest = std::min(cheapest, goal_value(study, d.sized, *results[r].summary).value);
    const bool ruled_out = d.verdict == Verdict::bound || d.verdict == Verdict::breaks;
    EXPECT_FALSE(kept && ruled_out) << words(study, d.sized.design) << ": " << d.why;
  }
  ASSERT_EQ(found.best.size(), 1u);
  const DesignResult& chosen = found.designs[found.best.front()];
  EXPECT_EQ(goal_value(study, chosen.sized, *chosen.best_estimate).value, cheapest);
  EXPECT_TRUE(certificate(study, found).complete);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Studies,
                         testing::Values(Reduced{"chat_8b", 3, "300"}, Reduced{"placement_70b", 3, "200"},
                                         Reduced{"moe", 3, "200"}, Reduced{"smaller_models", 3, "200"}),
                         [](const auto& test) { return test.param.study; });

// The bound on points lost decides between the model as it is and one of half its size.
TEST(SmallerModels, FivePointsBuyHalfTheMachines) {
  const auto chosen = [](double most_points) {
    Study study = load({"smaller_models", 4, "600"});
    study.spec.objectives.back().at_most = most_points;
    Sizer sizer(study);
    ScenarioSimulator simulator;
    ForkedEvaluator evaluator(simulator, nullptr);
    const SearchResult found = search(study, sizer, evaluator);
    return found.designs.at(found.best.at(0));
  };
  const DesignResult whole = chosen(3);
  const DesignResult pruned = chosen(5);
  EXPECT_EQ(whole.sized.machines.gpu_count(), 2);
  EXPECT_THAT(whole.sized.set, testing::Contains("pools[0].llm=llama-3.1-8b"));
  EXPECT_EQ(pruned.sized.machines.gpu_count(), 1);
  EXPECT_THAT(pruned.sized.set, testing::Contains("pools[0].llm=llama-3.1-minitron-4b-width"));
}

class StudiesByDraws : public testing::TestWithParam<Reduced> {};

/// What the looks say of one design when every draw is one whole run.
DrawVerdict by_brute_force(const DrawPlan& plan, const std::vector<bool>& kept) {
  for (const std::int64_t look : plan.looks) {
    const DrawVerdict said = verdict(plan, {look, look, std::count(kept.begin(), kept.begin() + look, true)});
    if (said != DrawVerdict::open) return said;
  }
  return DrawVerdict::open;
}

DrawVerdict claimed(Verdict verdict) {
  if (verdict == Verdict::bound || verdict == Verdict::breaks) return DrawVerdict::breaks;
  return verdict == Verdict::undecided ? DrawVerdict::open : DrawVerdict::keeps;
}

/// Every draw of every design that can be built is simulated in full. Bounds, beginnings of the workload and looks that
/// end early may not change a verdict, and the cheapest design that keeps its promise by these draws is the chosen one.
TEST_P(StudiesByDraws, CertificateAgreesWithBruteForce) {
  Study study = load(GetParam());
  study.spec.promise = {
      .certainty = "draws", .draws_fraction = 0.5, .error_fraction = 0.5, .most_draws = 18};  // few draws will do
  Sizer sizer(study);
  ScenarioSimulator simulator;
  ForkedEvaluator evaluator(simulator, nullptr);
  const SearchResult found = search(study, sizer, evaluator);
  const std::int64_t draws = found.draws.looks.back();
  Runs runs(sizer, evaluator);
  double cheapest = std::numeric_limits<double>::infinity();
  for (const DesignResult& d : found.designs) {
    if (d.verdict == Verdict::impossible || d.verdict == Verdict::over_budget) continue;
    std::vector<RunRequest> requests;
    for (std::int64_t draw = 0; draw <= draws; ++draw) requests.push_back(runs.request({&d.sized, draw}));
    const std::vector<RunResult> results = evaluator.evaluate(requests);
    std::vector<bool> kept;
    for (const RunResult& result : std::span(results).subspan(1))
      kept.push_back(std::ranges::all_of(
          d.sized.promises, [&](const Promise& p) { return outcome(p, result.summary.value()).kept; }));
    const DrawVerdict truth = by_brute_force(found.draws, kept);
    const std::string whose = words(study, d.sized.design);
    // Nothing is claimed of designs that are not needed, or of what is still open where patience with it ended: later
    // draws, which the search did not ask for, may tell.
    if (d.verdict == Verdict::undecided) continue;
    if (d.verdict != Verdict::not_needed) {
      EXPECT_EQ(claimed(d.verdict), truth) << whose << ": " << d.why;
    }
    if (truth == DrawVerdict::keeps)
      cheapest = std::min(cheapest, goal_value(study, d.sized, results.front().summary.value()).value);
  }
  ASSERT_EQ(found.best.empty(), cheapest == std::numeric_limits<double>::infinity());
  if (found.best.empty()) return;
  const DesignResult& chosen = found.designs[found.best.front()];
  EXPECT_EQ(goal_value(study, chosen.sized, *chosen.best_estimate).value, cheapest);
}

INSTANTIATE_TEST_SUITE_P(Shipped, StudiesByDraws,
                         testing::Values(Reduced{"chat_8b", 2, "800"}, Reduced{"placement_70b", 2, "150"},
                                         Reduced{"moe", 2, "150"}),
                         [](const auto& test) { return test.param.study; });

}  // namespace servecast::studies_test
