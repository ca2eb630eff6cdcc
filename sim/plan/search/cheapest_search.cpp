#include "sim/plan/search/cheapest_search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

constexpr std::size_t group_size = 4;    // designs that are looked at together, the cheapest ones that are left
constexpr std::int64_t least_part = 16;  // draws of a design that are simulated at once, where a look has as many
constexpr std::size_t joint_looks = 2;   // as far as a whole group goes; then one design after the other

constexpr const char* no_better = "can be no better than the chosen one";
constexpr const char* dearer_and_open = "is no better than the chosen one, and draws do not tell whether it would do";

/// Kinds of GPU are compared where the goal is about machines for one demand.
bool compares_kinds(const Study& study) {
  return study.spec.goal == "least_cost" || study.spec.goal == "least_energy";
}

}  // namespace

std::vector<std::size_t> candidates_by_size(const std::vector<DesignResult>& designs) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < designs.size(); ++i)
    if (designs[i].verdict == Verdict::not_needed) left.push_back(i);
  return left;
}

Evidence::Evidence(const Study& study, std::size_t candidates)
    : by_draws(!study.spec.goal.starts_with("pareto") && study.spec.promise.certainty == "draws"),
      comparisons(std::max<std::int64_t>(1, static_cast<std::int64_t>(candidates))),
      plan(by_draws ? plan_draws(study.spec.promise, comparisons) : DrawPlan{.looks = {1}}) {}

DrawVerdict Evidence::of(const DrawCount& count) const {
  if (by_draws) return verdict(plan, count);
  return count.kept == 1 ? DrawVerdict::keeps : DrawVerdict::breaks;
}

bool broken_by_bound(const Evidence& evidence, const DesignResult& design) {
  const std::int64_t look = evidence.plan.looks.front();
  return design.broken_at_best >= look && evidence.of({.look = look, .draws = look}) == DrawVerdict::breaks;
}

CheapestSearch::CheapestSearch(const Study& study, Runs& runs, std::vector<DesignResult>& designs)
    : study_(study), runs_(runs), designs_(designs), evidence_(study, candidates_by_size(designs).size()) {}

SearchResult CheapestSearch::run(const Shard& share) {
  SearchResult result{.draws = evidence_.plan, .comparisons = evidence_.comparisons};
  std::vector<std::size_t> candidates = ordered(candidates_by_size(designs_));
  rule_out_by_bound(candidates);
  judge(dealt(candidates, share));
  if (best_.design) result.best = {*best_.design};
  if (compares_kinds(study_) && !result.best.empty()) judge_kinds(candidates, share, result);
  return result;
}

std::vector<std::size_t> CheapestSearch::ordered(std::vector<std::size_t> some) const {
  const auto key = [&](std::size_t i) {
    const SizedDesign& s = designs_[i].sized;
    return std::pair(least_goal_value(study_, s), i);
  };
  std::ranges::sort(some, {}, key);
  return some;
}

void CheapestSearch::rule_out_by_bound(std::vector<std::size_t>& candidates) {
  std::erase_if(candidates, [&](std::size_t i) {
    DesignResult& d = designs_[i];
    if (!broken_by_bound(evidence_, d)) return false;
    d.draws = d.look = evidence_.plan.looks.front();
    d.miss = d.sized.best_case.overload;
    d.verdict = Verdict::bound;
    d.why = d.sized.best_case.why();
    return true;
  });
}

/// What is known of the goal: bills and power only once the design has been simulated at the best estimate.
GoalValue CheapestSearch::at_least(const DesignResult& d) const {
  return d.best_estimate ? goal_value(study_, d.sized, *d.best_estimate) : least_goal_value(study_, d.sized);
}

/// No better than the best found so far, whatever a simulation would say.
bool CheapestSearch::pointless(std::size_t i) const { return best_.design && at_least(designs_[i]) >= best_.value; }

void CheapestSearch::judge(const std::vector<std::size_t>& candidates) {
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
    if (designs_[i].verdict == Verdict::not_needed && i != best_.design.value_or(designs_.size()))
      designs_[i].why = no_better;
  }
}

/// The best design of every kind of GPU: what the chosen one is held against. It rules out no better design,
/// so those that draws do not tell of stay dearer ones.
void CheapestSearch::judge_kinds(const std::vector<std::size_t>& candidates, const Shard& share,
                                 SearchResult& result) {
  std::map<std::string, std::vector<std::size_t>> kinds;
  for (const std::size_t i : candidates) kinds[designs_[i].sized.kinds].push_back(i);
  const Best chosen = best_;
  for (const auto& [kind, designs] : kinds) {
    if (kind == designs_[*chosen.design].sized.kinds) continue;
    if (const auto best = best_of_kind(dealt(designs, share))) result.next_best.push_back(*best);
    for (const std::size_t i : designs)
      if (open(i) && at_least(designs_[i]) >= chosen.value) {
        designs_[i].verdict = Verdict::not_needed;
        designs_[i].why = dearer_and_open;
      }
  }
  best_ = chosen;
  std::ranges::sort(result.next_best, {}, [&](std::size_t i) { return std::pair(at_least(designs_[i]), i); });
}

std::optional<std::size_t> CheapestSearch::best_of_kind(const std::vector<std::size_t>& candidates) {
  best_ = {};
  for (const std::size_t i : candidates)
    if (designs_[i].verdict == Verdict::not_needed && designs_[i].draws > 0)
      designs_[i].verdict = Verdict::undecided;  // some of its draws are known from before
  judge(candidates);
  return best_.design;
}

bool CheapestSearch::waits_for(std::int64_t look, std::size_t i) const {
  return designs_[i].draws < look && (designs_[i].draws == 0 || open(i));
}

/// Draws of every design in the group that is still open, up to so many, or until it is clear what these will say.
/// A part is simulated at once; what it has beyond the draw that makes things clear does not count.
void CheapestSearch::look_at(const std::vector<std::size_t>& group, std::int64_t look) {
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

void CheapestSearch::take(DesignResult& d, const DrawOutcome& outcome) const {
  if (const Summary* run = outcome.seen(); run != nullptr && (outcome.run || !d.seen || d.seen->beginning))
    d.seen =
        std::make_shared<SeenRun>(SeenRun{.run = *run, .draw = evidence_.draw(d.draws), .beginning = !outcome.run});
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
void CheapestSearch::estimate(DesignResult& d) {
  if (!d.best_estimate) {
    const std::vector<RunRequest> run{runs_.request({&d.sized, 0})};
    if (const std::optional<Summary> known = runs_.best_estimates(run).front().summary)
      d.best_estimate = std::make_shared<Summary>(*known);
  }
  if (!d.best_estimate) return;
  if (const auto broken = over_budget(study_, d.sized, *d.best_estimate)) {
    d.verdict = Verdict::over_budget;
    d.why = *broken;
  }
}

/// All the looks that a design still needs, unless a better one has been found meanwhile.
void CheapestSearch::finish(std::size_t i) {
  DesignResult& d = designs_[i];
  if (d.verdict == Verdict::keeps || (open(i) && !pointless(i))) estimate(d);
  for (const std::int64_t draws : evidence_.plan.looks) {
    if (!open(i) || pointless(i) || !worth_more_draws(evidence_.plan, d.count())) break;
    look_at({i}, draws);
  }
  if (open(i) && pointless(i)) d.verdict = Verdict::not_needed;
  if (d.verdict != Verdict::keeps || !d.best_estimate || pointless(i)) return;
  best_ = {i, at_least(d)};
}

}  // namespace servecast
