// filter_rows(): what people type above the table of requests.
#include <QRegularExpression>
#include <algorithm>
#include <functional>
#include <map>

#include "gui/data/tables/request_fields.h"
#include "models/base/error.h"

namespace servecast::gui {
namespace {

struct Term {
  std::string key{};
  std::string comparison{};
  std::string value{};
};

std::vector<Term> terms_of(const std::string& text) {
  static const QRegularExpression term(
      R"(\G[\s,;&]*(?:([A-Za-z_0-9]+)\s*(<=|>=|!=|<|>|==?)\s*("[^"]*"|[^\s,;&]+)|(\d+)(?=[\s,;&]|$)))");
  const QString all = QString::fromStdString(text).trimmed();
  std::vector<Term> terms;
  qsizetype at = 0;
  while (at < all.size()) {
    const QRegularExpressionMatch match = term.match(all, at);
    if (!match.hasMatch())
      throw UserError("'" + all.mid(at).trimmed().toStdString() + "' is no condition; write e.g. ttft_s > 0.5");
    if (match.hasCaptured(4))
      terms.push_back({"request_id", "=", match.captured(4).toStdString()});
    else
      terms.push_back({match.captured(1).toStdString(), match.captured(2).toStdString(),
                       match.captured(3).remove('"').toStdString()});
    at = match.capturedEnd();
  }
  return terms;
}

/// "0.5", "500ms", "3k".
double number_of(const std::string& text) {
  static const QRegularExpression shape(R"(^([-+0-9.eE]+?)(ns|us|µs|ms|s|min|h|k|M)?$)");
  static const std::map<QString, double> units{{"", 1},  {"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3},
                                               {"s", 1}, {"min", 60},  {"h", 3600},  {"k", 1e3},   {"M", 1e6}};
  const QRegularExpressionMatch match = shape.match(QString::fromStdString(text));
  bool is_number = false;
  const double value = match.captured(1).toDouble(&is_number);
  if (!is_number) throw UserError("'" + text + "' is no number");
  return value * units.at(match.captured(2));
}

using Compare = std::function<bool(double, double)>;
const std::map<std::string, Compare>& comparisons() {
  static const std::map<std::string, Compare> all{{"=", std::equal_to<>()},
                                                  {"==", std::equal_to<>()},
                                                  {"<", std::less<>()},
                                                  {"<=", std::less_equal<>()},
                                                  {">", std::greater<>()},
                                                  {">=", std::greater_equal<>()},
                                                  {"!=", [](double a, double b) { return a != b; }}};
  return all;
}

void apply(const Term& term, const RequestField& field, std::vector<std::uint8_t>& mask) {
  if (field.words == nullptr) {
    const Compare& holds = comparisons().at(term.comparison);
    const double value = number_of(term.value);
    for (std::size_t i = 0; i < mask.size(); ++i)
      mask[i] &= static_cast<std::uint8_t>(holds((*field.numbers)[i], value));
    return;
  }
  if (term.comparison != "=" && term.comparison != "==" && term.comparison != "!=")
    throw UserError("'" + term.key + "' is a text; compare it with = or !=");
  const auto found = std::ranges::find(field.words->names, term.value);
  const auto code = static_cast<std::uint32_t>(found - field.words->names.begin());
  const bool wanted = term.comparison != "!=";
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] &= static_cast<std::uint8_t>((field.words->code[i] == code) == wanted);
}

}  // namespace

std::vector<std::uint8_t> filter_rows(const std::string& text, const std::vector<RequestField>& fields,
                                      std::size_t rows) {
  std::vector<std::uint8_t> mask(rows, 1);
  for (const Term& term : terms_of(text)) {
    const auto field = std::ranges::find(fields, term.key, &RequestField::key);
    if (field == fields.end()) {
      std::string known;
      for (const RequestField& each : fields) known += (known.empty() ? "" : ", ") + std::string(each.key);
      throw UserError("there is no column '" + term.key + "'; there are " + known);
    }
    apply(term, *field, mask);
  }
  return mask;
}

}  // namespace servecast::gui
