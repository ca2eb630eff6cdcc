#include "sim/plan/search/pareto.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

struct Simulated {
  std::size_t design = 0;
  ParetoPoint point{};
};

/// Keeps its promises, if any, and served requests: then it has a point.
std::optional<ParetoPoint> take(const Study& study, DesignResult& d, const DrawOutcome& outcome) {
  d.draws = 1;
  d.kept = outcome.kept ? 1 : 0;
  d.miss = outcome.miss;
  d.why = outcome.why;
  if (outcome.run) d.best_estimate = std::make_shared<Summary>(*outcome.run);
  if (outcome.beginning) d.seen = std::make_shared<SeenRun>(SeenRun{.run = *outcome.beginning, .beginning = true});
  d.verdict = Verdict::breaks;
  if (!outcome.kept || !outcome.run) return std::nullopt;
  if (const auto broken = over_budget(study, d.sized, *outcome.run)) {
    d.verdict = Verdict::over_budget;
    d.why = *broken;
    return std::nullopt;
  }
  const auto point = pareto_point(study, d.sized, *outcome.run);
  const bool needs_score = study.spec.goal == "pareto_quality";
  if (!point)
    d.why = !needs_score || expected_score(*outcome.run)
                ? "served no request"
                : "served no request, or there is no `quality` to tell scores by";
  return point;
}

void settle(const Study& study, const std::vector<Simulated>& all, std::vector<DesignResult>& designs,
            SearchResult& result) {
  for (const Simulated& one : all) {
    const auto better = std::ranges::find_if(all, [&](const Simulated& o) { return o.point.beats(one.point); });
    if (better == all.end()) {
      result.best.push_back(one.design);
      continue;
    }
    designs[one.design].verdict = Verdict::dominated;
    designs[one.design].why = "beaten by " + words(study, designs[better->design].sized.design);
  }
}

}  // namespace

std::optional<double> expected_score(const Summary& run) {
  return run.gateway.quality.empty() ? std::nullopt : run.gateway.quality.front().score;
}

std::optional<ParetoPoint> pareto_point(const Study& study, const SizedDesign& sized, const Summary& run) {
  if (study.spec.goal == "pareto_cost") {
    if (!run.latencies.ttft_s) return std::nullopt;
    return ParetoPoint{hour_cost(study, sized, run).usd(), run.latencies.ttft_s->p99};
  }
  if (study.spec.goal == "pareto_quality") {
    const auto score = expected_score(run);
    if (!run.latencies.ttft_s || !score) return std::nullopt;
    return ParetoPoint{hour_cost(study, sized, run).usd(), run.latencies.ttft_s->p99, -*score};
  }
  if (!run.latencies.tpot_s || run.latencies.tpot_s->p50 <= 0) return std::nullopt;
  return ParetoPoint{-1 / run.latencies.tpot_s->p50,
                     -run.output_tokens_per_s / static_cast<double>(sized.machines.gpu_count())};
}

SearchResult pareto(const Study& study, Runs& runs, std::vector<DesignResult>& designs, const Shard& share) {
  SearchResult result{.draws = {.looks = {1}}};
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    if (designs[i].verdict != Verdict::not_needed) continue;
    if (designs[i].sized.best_case.overload > 1) {
      designs[i].verdict = Verdict::bound;
      designs[i].why = designs[i].sized.best_case.why();
      continue;
    }
    open.push_back(i);
  }
  const std::vector<std::size_t> whose = dealt(open, share);
  std::vector<DrawRequest> requests;
  for (const std::size_t i : whose) requests.push_back({&designs[i].sized, 0});
  const std::vector<DrawOutcome> outcomes = runs.judge(requests);
  std::vector<Simulated> simulated;
  for (std::size_t r = 0; r < outcomes.size(); ++r)
    if (const auto point = take(study, designs[whose[r]], outcomes[r])) simulated.push_back({whose[r], *point});
  settle(study, simulated, designs, result);
  result.comparisons = static_cast<std::int64_t>(requests.size());
  return result;
}

}  // namespace servecast
