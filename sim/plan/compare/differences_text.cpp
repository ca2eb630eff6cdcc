#include <algorithm>
#include <cmath>

#include "sim/plan/compare/differences.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

std::string signed_text(const Figure& figure, std::optional<double> value) {
  if (!value) return "-";
  return (*value < 0 ? "-" : "+") + figure.text(std::abs(*value));
}

std::string relative(const Difference& d) {
  if (!d.apart || *d.base == 0) return "-";
  return (*d.apart < 0 ? "-" : "+") + human::percent(std::abs(*d.apart / *d.base));
}

std::string range(const Difference& d) {
  if (!d.p05) return "-";
  return signed_text(d.figure, d.p05) + " to " + signed_text(d.figure, d.p95);
}

/// What the draws say of the sign of the difference.
std::string surety(const Difference& d) {
  if (!d.apart || !d.p05) return "";
  if (*d.apart == 0) return "the same";
  const std::string way = *d.apart < 0 ? "lower" : "higher";
  if (d.agreeing_fraction) return way + " in " + human::percent(*d.agreeing_fraction);
  return d.clear() ? way : "not clear";
}

std::string pair_text(std::span<const FigureColumn> figures, const Compared& base, const Compared& other) {
  TextTable rows(1);
  rows.row({"", base.name, other.name, "difference", "", "90 % of draws", ""});
  for (const Difference& d : differences(figures, base, other)) {
    const Figure& figure = d.figure;
    rows.row({figure.heading, figure.shown(d.base), figure.shown(d.other), signed_text(figure, d.apart), relative(d),
              range(d), surety(d)});
  }
  return rows.text(0, any_width);
}

ordered_json number(std::optional<double> value) { return value ? ordered_json(*value) : ordered_json(); }

ordered_json pair_json(std::span<const FigureColumn> figures, const Compared& base, const Compared& other) {
  ordered_json json{{"base", base.name}, {"other", other.name}, {"figures", ordered_json::object()}};
  for (const Difference& d : differences(figures, base, other))
    json["figures"][d.figure.name] = {
        {"base", number(d.base)}, {"other", number(d.other)}, {"difference", number(d.apart)},
        {"p05", number(d.p05)},   {"p95", number(d.p95)},     {"agreeing_fraction", number(d.agreeing_fraction)}};
  json["replicates"] = std::min(base.draws.size(), other.draws.size());
  return json;
}

}  // namespace

std::string differences_text(std::span<const FigureColumn> figures, const std::vector<Compared>& compared) {
  std::string text;
  for (std::size_t i = 1; i < compared.size(); ++i)
    text += (i > 1 ? "\n" : "") + pair_text(figures, compared.front(), compared[i]);
  return text;
}

ordered_json differences_json(std::span<const FigureColumn> figures, const std::vector<Compared>& compared) {
  ordered_json json{{"comparisons", ordered_json::array()}};
  for (std::size_t i = 1; i < compared.size(); ++i)
    json["comparisons"].push_back(pair_json(figures, compared.front(), compared[i]));
  round_numbers(json);
  return json;
}

}  // namespace servecast
