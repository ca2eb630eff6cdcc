#include "sim/plan/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/input/plugins/named_plugins.h"
#include "sim/input/yaml/try_at.h"
#include "sim/plan/study/objective.h"
#include "sim/plan/study/space.h"
#include "sim/report/figures/figures.h"

namespace servecast {
namespace {

constexpr std::size_t hours = 24;
constexpr std::array known_percentiles{50, 90, 95, 99, 100};

std::string place_text(const Place& place) { return to_string(Problem{.place = place, .path = "", .message = ""}); }

/// "file:line:column", without the ": " that a message would follow.
std::string label(const YamlText& text, const std::string& path) {
  const std::string all = place_text(text.place(path));
  return all.substr(0, all.size() - 2);
}

std::optional<Override> split(YamlText& text, const std::string& path, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos && equals > 0) return Override{word.substr(0, equals), word.substr(equals + 1)};
  text.fail(path, "'" + word + "' sets nothing; write path=value, e.g. pools[0].replicas=8");
  return std::nullopt;
}

void check_scenario(YamlText& text, Study& study) {
  if (study.spec.scenario.empty() == !study.spec.base.has_value())
    return text.fail("scenario",
                     "give either 'scenario', the file of the base scenario, or 'base', the scenario itself");
  if (study.spec.base) {
    study.scenario_file = text.file + "#base";
    return;
  }
  const auto beside = std::filesystem::path(text.file).parent_path() / study.spec.scenario;
  study.scenario_file = beside.string();
  if (!is_there(beside)) text.fail("scenario", "'" + study.scenario_file + "' is no file");
}

void check_demand(YamlText& text, const DemandSpec& demand) {
  if (!demand.hourly.empty() && demand.peak_factor)
    text.fail("demand.hourly", "'hourly' and 'peak_factor' both say how high the peak is; leave one out");
  if (!demand.hourly.empty() && demand.hourly.size() != hours)
    text.fail("demand.hourly", fmt::format("'hourly' has {} rates; a day has {}", demand.hourly.size(), hours));
  if (!demand.hourly.empty() && std::ranges::max(demand.hourly) <= 0)
    text.fail("demand.hourly", "'hourly' has no hour in which anything arrives");
}

/// A figure of a report has one bound, and is of the whole run.
void check_figure(YamlText& text, const ObjectiveSpec& o, const std::string& path) {
  try_at(text, path + ".metric", [&] { figure(o.metric); });
  if (o.at_most.has_value() == o.at_least.has_value() || o.percentile || !o.request_class.empty())
    text.fail(path, "'" + o.metric + "' takes 'at_most' or 'at_least', and neither 'percentile' nor 'class'");
}

void check_objective(YamlText& text, const ObjectiveSpec& o, const std::string& path) {
  const Promise promise{.metric = o.metric};
  if (promise.is_figure()) return check_figure(text, o, path);
  if (promise.is_share() && (!o.at_least || *o.at_least <= 0 || *o.at_least > 1 || o.percentile || o.at_most))
    text.fail(path,
              "attained_fraction takes 'at_least', above 0 and at most 1, and neither 'percentile' nor 'at_most'");
  if (promise.is_latency() && (!o.at_most || *o.at_most <= 0 || !o.percentile || o.at_least))
    text.fail(path, "'" + o.metric + "' takes 'percentile' and 'at_most', above 0");
  if (o.percentile && std::ranges::find(known_percentiles, *o.percentile) == known_percentiles.end())
    text.fail(path + ".percentile", "'percentile' must be 50, 90, 95, 99 or 100");
}

constexpr std::array price_term_words{"on_demand", "reserved", "spot", "owned"};

void check_term(YamlText& text, const PriceSpec& prices, const std::string& term, const std::string& path) {
  if (std::ranges::find(price_term_words, term) == price_term_words.end())
    text.fail(path, "'" + term + "' is no term: on_demand, reserved, spot, owned");
  if (term == "owned" && !prices.owned)
    text.fail(path, "'owned' needs the group 'owned': lifetime, electricity and the rest of the server");
}

/// The study's own term, and those of designs.
void check_prices(YamlText& text, const Study& study) {
  check_term(text, study.spec.prices, study.spec.prices.term, "prices.term");
  for (std::size_t d = 0; d < study.dimensions.size(); ++d)
    for (const DimensionValue& value : study.dimensions[d].values)
      for (const Override& change : value.set)
        if (is_of_study(change)) check_term(text, study.spec.prices, change.value, fmt::format("space[{}]", d));
}

std::vector<DimensionValue> range_values(const DimensionSpec& d) {
  std::vector<DimensionValue> values;
  for (std::int64_t v = *d.from; v <= *d.to; v += d.step)
    values.push_back({std::to_string(v), {{d.path, std::to_string(v)}}});
  return values;
}

std::vector<DimensionValue> option_values(YamlText& text, const DimensionSpec& d, const std::string& path) {
  std::vector<DimensionValue> values;
  for (std::size_t i = 0; i < d.options.size(); ++i) {
    DimensionValue value{.name = d.options[i].name, .set = {}};
    for (const std::string& word : d.options[i].set)
      if (const auto change = split(text, fmt::format("{}.options[{}]", path, i), word)) value.set.push_back(*change);
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<DimensionValue> values_of(YamlText& text, const DimensionSpec& d, const std::string& path) {
  const bool range = d.from || d.to;
  const int ways =
      static_cast<int>(!d.values.empty()) + static_cast<int>(range) + static_cast<int>(!d.options.empty());
  if (ways != 1) {
    text.fail(path, "'" + d.name + "' takes one of: 'path' with 'values'; 'path' with 'from' and 'to'; 'options'");
    return {};
  }
  if (!d.options.empty()) return option_values(text, d, path);
  if (d.path.empty()) text.fail(path, "'" + d.name + "' lacks 'path', the setting that takes these values");
  if (range && (!d.from || !d.to || *d.from > *d.to)) {
    text.fail(path, "'" + d.name + "' has no values: give 'from' and a 'to' that is not below it");
    return {};
  }
  if (range) return range_values(d);
  std::vector<DimensionValue> values;
  for (const std::string& v : d.values) values.push_back({v, {{d.path, v}}});
  return values;
}

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::ranges::all_of(name, letter);
}

std::optional<Expression> parsed(YamlText& text, const std::string& path, const std::string& words,
                                 const std::vector<Dimension>& known) {
  std::optional<Expression> expression;
  try_at(text, path, [&] {
    expression.emplace(words);
    std::vector<std::string> names;
    for (const Dimension& d : known) names.push_back(d.name);
    for (const std::string& name : expression->names())
      if (std::ranges::find(names, name) == names.end()) throw UserError(unknown_name("dimension", name, names));
  });
  return expression;
}

void read_space(YamlText& text, Study& study) {
  for (std::size_t i = 0; i < study.spec.space.size(); ++i) {
    const DimensionSpec& d = study.spec.space[i];
    const std::string path = fmt::format("space[{}]", i);
    if (!is_name(d.name)) text.fail(path + ".name", "'" + d.name + "' is no name: letters, digits and _ only");
    for (const Dimension& other : study.dimensions)
      if (other.name == d.name) text.fail(path + ".name", "'" + d.name + "' is the name of another dimension");
    Dimension made{.name = d.name, .values = values_of(text, d, path), .when = {}, .place = label(text, path)};
    if (!d.when.empty()) made.when = parsed(text, path + ".when", d.when, study.dimensions);
    study.dimensions.push_back(std::move(made));
  }
  for (const std::string& words : study.spec.constraints)
    if (auto expression = parsed(text, "constraints", words, study.dimensions))
      study.constraints.push_back(std::move(*expression));
}

void check_goal(YamlText& text, const StudySpec& spec) {
  if (spec.goal == "most_goodput" && spec.rate_factors.empty())
    text.fail("goal", "most_goodput needs 'rate_factors', the demands to try");
  if (spec.goal != "most_goodput" && !spec.rate_factors.empty())
    text.fail("rate_factors", "'rate_factors' would be ignored: only goal most_goodput tries them");
}

bool binds(const std::string& term) { return term == "reserved" || term == "owned"; }

bool has_price(const PriceSpec& prices, const std::string& term) {
  return std::ranges::any_of(prices.gpus, [&](const GpuPriceSpec& gpu) {
    return term == "owned" ? prices.owned && gpu.purchase_usd : gpu.reserved_usd_per_gpu_hour.has_value();
  });
}

void check_horizon(YamlText& text, const StudySpec& spec) {
  if (!spec.horizon) return;
  const HorizonSpec& h = *spec.horizon;
  if (spec.goal != "least_cost") text.fail("horizon", "a horizon is planned for goal least_cost only");
  if (!h.rate_factors.empty() && h.growth_fraction_per_month != 0)
    text.fail("horizon.rate_factors", "'rate_factors' and 'growth_fraction_per_month' both say how demand grows");
  if (!h.rate_factors.empty() && static_cast<std::int64_t>(h.rate_factors.size()) != h.months)
    text.fail("horizon.rate_factors",
              fmt::format("'rate_factors' has {} months of {}", h.rate_factors.size(), h.months));
  for (std::size_t i = 0; i < h.commitments.size(); ++i)
    if (!has_price(spec.prices, h.commitments[i].term))
      text.fail(fmt::format("horizon.commitments[{}].term", i),
                fmt::format("'{}' has no price: {}", h.commitments[i].term,
                            h.commitments[i].term == "owned" ? "give prices.owned, and purchase_usd of prices.gpus"
                                                             : "give reserved_usd_per_gpu_hour of prices.gpus"));
  if (binds(spec.prices.term) &&
      std::ranges::find(h.commitments, spec.prices.term, &CommitmentSpec::term) == h.commitments.end())
    text.fail("horizon.commitments",
              fmt::format("prices.term is '{}', which binds: say for how many months", spec.prices.term));
  for (std::size_t i = 0; i < h.periods.size(); ++i)
    for (const std::string& word : h.periods[i].set) split(text, fmt::format("horizon.periods[{}].set", i), word);
}

void check_options(YamlText& text, const StudySpec& spec) {
  if (!spec.options.empty() && spec.goal != "least_cost")
    text.fail("options", "options are ranked by cost: goal least_cost");
  if (spec.promise.most_lost_points && spec.options.empty())
    text.fail(
        "promise.most_lost_points",
        "would be ignored: it bounds 'options'; for all designs give objectives {metric: lost_points, at_most: ...}");
  for (std::size_t i = 0; i < spec.options.size(); ++i)
    for (const std::string& word : spec.options[i].set) {
      const std::string path = fmt::format("options[{}].set", i);
      const auto change = split(text, path, word);
      if (change && is_of_study(*change)) check_term(text, spec.prices, change->value, path);
    }
}

}  // namespace

double Study::peak_rate_factor() const {
  const DemandSpec& d = spec.demand;
  if (d.hourly.empty()) return d.growth_factor * d.peak_factor.value_or(1);
  const double sum = std::accumulate(d.hourly.begin(), d.hourly.end(), 0.0);
  return d.growth_factor * std::ranges::max(d.hourly) * static_cast<double>(hours) / sum;
}

bool is_study(const std::string& file) {
  const YamlText text = YamlText::load(file);
  return text.root["space"] || text.root["base"] || text.root["scenario"];
}

Study load_study(const std::string& file) {
  YamlText text = YamlText::load(file);
  load_named_plugins(text, "base");
  Study study;
  YamlFields fields(text);
  study.spec.fields(fields);
  fields.finish();
  text.throw_problems();
  check_scenario(text, study);
  check_demand(text, study.spec.demand);
  for (std::size_t i = 0; i < study.spec.objectives.size(); ++i)
    check_objective(text, study.spec.objectives[i], fmt::format("objectives[{}]", i));
  for (const std::string& word : study.spec.set) split(text, "set", word);
  read_space(text, study);
  check_prices(text, study);
  check_goal(text, study.spec);
  check_horizon(text, study.spec);
  check_options(text, study.spec);
  text.throw_problems();
  return study;
}

}  // namespace servecast
