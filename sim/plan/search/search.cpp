#include "sim/plan/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "models/base/rng.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/pareto.h"
#include "sim/plan/search/random_search.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/study/study.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr std::size_t group_size = 4;  // designs that are looked at together, the cheapest ones that are left
constexpr std::int64_t least_part = 16;  // draws of a design that are simulated at once, where a look has as many
constexpr std::size_t joint_looks = 2;  // as far as a whole group goes; then one design after the other

bool is_pareto(const Study& study) { return study.spec.goal.starts_with("pareto"); }

/// Designs that neither size nor budget has ruled out.
std::vector<std::size_t> candidates_by_size(const std::vector<DesignResult>& designs) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < designs.size(); ++i)
    if (designs[i].verdict == Verdict::not_needed) left.push_back(i);
  return left;
}

/// What is asked for as evidence: draws, or one run at the best estimate.
struct Evidence {
  Evidence(const Study& study, std::size_t candidates)
      : by_draws(!is_pareto(study) && study.spec.promise.certainty == "draws"),
        comparisons(std::max<std::int64_t>(1, static_cast<std::int64_t>(candidates))),
        plan(by_draws ? plan_draws(study.spec.promise, comparisons) : DrawPlan{.looks = {1}}) {}

  std::int64_t draw(std::int64_t i) const { return by_draws ? i + 1 : 0; }

  DrawVerdict of(const DrawCount& count) const {
    if (by_draws) return verdict(plan, count);
    return count.kept == 1 ? DrawVerdict::keeps : DrawVerdict::breaks;
  }

  bool by_draws;
  std::int64_t comparisons;
  DrawPlan plan;
};

/// Whether the bound breaks the promise in as many draws as the first look wants.
bool broken_by_bound(const Evidence& evidence, Sizer& sizer, const SizedDesign& sized) {
  for (std::int64_t n = 0; n < evidence.plan.looks.front(); ++n)
    if (!sizer.broken_at_best(sized, evidence.draw(n))) return false;
  return evidence.of({.look = evidence.plan.looks.front(), .draws = evidence.plan.looks.front()}) ==
         DrawVerdict::breaks;
}

/// Designs from the best to the worst that they can be.
class Search {
 public:
  Search(const Study& study, Sizer& sizer, Runs& runs, std::vector<DesignResult>& designs)
      : study_(study),
        sizer_(sizer),
        runs_(runs),
        designs_(designs),
        evidence_(study, candidates_by_size(designs).size()) {}

  SearchResult run(const Shard& share) {
    SearchResult result{.draws = evidence_.plan, .comparisons = evidence_.comparisons};
    std::vector<std::size_t> candidates = ordered(candidates_by_size(designs_));
    rule_out_by_bound(candidates);
    judge(dealt(candidates, share));
    if (best_) result.best = {*best_};
    return result;
  }

 private:
  std::vector<std::size_t> ordered(std::vector<std::size_t> some) const {
    const auto key = [&](std::size_t i) {
      const SizedDesign& s = designs_[i].sized;
      return std::pair(least_goal_value(study_, s), i);
    };
    std::ranges::sort(some, {}, key);
    return some;
  }

  void rule_out_by_bound(std::vector<std::size_t>& candidates) {
    std::erase_if(candidates, [&](std::size_t i) {
      DesignResult& d = designs_[i];
      if (!broken_by_bound(evidence_, sizer_, d.sized)) return false;
      d.draws = d.look = evidence_.plan.looks.front();
      d.miss = d.sized.best_case.overload;
      d.verdict = Verdict::bound;
      d.why = d.sized.best_case.why();
      return true;
    });
  }

  /// What is known of the goal: bills and power only once the design has been simulated at the best estimate.
  GoalValue at_least(const DesignResult& d) const {
    return d.best_estimate ? goal_value(study_, d.sized, *d.best_estimate) : least_goal_value(study_, d.sized);
  }

  /// No better than the best found so far, whatever a simulation would say.
  bool pointless(std::size_t i) const { return best_ && at_least(designs_[i]) >= best_value_; }

  void judge(const std::vector<std::size_t>& candidates) {
    for (std::size_t at = 0; at < candidates.size(); at += group_size) {
      std::vector<std::size_t> group;
      for (std::size_t i = at; i < std::min(at + group_size, candidates.size()); ++i)
        if (!pointless(candidates[i])) group.push_back(candidates[i]);
      for (std::size_t look = 0; look < std::min(joint_looks, evidence_.plan.looks.size()); ++look)
        look_at(group, evidence_.plan.looks[look]);
      for (const std::size_t one : group) finish(one);
    }
    for (const std::size_t i : candidates) {
      if (open(i) && pointless(i)) designs_[i].verdict = Verdict::not_needed;  // looked at before the best was known
      if (designs_[i].verdict == Verdict::not_needed && i != best_.value_or(designs_.size()))
        designs_[i].why = "can be no better than the chosen one";
    }
  }

  bool open(std::size_t i) const { return designs_[i].verdict == Verdict::undecided; }

  bool waits_for(std::int64_t look, std::size_t i) const {
    return designs_[i].draws < look && (designs_[i].draws == 0 || open(i));
  }

  /// Draws of every design in the group that is still open, up to so many, or until it is clear what these will say.
  /// A part is simulated at once; what it has beyond the draw that makes things clear does not count.
  void look_at(const std::vector<std::size_t>& group, std::int64_t look) {
    const std::int64_t part = std::max(least_part, 2 * runs_.at_once());
    for (;;) {
      std::vector<DrawRequest> requests;
      std::vector<std::size_t> whose;
      for (const std::size_t i : group) {
        if (!waits_for(look, i)) continue;
        designs_[i].look = look;
        for (std::int64_t n = designs_[i].draws; n < std::min(look, designs_[i].draws + part); ++n) {
          requests.push_back({.sized = &designs_[i].sized,
                              .draw = evidence_.draw(n),
                              .beginning = look == evidence_.plan.looks.front()});
          whose.push_back(i);
        }
      }
      if (requests.empty()) return;
      const std::vector<DrawOutcome> outcomes = runs_.judge(requests);
      for (std::size_t r = 0; r < outcomes.size(); ++r)
        if (waits_for(look, whose[r])) take(designs_[whose[r]], outcomes[r]);
    }
  }

  void take(DesignResult& d, const DrawOutcome& outcome) const {
    if (const Summary* run = outcome.seen(); run != nullptr && (outcome.run || !d.seen || d.seen->beginning))
      d.seen = SeenRun{.run = *run, .draw = evidence_.draw(d.draws), .beginning = !outcome.run};
    d.draws += 1;
    d.kept += outcome.kept ? 1 : 0;
    if (outcome.run) d.values.push_back(outcome.values);
    if (outcome.miss >= d.miss) {
      d.miss = outcome.miss;
      d.why = outcome.why;
    }
    const DrawVerdict said = evidence_.of(d.count());
    d.verdict = said == DrawVerdict::keeps    ? Verdict::keeps
                : said == DrawVerdict::breaks ? Verdict::breaks
                                              : Verdict::undecided;
  }

  /// The run that says what the design costs. Before the many draws that a verdict may need: where it is too dear,
  /// they can be spared.
  void estimate(DesignResult& d) {
    const std::vector<RunRequest> run{runs_.request({&d.sized, 0})};
    d.best_estimate = runs_.best_estimates(run).front().summary;
    if (!d.best_estimate) return;
    if (const auto broken = over_budget(study_, d.sized, *d.best_estimate)) {
      d.verdict = Verdict::over_budget;
      d.why = *broken;
    }
  }

  /// All the looks that a design still needs, unless a better one has been found meanwhile.
  void finish(std::size_t i) {
    DesignResult& d = designs_[i];
    if (d.verdict == Verdict::keeps || (open(i) && !pointless(i))) estimate(d);
    for (const std::int64_t draws : evidence_.plan.looks) {
      if (!open(i) || pointless(i) || !worth_more_draws(evidence_.plan, d.count())) break;
      look_at({i}, draws);
    }
    if (open(i) && pointless(i)) d.verdict = Verdict::not_needed;
    if (d.verdict != Verdict::keeps || !d.best_estimate || pointless(i)) return;
    best_ = i;
    best_value_ = at_least(d);
  }

  const Study& study_;
  Sizer& sizer_;
  Runs& runs_;
  std::vector<DesignResult>& designs_;
  Evidence evidence_;
  std::optional<std::size_t> best_{};
  GoalValue best_value_{};  // of the best, where there is one
};

void sort_out_by_size(DesignResult& d) {
  if (!d.sized.impossible.empty()) {
    d.verdict = Verdict::impossible;
    d.why = d.sized.impossible;
  } else if (!d.sized.over_budget.empty()) {
    d.verdict = Verdict::over_budget;
    d.why = d.sized.over_budget;
  }
}

std::vector<DesignResult> sized(const std::vector<Design>& all, Sizer& sizer) {
  std::vector<DesignResult> designs;
  for (const Design& design : all) {
    designs.push_back({.sized = sizer.size(design)});
    sort_out_by_size(designs.back());
  }
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
  SearchResult result{.designs = sized(enumerate(study), sizer), .simulated = false};
  const std::vector<std::size_t> candidates = candidates_by_size(result.designs);
  const Evidence evidence(study, candidates.size());
  for (const std::size_t i : candidates) {
    DesignResult& d = result.designs[i];
    d.verdict = broken_by_bound(evidence, sizer, d.sized) ? Verdict::bound : Verdict::undecided;
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
      sized(exhaustive ? enumerate(study) : random_designs(study, sizer, runs, share), sizer);
  const Shard of_designs = exhaustive ? share : Shard{};  // those of its own starts are all a share's own
  SearchResult result =
      front ? pareto(study, runs, designs, of_designs) : Search(study, sizer, runs, designs).run(of_designs);
  result.exhaustive = exhaustive;
  result.designs = std::move(designs);
  for (const std::size_t i : result.best) result.designs[i].verdict = front ? Verdict::front : Verdict::chosen;
  return result;
}

}  // namespace servecast
