#include "sim/plan/horizon/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "models/base/units.h"
#include "sim/plan/horizon/month_demand.h"
#include "sim/plan/horizon/month_machines.h"
#include "sim/plan/horizon/terms.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

/// One way through the months: on one kind of GPU throughout, or on whichever is cheapest in its month.
struct Way {
  std::vector<const MonthDesign*> months{};
  std::map<GpuNeed, TermPlan> terms{};
  double usd = 0;
};

std::vector<std::int64_t> needed(const std::vector<const MonthDesign*>& months, const GpuNeed& need) {
  std::vector<std::int64_t> all;
  for (const MonthDesign* month : months) {
    const auto found = month->gpus.find(need);
    all.push_back(found == month->gpus.end() ? 0 : found->second);
  }
  return all;
}

std::set<GpuNeed> needs_of(const std::vector<const MonthDesign*>& months) {
  std::set<GpuNeed> needs;
  for (const MonthDesign* month : months)
    for (const auto& [need, count] : month->gpus) needs.insert(need);
  return needs;
}

/// What no terms change.
double fixed_usd(const MonthDesign& month) { return month.beside_usd_per_month + month.by_the_hour_usd_per_month; }
double fixed_usd(const std::vector<const MonthDesign*>& months) {
  double usd = 0;
  for (const MonthDesign* month : months) usd += fixed_usd(*month);
  return usd;
}

/// Months of searches that are the same are made once.
class Months {
 public:
  Months(const Study& study, Evaluator& evaluator) : study_(study), evaluator_(evaluator) {}

  const MonthDesigns& of(const MonthDemand& month) {
    const auto known = std::ranges::find(demands_, month);
    if (known != demands_.end()) return *designs_[static_cast<std::size_t>(known - demands_.begin())];
    demands_.push_back(month);
    designs_.push_back(std::make_unique<MonthDesigns>(month_designs(study_of(study_, month), evaluator_)));
    return *designs_.back();
  }

 private:
  const Study& study_;
  Evaluator& evaluator_;
  std::vector<MonthDemand> demands_{};
  std::vector<std::unique_ptr<MonthDesigns>> designs_{};
};

class MonthSchedule {
 public:
  MonthSchedule(const Study& study, Evaluator& evaluator) : study_(study), months_(study, evaluator) {}

  /// The cheapest way; nothing where some month has no design that keeps its promises.
  std::optional<Way> cheapest(double growth_error) {
    std::vector<const MonthDesigns*> all;
    for (const MonthDemand& month : month_demands(*study_.spec.horizon, growth_error))
      all.push_back(&months_.of(month));
    std::optional<Way> best;
    for (std::size_t kind = 0; kind <= kinds(all).size(); ++kind) {
      std::optional<Way> way = kind == 0 ? way_of(all, "") : way_of(all, kinds(all)[kind - 1]);
      if (way && (!best || way->usd < best->usd)) best = std::move(way);
    }
    return best;
  }

  /// What the commitments of `way` make of other months.
  double following_usd(const Way& way, const Way& needs) const {
    std::set<GpuNeed> all = needs_of(way.months);
    all.merge(needs_of(needs.months));
    double usd = fixed_usd(needs.months);
    const TermPlan nothing{.held = std::vector<std::map<std::string, std::int64_t>>(needs.months.size())};
    for (const GpuNeed& need : all) {
      const auto made = way.terms.find(need);
      const TermPlan& plan = made == way.terms.end() ? nothing : made->second;
      usd += cost_of_following(plan, needed(needs.months, need), offers(need, way, needs));
      if (count_later()) usd += plan.later_usd;
    }
    return usd;
  }

 private:
  static std::vector<std::string> kinds(const std::vector<const MonthDesigns*>& all) {
    std::set<std::string> names;
    for (const MonthDesigns* month : all)
      for (const MonthDesign& design : month->best) names.insert(design.kinds);
    return {names.begin(), names.end()};
  }

  /// On this kind throughout; without one, the cheapest of every month.
  std::optional<Way> way_of(const std::vector<const MonthDesigns*>& all, const std::string& kind) const {
    Way way;
    for (const MonthDesigns* month : all) {
      const auto design =
          kind.empty() ? month->best.begin() : std::ranges::find(month->best, kind, &MonthDesign::kinds);
      if (design == month->best.end()) return std::nullopt;
      way.months.push_back(&*design);
    }
    way.usd = fixed_usd(way.months);
    for (const GpuNeed& need : needs_of(way.months)) {
      way.terms[need] = cheapest_terms(needed(way.months, need), offers(need, way, way), count_later());
      way.usd += way.terms[need].usd;
    }
    return way;
  }

  bool count_later() const { return study_.spec.horizon->commitments_counted == "whole"; }

  std::vector<TermOffer> offers(const GpuNeed& need, const Way& one, const Way& other) const {
    std::vector<const MonthDesign*> months = one.months;
    months.insert(months.end(), other.months.begin(), other.months.end());
    return term_offers(study_, need, months);
  }

  const Study& study_;
  Months months_;
};

std::string terms_text(const Way& way, std::size_t month) {
  std::string text;
  for (const auto& [need, plan] : way.terms)
    for (const auto& [term, count] : plan.held[month])
      text += fmt::format("{}{} x {} {}", text.empty() ? "" : ", ", count, need.gpu, term);
  if (const double usd = way.months[month]->by_the_hour_usd_per_month; usd > 0)
    text += fmt::format("{}replicas by the hour for {}", text.empty() ? "" : ", ", human::usd(usd));
  return text.empty() ? "none" : text;
}

double month_usd(const Study& study, const Way& way, std::size_t month) {
  double usd = fixed_usd(*way.months[month]);
  for (const auto& [need, plan] : way.terms)
    for (const auto& [term, count] : plan.held[month])
      for (const TermOffer& offer : term_offers(study, need, way.months))
        if (offer.term == term) usd += offer.usd_per_month * static_cast<double>(count);
  return usd;
}

/// The first month's design, held: the month in which it breaks a promise, and which.
std::string breaks_text(const Study& study, Evaluator& evaluator, const MonthDesign& first) {
  const std::vector<MonthDemand> months = month_demands(*study.spec.horizon, 0);
  for (std::size_t m = 1; m < months.size(); ++m) {
    const Study then = study_of(study, months[m]);
    Sizer sizer(then);
    Runs runs(sizer, evaluator);
    const SizedDesign sized = sizer.size(first.design);
    if (!sized.impossible.empty())
      return fmt::format("month {}: it cannot be built then: {}", m + 1, sized.impossible);
    const std::vector<DrawRequest> request{{&sized, 0}};
    const DrawOutcome outcome = runs.judge(request).front();
    if (!outcome.kept)
      return fmt::format("month {}: {}", m + 1, outcome.why.empty() ? "it serves no request" : outcome.why);
  }
  return "";
}

double later_usd(const Way& way) {
  double usd = 0;
  for (const auto& [need, plan] : way.terms) usd += plan.later_usd;
  return usd;
}

/// "Over 12 months $37,300 in all: from 3 H100 SXM 80GB on 1 node in month 1 to 5 H100 SXM 80GB on 1 node in
/// month 12."
std::string horizon_sentence(const PlanReport& report) {
  const PlanMonth& first = report.months.front();
  const PlanMonth& last = report.months.back();
  const std::string text = fmt::format("Over {} month{} {} in all", last.month, last.month == 1 ? "" : "s",
                                       human::usd(*report.horizon_usd));
  if (first.machines == last.machines) return fmt::format("{}: {} in the first and the last.", text, first.machines);
  return fmt::format("{}: from {} in month 1 to {} in month {}.", text, first.machines, last.machines, last.month);
}

WrongGrowth wrong_growth(MonthSchedule& schedule, const Way& way, double error) {
  WrongGrowth wrong{.growth_error_fraction = error};
  const std::optional<Way> known = schedule.cheapest(error);
  if (!known) {
    wrong.says = "some month has no design that keeps its promises";
    return wrong;
  }
  wrong.best_usd = known->usd;
  wrong.usd = std::max(known->usd, schedule.following_usd(way, *known));
  return wrong;
}

}  // namespace

void plan_horizon(const Study& study, Evaluator& evaluator, PlanReport& report) {
  if (!study.spec.horizon) return;
  MonthSchedule schedule(study, evaluator);
  const std::optional<Way> way = schedule.cheapest(0);
  if (!way) {
    report.horizon_says = "some month has no design that keeps its promises: give the space larger ones";
    return;
  }
  for (std::size_t m = 0; m < way->months.size(); ++m) {
    const MonthDesign& month = *way->months[m];
    report.months.push_back({.month = static_cast<std::int64_t>(m) + 1,
                             .requests_per_s = month.requests_per_s,
                             .settings = {month.words},
                             .machines = month.machines,
                             .terms = terms_text(*way, m),
                             .usd = month_usd(study, *way, m)});
  }
  report.horizon_usd = way->usd;
  report.later_usd = later_usd(*way);
  report.headline += (report.headline.empty() ? "" : " ") + horizon_sentence(report);
  report.first_design_breaks = breaks_text(study, evaluator, *way->months.front());
  const double error = study.spec.horizon->growth_error_fraction;
  if (error > 0)
    for (const double wrong : {-error, error}) report.wrong_growth.push_back(wrong_growth(schedule, *way, wrong));
}

void simulate_horizon(const Study& study, Evaluator& evaluator, const Shard& share) {
  if (!study.spec.horizon) return;
  const double error = study.spec.horizon->growth_error_fraction;
  std::vector<MonthDemand> done;
  for (const double wrong : {0.0, -error, error})
    for (const MonthDemand& month : month_demands(*study.spec.horizon, wrong)) {
      if (std::ranges::find(done, month) != done.end()) continue;
      done.push_back(month);
      const Study then = study_of(study, month);
      Sizer sizer(then);
      search(then, sizer, evaluator, share);
    }
}

}  // namespace servecast
