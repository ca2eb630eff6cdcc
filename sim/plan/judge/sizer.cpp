#include "sim/plan/judge/sizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/base/names.h"
#include "sim/input/resolve/pool_error.h"
#include "sim/plan/judge/error_bars.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

/// "pools[0].llm" says little of a design; the message does.
std::string first_of(const std::vector<Problem>& problems) {
  return problems.empty() ? "" : problems.front().message;
}

/// A promise to a class of requests that never comes would be kept by every design.
void check_classes(const std::vector<Promise>& promises, const std::vector<std::string>& classes,
                   const std::string& place) {
  const std::vector<std::string> named(classes.begin() + 1, classes.end());  // the first is that of all others
  for (const Promise& promise : promises)
    if (!promise.request_class.empty() && std::ranges::find(named, promise.request_class) == named.end())
      throw UserError(place + ": " + unknown_name("class", promise.request_class, named));
}

std::string kinds_of(const ScenarioSpec& spec) {
  std::set<std::string> kinds;
  for (const PoolSpec& pool : spec.pools) kinds.insert(pool.gpu);
  std::string names;
  for (const std::string& kind : kinds) names += (names.empty() ? "" : " + ") + kind;
  return names;
}

std::string text_of(const FailureRateSpec& rate) {
  std::string text = fmt::format("{{part: {}, mttr_s: {}", rate.part, rate.mttr_s);
  if (rate.mtbf_s) text += fmt::format(", mtbf_s: {}", *rate.mtbf_s);
  if (rate.notice_s) text += fmt::format(", notice_s: {}", *rate.notice_s);
  return text + "}";
}

/// Spot machines are called back: a node that breaks, with notice, beside what the scenario has break.
std::vector<Override> call_backs(const SpotSpec& spot, const std::optional<FailureSpec>& failures) {
  const FailureSpec before = failures.value_or(FailureSpec{});
  std::string rates;
  for (const FailureRateSpec& rate : before.rates) rates += text_of(rate) + ", ";
  rates += text_of({.part = "node", .mtbf_s = spot.mtbf_s, .mttr_s = spot.mttr_s, .notice_s = spot.notice_s});
  return {{"failures.rates", "[" + rates + "]"}};
}

/// Nothing that arrives depends on these.
bool changes_machines(const std::string& path) {
  constexpr std::array maps{"pools", "cluster", "gpus", "nodes", "fabrics", "failures"};
  return std::ranges::any_of(maps, [&](const char* map) { return path.starts_with(map); });
}

bool measured_error_bars(const Study& study) { return study.spec.promise.error_bars == "measured"; }

/// Kernels of another kind of GPU, scaled; a GPU whose roofline is scaled may have a profile of its own.
bool kernels_are_derived(const Pool& pool) {
  const bool own_profile = pool.sized_by && pool.sized_by->measured.gpu == pool.gpu.name;
  return pool.gpu.derived() && !own_profile;
}

bool needs_promise(const Study& study) { return !study.spec.goal.starts_with("pareto"); }

}  // namespace

Sizer::Sizer(const Study& study) : study_(study), base_(YamlText::load(study.scenario_file)) {}

const std::string& Sizer::scenario_file() const { return study_.scenario_file; }

double Sizer::rate_factor(const Design& design) const { return study_.peak_rate_factor() * design.rate_factor; }

YamlText Sizer::text_of(const Design& design) const {
  YamlText text = base_.clone();
  const auto set = [&](const Override& change, const std::string& given) {
    try {
      text.set(change.path, change.value, given);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{} (of design {})", error.what(), words(study_, design)));
    }
  };
  for (const Override& change : settings_of_all(study_)) set(change, "set " + change.path + "=" + change.value);
  for (std::size_t d = 0; d < design.chosen.size(); ++d) {
    if (!design.chosen[d]) continue;
    for (const Override& change : study_.dimensions[d].values[*design.chosen[d]].set)
      if (!is_of_study(change)) set(change, study_.dimensions[d].place + ": " + change.path + "=" + change.value);
  }
  return text;
}

/// What the term does to the machines while they serve.
std::vector<Override> Sizer::term_settings(const Design& design, const ScenarioSpec& spec) const {
  const std::optional<SpotSpec>& spot = study_.spec.prices.spot;
  if (!spot || term_of(study_, design) != "spot" || spec.pools.empty()) return {};
  return call_backs(*spot, spec.failures);
}

SizedDesign Sizer::size(const Design& design) {
  const SizedScenario& scenario = this->scenario(design);
  SizedDesign sized{.design = design, .kinds = kinds_of(scenario.spec), .term = term_of(study_, design)};
  for (const Override& change : settings(study_, design)) sized.set.push_back(change.path + "=" + change.value);
  for (const Override& change : term_settings(design, scenario.spec))
    sized.set.push_back(change.path + "=" + change.value);
  for (std::string& word : faster(scenario.spec.workload, rate_factor(design))) sized.set.push_back(std::move(word));
  sized.impossible = first_of(scenario.impossible);
  if (!sized.impossible.empty()) return sized;
  sized.derived = std::ranges::any_of(scenario.pools, kernels_are_derived);
  sized.promises = promises_of(study_, scenario.spec.slo, needs_promise(study_));
  sized.machines = machines_of(scenario, study_.spec.availability);
  if (const auto least = least_hour_cost(sized.machines, study_.spec.prices, sized.term)) {
    sized.least_usd_per_hour = least->usd();
    sized.over_budget = over_budget(sized.machines, study_.spec.budgets, least->usd()).value_or("");
  } else {
    sized.over_budget = "has no price under term " + sized.term;
  }
  const WorkloadFacts& facts = workload(scenario.spec, scenario.spec.seed, design);
  check_classes(sized.promises, facts.classes, study_.spec.objectives.empty() ? "slo.classes" : "objectives");
  sized.best_case = best_cases_.of(scenario, sized.promises, facts);
  return sized;
}

/// Which requests arrive depends on these settings and on nothing else of a design.
const WorkloadFacts& Sizer::workload(const ScenarioSpec& spec, std::int64_t seed, const Design& design) {
  std::string key = fmt::format("{} {}", seed, rate_factor(design));
  for (const PoolSpec& pool : spec.pools) key += " " + pool.name;
  for (const Override& change : settings(study_, design))
    if (!changes_machines(change.path)) key += " " + change.path + "=" + change.value;
  std::unique_ptr<WorkloadFacts>& known = workloads_[key];
  if (!known) {
    ScenarioSpec seeded = spec;
    seeded.seed = seed;
    known = std::make_unique<WorkloadFacts>(read_workload(seeded, study_.scenario_file, rate_factor(design)));
  }
  return *known;
}

std::int64_t Sizer::seed(const SizedDesign& sized, std::int64_t draw) { return spec_of(sized).seed + draw; }

const ScenarioSpec& Sizer::spec_of(const SizedDesign& sized) { return scenario(sized.design).spec; }

/// Draws of one design are asked for one after the other.
const SizedScenario& Sizer::scenario(const Design& design) {
  if (!latest_ || latest_->first != design) {
    YamlText text = text_of(design);
    latest_.emplace(design, size_scenario(text, files_));
  }
  return latest_->second;
}

bool Sizer::changes_workload(const SizedDesign& sized, const std::vector<std::string>& set) {
  YamlText text = text_of(sized.design);
  for (const std::string& change : set) {
    const std::size_t equals = change.find('=');
    text.set(change.substr(0, equals), change.substr(equals + 1));
  }
  const ScenarioSpec changed = size_scenario(text, files_).spec;
  return read_workload(changed, study_.scenario_file, rate_factor(sized.design)).requests !=
         workload(sized, changed.seed).requests;
}

const WorkloadFacts& Sizer::workload(const SizedDesign& sized, std::int64_t seed) {
  return workload(spec_of(sized), seed, sized.design);
}

/// Designs meet the same luck, so it is drawn once for all that are alike in what it depends on.
double Sizer::fastest_of(const Pool& pool, double spread, std::int64_t draw) {
  const std::optional<ProfileUse>& by = pool.sized_by;
  const DrawOf key(by ? &by->measured : nullptr, by ? by->from : nullptr, by ? by->to : nullptr, pool.spec.engine,
                   pool.spec.gpu, pool.llm.experts.has_value(), pool.layout, spread, draw);
  const auto [known, fresh] = fastest_.try_emplace(key);
  if (fresh) known->second = fastest_fraction(pool, spread, static_cast<std::uint64_t>(draw));
  return known->second;
}

bool Sizer::broken_at_best(const SizedDesign& sized, std::int64_t draw) {
  if (sized.best_case.overload <= 1) return false;
  const SizedScenario& scenario = this->scenario(sized.design);
  const WorkloadFacts& facts = workload(scenario.spec, scenario.spec.seed + draw, sized.design);
  const BestCase best = best_cases_.of(scenario, sized.promises, facts);
  double fastest = 1;
  for (const Pool& pool : scenario.pools)
    fastest = std::min(fastest, fastest_of(pool, scenario.spec.calibration_spread, draw));
  const double luck = measured_error_bars(study_) ? least_measured_factor(sized.promises, sized.derived, draw) : 1;
  return best.overload * fastest * luck > 1;
}

double Sizer::error_factor(const SizedDesign& sized, const Promise& promise, std::int64_t draw) const {
  return measured_error_bars(study_) ? measured_factor(promise, sized.derived, draw) : 1;
}

}  // namespace servecast
