#include "sim/plan/horizon/ideas.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/base/error.h"
#include "sim/plan/answer/cost_range.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/search/shard.h"
#include "sim/report/figures/figures.h"
#include "sim/report/layout/human.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

/// Options that are taken together, by their numbers.
using Together = std::vector<std::size_t>;

constexpr const char* too_lossy = "loses more of the answers' score than the promise allows";

/// None, then each alone, then two, ...
std::vector<Together> combinations(const Study& study) {
  std::vector<Together> all{{}};
  const auto largest = static_cast<std::size_t>(study.spec.most_together);
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at].size() == largest) continue;
    const std::size_t next = all[at].empty() ? 0 : all[at].back() + 1;
    for (std::size_t i = next; i < study.spec.options.size(); ++i) {
      Together larger = all[at];
      larger.push_back(i);
      all.push_back(std::move(larger));
    }
  }
  return all;
}

/// "path=value" of the scenario, or the term of the study.
void set(StudySpec& spec, const std::string& word) {
  const std::string_view term = "prices.term=";
  if (word.starts_with(term))
    spec.prices.term = word.substr(term.size());
  else
    spec.set.push_back(word);
}

/// What options lose that state it is taken for their word; of others what is published is held to the promise.
Study study_with(const Study& study, const Together& options) {
  Study copy = study;
  bool stated = false;
  for (const std::size_t i : options) {
    const IdeaSpec& option = study.spec.options[i];
    for (const std::string& word : option.set) set(copy.spec, word);
    stated = stated || option.lost_points;
  }
  if (!options.empty() && !stated) copy.most_lost_points = study.spec.promise.most_lost_points;
  return copy;
}

/// What is stated, or what is published of the design, whichever is more.
std::optional<double> lost_points(const PlanIdea& idea, const Summary& run) {
  const std::optional<double> published = FigureValues(run).of("lost_points");
  if (!idea.lost_points || !published) return idea.lost_points ? idea.lost_points : published;
  return std::max(*idea.lost_points, *published);
}

PlanIdea named(const Study& study, const Together& options) {
  PlanIdea idea{.name = options.empty() ? "as it is" : ""};
  for (const std::size_t i : options) {
    const IdeaSpec& option = study.spec.options[i];
    idea.name += (idea.name.empty() ? "" : " + ") + option.name;
    if (option.lost_points) idea.lost_points = idea.lost_points.value_or(0) + *option.lost_points;
    if (!option.rests_on.empty()) idea.rests_on += (idea.rests_on.empty() ? "" : "; ") + option.rests_on;
  }
  return idea;
}

bool loses_too_much(const Study& study, const PlanIdea& idea) {
  return study.spec.promise.most_lost_points && idea.lost_points.value_or(0) > *study.spec.promise.most_lost_points;
}

void size_idea(const Study& study, Evaluator& evaluator, PlanIdea& idea) {
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator);
  if (found.best.empty() || !found.designs[found.best.front()].best_estimate) {
    idea.says = "no design of the space keeps the promise";
    if (study.most_lost_points)
      idea.says += fmt::format(" and loses no more than {} points", human::number(*study.most_lost_points));
    return;
  }
  const DesignResult& best = found.designs[found.best.front()];
  idea.lost_points = lost_points(idea, *best.best_estimate);
  if (loses_too_much(study, idea)) {
    idea.says = too_lossy;
    return;
  }
  idea.design = best.sized.design.index;
  idea.settings = {words(study, best.sized.design)};
  idea.machines = best.sized.machines.words();
  idea.usd_per_month = hour_cost(study, best.sized, *best.best_estimate).usd() * hours_per_month;
  Runs runs(sizer, evaluator);
  if (const auto range = cost_range(study, runs, found)) {
    idea.usd_per_month_low = std::min(*idea.usd_per_month, range->low_usd_per_hour * hours_per_month);
    idea.usd_per_month_high = std::max(*idea.usd_per_month, range->high_usd_per_hour * hours_per_month);
  }
}

/// What options cannot be set together, or not on this scenario, is no mistake of the study: it is an answer.
PlanIdea sized_idea(const Study& study, Evaluator& evaluator, const Together& options) {
  PlanIdea idea = named(study, options);
  if (loses_too_much(study, idea)) {
    idea.says = too_lossy;
    return idea;
  }
  try {
    size_idea(study_with(study, options), evaluator, idea);
  } catch (const UserError& error) {
    if (options.size() < 2) throw;
    idea.says = std::string("cannot be had together: ") + error.what();
  }
  return idea;
}

/// Against the study as it is, and against the sum of what each saves alone.
void add_savings(std::vector<PlanIdea>& ideas, const std::vector<Together>& options) {
  const std::optional<double> base = ideas.front().usd_per_month;
  for (std::size_t i = 1; i < ideas.size(); ++i) {
    if (!base || !ideas[i].usd_per_month) continue;
    ideas[i].saved_usd_per_month = *base - *ideas[i].usd_per_month;
    if (options[i].size() < 2) continue;
    double sum = 0;
    bool all = true;
    for (const std::size_t option : options[i]) {
      const auto& alone = ideas[1 + option].saved_usd_per_month;
      all = all && alone;
      sum += alone.value_or(0);
    }
    if (all) ideas[i].sum_usd_per_month = sum;
  }
}

}  // namespace

std::vector<PlanIdea> ranked_ideas(const Study& study, Evaluator& evaluator) {
  std::vector<PlanIdea> ideas;
  if (study.spec.options.empty()) return ideas;
  const std::vector<Together> options = combinations(study);
  for (const Together& together : options) ideas.push_back(sized_idea(study, evaluator, together));
  add_savings(ideas, options);
  std::ranges::stable_sort(
      ideas, {}, [](const PlanIdea& idea) { return std::pair(!idea.usd_per_month, idea.usd_per_month.value_or(0)); });
  return ideas;
}

void simulate_ideas(const Study& study, Evaluator& evaluator, const Shard& share) {
  if (study.spec.options.empty()) return;
  for (const Together& options : combinations(study)) {
    if (options.empty() || loses_too_much(study, named(study, options))) continue;
    try {
      const Study with = study_with(study, options);
      Sizer sizer(with);
      search(with, sizer, evaluator, share);
    } catch (const UserError&) {
      if (options.size() < 2) throw;  // such two cannot be had together: the whole study says so
    }
  }
}

}  // namespace servecast
