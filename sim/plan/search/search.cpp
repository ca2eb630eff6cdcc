#include "sim/plan/search/search.h"

#include <algorithm>
#include <array>
#include <future>
#include <thread>

#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/cheapest_search.h"
#include "sim/plan/search/pareto.h"
#include "sim/plan/search/random_search.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

bool is_pareto(const Study& study) { return study.spec.goal.starts_with("pareto"); }

void sort_out_by_size(DesignResult& d) {
  if (!d.sized.impossible.empty()) {
    d.verdict = Verdict::impossible;
    d.why = d.sized.impossible;
  } else if (!d.sized.over_budget.empty()) {
    d.verdict = Verdict::over_budget;
    d.why = d.sized.over_budget;
  }
}

/// `evidence`: of all designs, so that no look wants fewer draws than one at those that are left.
DesignResult sized(const Design& design, const Evidence& evidence, Sizer& sizer) {
  DesignResult result{.sized = sizer.size(design)};
  sort_out_by_size(result);
  if (result.verdict != Verdict::not_needed) return result;
  while (result.broken_at_best < evidence.plan.looks.front() &&
         sizer.broken_at_best(result.sized, evidence.draw(result.broken_at_best)))
    ++result.broken_at_best;
  return result;
}

/// On as many threads as there are cores, each with a sizer and a part of the designs of its own.
std::vector<DesignResult> sized(const Study& study, const std::vector<Design>& all, Sizer& sizer) {
  constexpr std::size_t worth_a_thread = 256;  // designs: a sizer reads its hardware files first
  const Evidence evidence(study, all.size());
  const std::size_t threads =
      std::clamp<std::size_t>(all.size() / worth_a_thread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<DesignResult> designs(all.size());
  const auto size_part = [&](std::size_t part, Sizer& its_own) {
    for (std::size_t i = all.size() * part / threads; i < all.size() * (part + 1) / threads; ++i)
      designs[i] = sized(all[i], evidence, its_own);
  };
  std::vector<std::future<void>> others;
  for (std::size_t part = 1; part < threads; ++part)
    others.push_back(std::async(std::launch::async, [&, part] {
      Sizer its_own(study);
      size_part(part, its_own);
    }));
  size_part(0, sizer);
  for (std::future<void>& other : others) other.get();
  return designs;
}

}  // namespace

std::string_view word_of(Verdict verdict) {
  constexpr std::array<std::string_view, 10> words{"chosen",    "front", "keeps",      "undecided",   "breaks",
                                                   "dominated", "bound", "impossible", "over_budget", "not_needed"};
  return words[static_cast<std::size_t>(verdict)];
}

GoalValue least_goal_value(const Study& study, const SizedDesign& sized) {
  const double usd = sized.least_usd_per_hour;
  if (study.spec.goal == "least_energy") return {sized.machines.least_w, usd};
  if (study.spec.goal == "most_goodput") return {-sized.design.rate_factor, usd};
  return {usd, usd};
}

GoalValue goal_value(const Study& study, const SizedDesign& sized, const Summary& run) {
  const double usd = hour_cost(study, sized, run).usd();
  if (study.spec.goal == "least_energy") return {mean_w(run), usd};
  if (study.spec.goal == "most_goodput") return {-sized.design.rate_factor, usd};
  return {usd, usd};
}

bool goal_leaves_out_apis(const Study& study) {
  return study.spec.goal == "least_energy" || study.spec.goal == "pareto_throughput";
}

std::vector<std::size_t> SearchResult::not_ruled_out() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < designs.size(); ++i)
    if (designs[i].verdict == Verdict::undecided) open.push_back(i);
  return open;
}

SearchResult size_up(const Study& study, Sizer& sizer) {
  SearchResult result{.designs = sized(study, enumerate(study), sizer), .simulated = false};
  const std::vector<std::size_t> candidates = candidates_by_size(result.designs);
  const Evidence evidence(study, candidates.size());
  for (const std::size_t i : candidates) {
    DesignResult& d = result.designs[i];
    d.verdict = broken_by_bound(evidence, d) ? Verdict::bound : Verdict::undecided;
    d.why = d.sized.best_case.why();
  }
  result.draws = evidence.plan;
  return result;
}

SearchResult search(const Study& study, Sizer& sizer, Evaluator& evaluator, const Shard& share) {
  Runs runs(sizer, evaluator);
  const bool exhaustive = space_size(study) <= static_cast<double>(study.spec.search.most_designs);
  const bool front = is_pareto(study);
  std::vector<DesignResult> designs =
      sized(study, exhaustive ? enumerate(study) : random_designs(study, sizer, runs, share), sizer);
  const Shard of_designs = exhaustive ? share : Shard{};  // those of its own starts are all a share's own
  SearchResult result =
      front ? pareto(study, runs, designs, of_designs) : CheapestSearch(study, runs, designs).run(of_designs);
  result.exhaustive = exhaustive;
  result.designs = std::move(designs);
  for (const std::size_t i : result.best) result.designs[i].verdict = front ? Verdict::front : Verdict::chosen;
  return result;
}

}  // namespace servecast
