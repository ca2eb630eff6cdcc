#include "sim/plan/study/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "models/base/error.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

Expression::Values values_of(const Study& study, const Design& design) {
  return [&study, &design](const std::string& name) -> std::optional<ExpressionValue> {
    for (std::size_t d = 0; d < design.chosen.size(); ++d)
      if (study.dimensions[d].name == name && design.chosen[d])
        return value_of_text(study.dimensions[d].values[*design.chosen[d]].name);
    return std::nullopt;
  };
}

bool in_use(const Study& study, const Design& design, std::size_t dimension) {
  const auto& when = study.dimensions[dimension].when;
  return !when || when->holds(values_of(study, design)).value_or(false);
}

bool kept(const Expression& constraint, const Study& study, const Design& design) {
  return constraint.holds(values_of(study, design)).value_or(true);
}

bool keeps_constraints(const Study& study, const Design& design) {
  return std::ranges::all_of(study.constraints, [&](const Expression& c) { return kept(c, study, design); });
}

/// Calls `each` for every combination of values, in order.
void walk(const Study& study, Design& design, const std::function<void(const Design&)>& each) {
  const std::size_t dimension = design.chosen.size();
  if (dimension == study.dimensions.size()) return each(design);
  const bool used = in_use(study, design, dimension);
  const std::size_t count = used ? study.dimensions[dimension].values.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    design.chosen.push_back(used ? std::optional(i) : std::nullopt);
    walk(study, design, each);
    design.chosen.pop_back();
  }
}

std::vector<double> rate_factors(const Study& study) {
  return study.spec.rate_factors.empty() ? std::vector<double>{1} : study.spec.rate_factors;
}

[[noreturn]] void fail_empty(const Study& study, const std::vector<Design>& all) {
  std::string text = fmt::format("no design is left: of {} combinations", all.size());
  const char* before = " ";
  for (const Expression& constraint : study.constraints) {
    const auto left = std::ranges::count_if(all, [&](const Design& d) { return kept(constraint, study, d); });
    text += fmt::format("{}'{}' alone leaves {}", before, constraint.text(), left);
    before = ", ";
  }
  throw UserError(text + ", all constraints together leave none; loosen one or add values to the space");
}

}  // namespace

double space_size(const Study& study) {
  double size = static_cast<double>(rate_factors(study).size());
  for (const Dimension& d : study.dimensions) size *= static_cast<double>(d.values.size());
  return size;
}

std::vector<Design> enumerate(const Study& study) {
  std::vector<Design> all;
  Design start;
  walk(study, start, [&](const Design& design) { all.push_back(design); });
  std::vector<Design> left;
  for (const Design& design : all) {
    if (!keeps_constraints(study, design)) continue;
    for (const double factor : rate_factors(study)) {
      left.push_back(design);
      left.back().rate_factor = factor;
      left.back().index = static_cast<std::int64_t>(left.size()) - 1;
    }
  }
  if (left.empty()) fail_empty(study, all);
  return left;
}

std::optional<Design> design_of(const Study& study, const std::vector<std::size_t>& values, double rate_factor) {
  Design design;
  for (std::size_t d = 0; d < study.dimensions.size(); ++d)
    design.chosen.push_back(in_use(study, design, d) ? std::optional(values[d]) : std::nullopt);
  design.rate_factor = rate_factor;
  if (!keeps_constraints(study, design)) return std::nullopt;
  return design;
}

std::string words(const Study& study, const Design& design) {
  std::string text;
  for (std::size_t d = 0; d < design.chosen.size(); ++d)
    if (design.chosen[d])
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", study.dimensions[d].name, value_name(study, design, d));
  if (!study.spec.rate_factors.empty()) text += fmt::format(" rate_factor={}", design.rate_factor);
  return text;
}

std::string value_name(const Study& study, const Design& design, std::size_t dimension) {
  const auto& chosen = design.chosen[dimension];
  return chosen ? study.dimensions[dimension].values[*chosen].name : "";
}

bool is_of_study(const Override& change) { return change.path == "prices.term"; }

std::string term_of(const Study& study, const Design& design) {
  std::string term = study.spec.prices.term;
  for (std::size_t d = 0; d < design.chosen.size(); ++d) {
    if (!design.chosen[d]) continue;
    for (const Override& change : study.dimensions[d].values[*design.chosen[d]].set)
      if (is_of_study(change)) term = change.value;
  }
  return term;
}

std::vector<Override> settings_of_all(const Study& study) {
  std::vector<Override> all;
  for (const std::string& word : study.spec.set) {
    const std::size_t equals = word.find('=');
    all.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return all;
}

std::vector<Override> settings(const Study& study, const Design& design) {
  std::vector<Override> all = settings_of_all(study);
  for (std::size_t d = 0; d < design.chosen.size(); ++d) {
    if (!design.chosen[d]) continue;
    const DimensionValue& value = study.dimensions[d].values[*design.chosen[d]];
    std::ranges::copy_if(value.set, std::back_inserter(all),
                         [](const Override& change) { return !is_of_study(change); });
  }
  return all;
}

}  // namespace servecast
