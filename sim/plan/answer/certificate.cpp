#include "sim/plan/answer/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/plan/judge/error_bars.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/objective.h"
#include "sim/plan/study/study.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

std::int64_t count(const SearchResult& found, std::initializer_list<Verdict> which) {
  return std::ranges::count_if(
      found.designs, [&](const DesignResult& d) { return std::ranges::find(which, d.verdict) != which.end(); });
}

/// An undecided design, and what it would take to decide it.
std::string open_text(const Study& study, const DrawPlan& draws, const DesignResult& d) {
  const auto enough = draws_that_would_tell(draws, d.count());
  return fmt::format("{}: kept in {} of {} draws; it would take {} {} to tell if that share stays",
                     words(study, d.sized.design), d.kept, d.draws, enough ? "some" : "more than",
                     human::count(enough.value_or(too_many_draws)));
}

std::string evidence_text(const Study& study, const SearchResult& found, const Certificate& c) {
  if (c.draws_fraction == 0 && !found.simulated) return "Bounds hold for the best estimate.";
  if (c.draws_fraction == 0)
    return "Each verdict is one run at the best estimate: what the calibration may be off by is not in it.";
  return fmt::format(
      "To keep a promise is to keep it in {} of all draws of calibration error and seed; all verdicts together are "
      "wrong with a chance of at most {}.",
      human::percent(study.spec.promise.draws_fraction), human::percent(study.spec.promise.error_fraction));
}

struct Fate {
  std::int64_t Certificate::*count;
  std::string_view one;
  std::string_view several;
};
constexpr std::array<Fate, 5> fates{{
    {&Certificate::impossible, "cannot be built", "cannot be built"},
    {&Certificate::over_budget, "breaks a budget", "break a budget"},
    {&Certificate::bound, "cannot keep its promise even on idle machines",
     "cannot keep their promises even on idle machines"},
    {&Certificate::simulated, "was simulated", "were simulated"},
    {&Certificate::not_needed, "can be no better than the answer", "can be no better than the answer"},
}};

/// What all designs have become; what none has become is not said.
std::string counts_text(const Certificate& c) {
  std::vector<std::string> parts;
  for (const Fate& fate : fates)
    if (const std::int64_t n = c.*fate.count; n > 0)
      parts.push_back(fmt::format("{} {}", n, n == 1 ? fate.one : fate.several));
  if (c.undecided_by_bounds > 0) parts.push_back(fmt::format("{} need simulations", c.undecided_by_bounds));
  std::string text = fmt::format("Of {} design{} ", c.designs, c.designs == 1 ? "" : "s");
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text + ".";
}

std::string widening_text(double share) {
  return fmt::format("; were it off as derived kernels are, error bars would be {:.2f} times as wide",
                     extrapolated_widening(share));
}

/// What the answer's step times rest on, where that is less than measured kernels in their range.
std::string hardware_text(const SearchResult& found, const Certificate& c) {
  std::string text;
  for (const std::size_t i : found.best) {
    const DesignResult& d = found.designs[i];
    if (!d.best_estimate) continue;
    if (d.sized.derived)
      text = fmt::format(
          " Kernels of {} were not measured but derived: {}.", d.sized.kinds,
          c.draws_fraction > 0
              ? fmt::format("error bars are {:.2g} times as wide as the calibration's", derived_widening())
              : fmt::format("on measured servers with such GPUs forecasts were off by {} at the 90th percentile, "
                            "with measured kernels it is about {}",
                            human::percent(off_by().derived), human::percent(off_by().measured)));
    for (const RestsOn& rests : d.best_estimate->rests_on)
      if (rests.extrapolated_fraction > 0.01)
        text += fmt::format(" {} of the step time of pool {} lies outside the range that kernels were fitted on{}.",
                            human::percent(rests.extrapolated_fraction), rests.pool,
                            d.sized.derived ? "" : widening_text(rests.extrapolated_fraction));
    break;
  }
  return text;
}

/// Whether the answer is better only because an outside API does its work.
bool leaves_out_apis(const Study& study, const SearchResult& found) {
  return goal_leaves_out_apis(study) && std::ranges::any_of(found.best, [&](std::size_t i) {
           const std::shared_ptr<const Summary>& run = found.designs[i].best_estimate;
           return run && asks_outside(*run);
         });
}

std::string verdict_text(const Study& study, const SearchResult& found, const Certificate& c) {
  if (!found.simulated) return "Nothing was simulated.";
  if (!found.exhaustive)
    return "There is no certificate: the space is too large to be walked through, and was searched from random "
           "designs.";
  if (found.best.empty()) return "No design is proven to keep its promises.";
  if (leaves_out_apis(study, found))
    return fmt::format("There is no certificate: outside APIs answer, and what they take is not in goal {}.",
                       study.spec.goal);
  if (study.spec.goal.starts_with("pareto"))
    return "Every design that can be built was simulated or is out of reach.";
  if (c.complete) return "Every better design is ruled out.";
  const std::size_t left = c.not_ruled_out.size();
  return fmt::format("{} better {} not ruled out: draws do not tell.", left, left == 1 ? "design is" : "designs are");
}

/// Of those that can be had: first by what simulations missed, then by what the bounds say.
const DesignResult* nearest(const SearchResult& found) {
  const DesignResult* best = nullptr;
  for (const DesignResult& d : found.designs) {
    if (d.verdict == Verdict::impossible || d.verdict == Verdict::over_budget) continue;
    const auto key = [](const DesignResult& r) {
      return std::tuple(r.verdict != Verdict::undecided, r.verdict == Verdict::bound, r.miss);
    };
    if (best == nullptr || key(d) < key(*best)) best = &d;
  }
  return best;
}

}  // namespace

Certificate certificate(const Study& study, const SearchResult& found) {
  Certificate c{.designs = static_cast<std::int64_t>(found.designs.size()),
                .impossible = count(found, {Verdict::impossible}),
                .over_budget = count(found, {Verdict::over_budget}),
                .bound = count(found, {Verdict::bound}),
                .simulated = count(found, {Verdict::chosen, Verdict::front, Verdict::keeps, Verdict::undecided,
                                           Verdict::breaks, Verdict::dominated}),
                .not_needed = count(found, {Verdict::not_needed})};
  if (!found.simulated) c.simulated = 0;
  if (!found.simulated) c.undecided_by_bounds = static_cast<std::int64_t>(found.not_ruled_out().size());
  for (const std::size_t i : found.simulated ? found.not_ruled_out() : std::vector<std::size_t>{})
    c.not_ruled_out.push_back(open_text(study, found.draws, found.designs[i]));
  c.complete = found.exhaustive && !found.best.empty() && c.not_ruled_out.empty() && !leaves_out_apis(study, found);
  if (found.draws.error_per_look > 0) {
    c.draws_fraction = study.spec.promise.draws_fraction;
    c.error_fraction = study.spec.promise.error_fraction;
  }
  c.text = verdict_text(study, found, c) + " " + counts_text(c) + " " + evidence_text(study, found, c) +
           hardware_text(found, c);
  return c;
}

std::string closest(const Study& study, Runs& runs, const SearchResult& found) {
  const DesignResult* near = nearest(found);
  if (near == nullptr) {
    const std::string& why = found.designs.front().why;
    return fmt::format("none of {} designs can be had; the first: {}", found.designs.size(), why);
  }
  if (near->verdict == Verdict::bound) {
    const BestCase& best = near->sized.best_case;
    return fmt::format("closest is {}; it misses {}, which {}", words(study, near->sized.design), best.promise,
                       best.asks);
  }
  const std::vector<RunRequest> request{runs.request({&near->sized, 0})};
  const std::vector<RunResult> results = runs.best_estimates(request);
  std::string missed;
  for (const Promise& promise : near->sized.promises) {
    if (!results.front().summary) break;
    const Outcome one = outcome(promise, *results.front().summary);
    if (one.kept) continue;
    missed += fmt::format("{}{} (it is {})", missed.empty() ? "" : ", ", promise.words(),
                          one.value ? promise.text(*one.value) : "never");
  }
  if (missed.empty())
    missed = fmt::format("the share of draws (kept in {} of {}; at the best estimate it keeps everything)",
                         near->kept, near->draws);
  return fmt::format("closest is {}; it misses {}", words(study, near->sized.design), missed);
}

}  // namespace servecast
