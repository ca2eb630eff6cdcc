#include "sim/report/figures/replicates.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "models/base/quantile.h"
#include "sim/report/fields/json_fields.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

ordered_json figures_of(Summary summary) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  summary.fields(writer);
  return json;
}

Summary from_figures(const ordered_json& json, const std::string& file) {
  Summary summary;
  JsonReader reader(json, file);
  summary.fields(reader);
  reader.throw_problems();
  return summary;
}

using Several = std::vector<const ordered_json*>;

ordered_json number_quantile(const ordered_json& best, const Several& replicates, double q) {
  std::vector<ordered_json> values;
  for (const ordered_json* replicate : replicates)
    if (replicate->is_number()) values.push_back(*replicate);
  if (values.empty()) return best;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(nearest_rank(q, static_cast<std::int64_t>(values.size()))) - 1];
}

/// What lies at `key`, a name or a position, in those that have it.
template <class Key>
Several at(const Several& replicates, const Key& key) {
  Several out;
  for (const ordered_json* replicate : replicates) {
    if constexpr (std::is_same_v<Key, std::string>) {
      if (replicate->contains(key)) out.push_back(&(*replicate)[key]);
    } else {
      if (key < replicate->size()) out.push_back(&(*replicate)[key]);
    }
  }
  return out;
}

/// `best` with every number in it replaced by its q-quantile.
ordered_json quantile(const ordered_json& best, const Several& replicates, double q) {
  if (best.is_number()) return number_quantile(best, replicates, q);
  ordered_json out = best;
  if (best.is_object())
    for (const auto& [key, value] : best.items()) out[key] = quantile(value, at(replicates, std::string(key)), q);
  if (best.is_array())
    for (std::size_t i = 0; i < best.size(); ++i) out[i] = quantile(best[i], at(replicates, i), q);
  return out;
}

}  // namespace

double wider_by(const Summary& best) {
  constexpr double near_saturation = 2;
  constexpr double saturated = 3;
  return best.saturated ? saturated : best.near_saturation ? near_saturation : 1;
}

Interval interval_of(const Summary& best, std::span<const Summary> replicates) {
  assert(!replicates.empty());
  std::vector<ordered_json> texts;
  for (const Summary& replicate : replicates) texts.push_back(figures_of(replicate));
  Several all;
  for (const ordered_json& text : texts) all.push_back(&text);
  const ordered_json figures = figures_of(best);
  return {.replicates = static_cast<std::int64_t>(replicates.size()),
          .p05 = from_figures(quantile(figures, all, 0.05), ""),
          .p95 = from_figures(quantile(figures, all, 0.95), "")};
}

std::string to_json(const Summary& best, const Interval& interval) {
  ordered_json json = ordered_json::parse(to_json(best));
  json["replicates"] = interval.replicates;
  for (const auto& [key, bound] : {std::pair{"p05", &interval.p05}, std::pair{"p95", &interval.p95}}) {
    json[key] = figures_of(*bound);
    round_numbers(json[key]);
  }
  return text_of(json);
}

std::optional<Interval> read_interval(const std::string& file) {
  const ordered_json json = load_json(file);
  if (!json.contains("replicates")) return std::nullopt;
  for (const char* key : {"p05", "p95"})
    if (!json.contains(key)) throw UserError({file}, std::string("'") + key + "' is missing; it should be an object");
  return Interval{.replicates = json["replicates"].get<std::int64_t>(),
                  .p05 = from_figures(json["p05"], file),
                  .p95 = from_figures(json["p95"], file)};
}

}  // namespace servecast
