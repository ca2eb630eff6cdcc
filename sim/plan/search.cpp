#include "sim/plan/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

#include "models/base/rng.h"
#include "sim/plan/pareto.h"
#include "sim/plan/random_search.h"
#include "sim/plan/runs.h"
#include "sim/plan/study.h"
#include "sim/report/human.h"

namespace servecast {
namespace {

constexpr std::size_t group_size = 4;  // designs that are looked at together, the cheapest ones that are left
constexpr std::int64_t least_part = 16;  // draws of a design that are simulated at once, where a look has as many
constexpr std::size_t joint_looks = 2;  // as far as a whole group goes; then one design after the other

/// One run at the best estimate is all the evidence that is asked for.
DrawPlan best_estimate_plan() { return {.looks = {1}}; }

/// Designs from the best to the worst that they can be.
class Search {
 public:
  Search(const Study& study, Sizer& sizer, Runs& runs, std::vector<DesignResult>& designs)
      : study_(study), sizer_(sizer), runs_(runs), designs_(designs) {}

  SearchResult run(const Shard& share) {
    SearchResult result;
    std::vector<std::size_t> candidates = ordered(candidates_by_size());
    by_draws_ = study_.spec.promise.certainty == "draws";
    result.comparisons = std::max<std::int64_t>(1, static_cast<std::int64_t>(candidates.size()));
    plan_ = by_draws_ ? plan_draws(study_.spec.promise, result.comparisons) : best_estimate_plan();
    rule_out_by_bound(candidates);
    judge(dealt(candidates, share));
    if (best_) result.best = {*best_};
    result.draws = plan_;
    return result;
  }

 private:
  std::vector<std::size_t> candidates_by_size() const {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < designs_.size(); ++i)
      if (designs_[i].verdict == Verdict::not_needed) left.push_back(i);
    return left;
  }

  std::vector<std::size_t> ordered(std::vector<std::size_t> some) const {
    const auto key = [&](std::size_t i) {
      const SizedDesign& s = designs_[i].sized;
      return std::tuple(least_goal_value(study_, s), s.least_usd_per_hour, i);
    };
    std::ranges::sort(some, {}, key);
    return some;
  }

  std::int64_t draw(std::int64_t i) const { return by_draws_ ? i + 1 : 0; }

  /// Out where the bound breaks the promise in as many draws as the first look wants.
  void rule_out_by_bound(std::vector<std::size_t>& candidates) {
    std::erase_if(candidates, [&](std::size_t i) {
      DesignResult& d = designs_[i];
      for (std::int64_t n = 0; n < plan_.looks.front(); ++n)
        if (!sizer_.broken_at_best(d.sized, draw(n))) return false;
      d.draws = d.look = plan_.looks.front();
      d.miss = d.sized.best_case.overload;
      d.verdict = by_draws_ && verdict(plan_, d.count()) != DrawVerdict::breaks ? Verdict::undecided : Verdict::bound;
      d.why = d.sized.best_case.why();
      return d.verdict == Verdict::bound;
    });
  }

  /// No better than the best found so far, whatever a simulation would say.
  bool pointless(std::size_t i) const {
    return best_ && least_goal_value(study_, designs_[i].sized) >= best_value_;
  }

  void judge(const std::vector<std::size_t>& candidates) {
    for (std::size_t at = 0; at < candidates.size(); at += group_size) {
      std::vector<std::size_t> group;
      for (std::size_t i = at; i < std::min(at + group_size, candidates.size()); ++i)
        if (!pointless(candidates[i])) group.push_back(candidates[i]);
      for (std::size_t look = 0; look < std::min(joint_looks, plan_.looks.size()); ++look)
        look_at(group, plan_.looks[look]);
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
          requests.push_back(
              {.sized = &designs_[i].sized, .draw = draw(n), .beginning = look == plan_.looks.front()});
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
      d.seen = SeenRun{.run = *run, .draw = draw(d.draws), .beginning = !outcome.run};
    d.draws += 1;
    d.kept += outcome.kept ? 1 : 0;
    if (outcome.run) d.values.push_back(outcome.values);
    if (outcome.miss >= d.miss) {
      d.miss = outcome.miss;
      d.why = outcome.why;
    }
    const DrawVerdict said = by_draws_     ? verdict(plan_, d.count())
                             : d.kept == 1 ? DrawVerdict::keeps
                                           : DrawVerdict::breaks;
    d.verdict = said == DrawVerdict::keeps    ? Verdict::keeps
                : said == DrawVerdict::breaks ? Verdict::breaks
                                              : Verdict::undecided;
  }

  /// All the looks that a design still needs, unless a better one has been found meanwhile.
  void finish(std::size_t i) {
    for (const std::int64_t draws : plan_.looks) {
      if (!open(i) || pointless(i) || !worth_more_draws(plan_, designs_[i].count())) break;
      look_at({i}, draws);
    }
    DesignResult& d = designs_[i];
    if (open(i) && pointless(i)) {
      d.verdict = Verdict::not_needed;
      return;
    }
    if (d.verdict != Verdict::keeps) return;
    const std::vector<DrawRequest> one{{&d.sized, 0}};
    const std::vector<RunRequest> run{runs_.request(one.front())};
    d.best_estimate = runs_.best_estimates(run).front().summary;
    if (!d.best_estimate) return;
    const double value = goal_value(study_, d.sized, *d.best_estimate);
    if (best_ && value >= best_value_) return;
    best_ = i;
    best_value_ = value;
  }

  const Study& study_;
  Sizer& sizer_;
  Runs& runs_;
  std::vector<DesignResult>& designs_;
  DrawPlan plan_{};
  bool by_draws_ = true;
  std::optional<std::size_t> best_{};
  double best_value_ = std::numeric_limits<double>::infinity();
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

double least_goal_value(const Study& study, const SizedDesign& sized) {
  if (study.spec.goal == "least_energy") return sized.machines.least_w;
  if (study.spec.goal == "most_goodput") return -sized.design.rate_factor;
  return sized.least_usd_per_hour;
}

double goal_value(const Study& study, const SizedDesign& sized, const Summary& run) {
  if (study.spec.goal == "most_goodput") return -sized.design.rate_factor;
  const double mean_w = run.duration_s > 0 ? run.energy.j_total / run.duration_s : 0;
  if (study.spec.goal == "least_energy") return mean_w;
  return usd_per_hour(sized.machines, study.spec.prices, study.spec.prices.term, mean_w)
      .value_or(sized.least_usd_per_hour);
}

std::vector<std::size_t> SearchResult::not_ruled_out() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < designs.size(); ++i)
    if (designs[i].verdict == Verdict::undecided) open.push_back(i);
  return open;
}

SearchResult size_up(const Study& study, Sizer& sizer) {
  SearchResult result{.simulated = false};
  result.designs = sized(enumerate(study), sizer);
  for (DesignResult& d : result.designs) {
    if (d.verdict != Verdict::not_needed) continue;
    d.verdict = d.sized.best_case.overload > 1 ? Verdict::bound : Verdict::undecided;
    d.why = d.sized.best_case.why();
  }
  return result;
}

SearchResult search(const Study& study, Sizer& sizer, Evaluator& evaluator, const Shard& share) {
  Runs runs(sizer, evaluator);
  const bool exhaustive = space_size(study) <= static_cast<double>(study.spec.search.most_designs);
  const bool front = study.spec.goal.starts_with("pareto");
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
