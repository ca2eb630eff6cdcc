#include "sim/plan/judge/sizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/names.h"
#include "sim/input/scenario/scenario.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

/// "pools[0].llm" says little of a design; the message does.
std::string first_of(const std::vector<Problem>& problems) {
  return problems.empty() ? "" : problems.front().message;
}

double fastest_fraction(const SizedScenario& sized) {
  double fastest = 1;
  for (const Pool& pool : sized.pools) fastest = std::min(fastest, pool.fastest_fraction);
  return fastest;
}

/// A promise to a class of requests that never comes would be kept by everybody.
void check_classes(const std::vector<Promise>& promises, const std::vector<std::string>& classes) {
  const std::vector<std::string> named(classes.begin() + 1, classes.end());  // the first is that of all others
  for (const Promise& promise : promises)
    if (!promise.request_class.empty() && std::ranges::find(named, promise.request_class) == named.end())
      throw UserError("objectives: " + unknown_name("class", promise.request_class, named));
}

/// Costs of a plan are those of machines rented all the time.
void check_autoscalers(const SizedScenario& sized) {
  for (const Pool& pool : sized.pools)
    if (pool.spec.scales())
      throw UserError(
          fmt::format("pool '{}' has autoscaler '{}', but a plan is for machines that are rented all the "
                      "time; leave it out, and compare autoscalers with `servecast sweep`",
                      pool.spec.name, pool.spec.autoscaler.policy()));
}

/// Nothing that arrives depends on these.
bool changes_machines(const std::string& path) {
  constexpr std::array maps{"pools", "cluster", "gpus", "nodes", "fabrics"};
  return std::ranges::any_of(maps, [&](const char* map) { return path.starts_with(map); });
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
  std::size_t next = 0;
  const std::vector<Override> all = settings(study_, design);
  for (; next < study_.spec.set.size(); ++next) set(all[next], "set " + all[next].path + "=" + all[next].value);
  for (std::size_t d = 0; d < design.chosen.size(); ++d) {
    if (!design.chosen[d]) continue;
    for (const Override& change : study_.dimensions[d].values[*design.chosen[d]].set)
      set(change, study_.dimensions[d].place + ": " + change.path + "=" + change.value);
  }
  return text;
}

SizedDesign Sizer::size(const Design& design) {
  YamlText text = text_of(design);
  const SizedScenario scenario = size_scenario(text, files_);
  check_autoscalers(scenario);
  SizedDesign sized{.design = design};
  for (const Override& change : settings(study_, design)) sized.set.push_back(change.path + "=" + change.value);
  for (std::string& word : faster(scenario.spec.workload, rate_factor(design))) sized.set.push_back(std::move(word));
  sized.impossible = first_of(scenario.impossible);
  if (!sized.impossible.empty()) return sized;
  sized.promises = promises_of(study_, scenario.spec.slo, needs_promise(study_));
  sized.machines = machines_of(scenario, study_.spec.availability);
  const auto price =
      usd_per_hour(sized.machines, study_.spec.prices, study_.spec.prices.term, sized.machines.least_w);
  if (!price)
    sized.over_budget = "has no price under term " + study_.spec.prices.term;
  else
    sized.over_budget = over_budget(sized.machines, study_.spec.budgets, *price).value_or("");
  sized.least_usd_per_hour = price.value_or(0);
  const WorkloadFacts& facts = workload(scenario.spec, design);
  check_classes(sized.promises, facts.classes);
  sized.best_case = best_cases_.of(scenario, sized.promises, facts);
  return sized;
}

/// Which requests arrive depends on these settings and on nothing else of a design.
const WorkloadFacts& Sizer::workload(const ScenarioSpec& spec, const Design& design) {
  std::string key = fmt::format("{} {}", spec.seed, rate_factor(design));
  for (const PoolSpec& pool : spec.pools) key += " " + pool.name;
  for (const Override& change : settings(study_, design))
    if (!changes_machines(change.path)) key += " " + change.path + "=" + change.value;
  std::unique_ptr<WorkloadFacts>& known = workloads_[key];
  if (!known) known = std::make_unique<WorkloadFacts>(read_workload(spec, study_.scenario_file, rate_factor(design)));
  return *known;
}

std::int64_t Sizer::seed(const SizedDesign& sized, std::int64_t draw) { return spec_of(sized).seed + draw; }

ScenarioSpec Sizer::spec_of(const SizedDesign& sized) {
  YamlText text = text_of(sized.design);
  return size_scenario(text, files_).spec;
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
  ScenarioSpec spec = spec_of(sized);
  spec.seed = seed;
  return workload(spec, sized.design);
}

bool Sizer::broken_at_best(const SizedDesign& sized, std::int64_t draw) {
  if (sized.best_case.overload <= 1) return false;
  YamlText text = text_of(sized.design);
  text.set("seed", std::to_string(seed(sized, draw)));
  text.set("calibration_draw", std::to_string(draw));
  const SizedScenario scenario = size_scenario(text, files_);
  const BestCase best = best_cases_.of(scenario, sized.promises, workload(scenario.spec, sized.design));
  return best.overload * fastest_fraction(scenario) > 1;
}

}  // namespace servecast
