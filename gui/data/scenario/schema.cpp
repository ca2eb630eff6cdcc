#include "gui/data/scenario/schema.h"

#include <QRegularExpression>
#include <nlohmann/json.hpp>

#include "gui/data/words/quantity.h"
#include "models/base/error.h"
#include "sim/report/layout/human.h"

namespace servecast::gui {
namespace {

using nlohmann::ordered_json;

std::optional<double> number(const ordered_json& json, const char* key) {
  return json.contains(key) && json[key].is_number() ? std::optional(json[key].get<double>()) : std::nullopt;
}

SchemaEntry entry_of(const ordered_json& json) {
  SchemaEntry entry{.path = json.at("path"), .type = json.at("type")};
  entry.key = entry.path.substr(entry.path.rfind('.') + 1);
  entry.unit = json.value("unit", "");
  entry.help = json.value("help", "");
  if (json.contains("default")) entry.default_text = flow_yaml(json["default"]);
  entry.required = json.value("required", false);
  entry.optional = json.value("optional", false);
  entry.min = number(json, "min");
  entry.max = number(json, "max");
  entry.above_min = json.value("above_min", false);
  entry.choices = json.value("choices", std::vector<std::string>{});
  for (const auto& each : json.value("alternatives", ordered_json::array()))
    entry.alternatives.emplace_back(each.at("name"), each.value("help", ""));
  if (json.contains("only_with")) entry.only_with_value = json["only_with"].at("value");
  return entry;
}

/// "pools[].router.policy" -> "pools[].router"; "pools[].name" -> "pools[]"; "seed" -> "".
std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

}  // namespace

std::string SchemaEntry::range_text() const {
  const auto text = [](double value) { return human::number(value); };
  if (min && max) return text(*min) + " … " + text(*max);
  if (min && above_min) return "> " + text(*min);
  if (min) return "≥ " + text(*min);
  if (max) return "≤ " + text(*max);
  return "";
}

Schema::Schema(const std::string& text) {
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!json.is_array()) throw UserError("servecast schema gave no list");
  for (const auto& each : json) {
    SchemaEntry entry = entry_of(each);
    by_parent_[parent_of(entry.path)].push_back(std::move(entry));
  }
}

const std::vector<SchemaEntry>& Schema::children(const std::string& path) const {
  static const std::vector<SchemaEntry> none;
  const auto found = by_parent_.find(path);
  return found == by_parent_.end() ? none : found->second;
}

std::string quoted(const std::string& text) {
  static const QRegularExpression plain(R"(^[A-Za-z_/.][A-Za-z0-9_/.\- ]*$)");
  static const QRegularExpression word(R"(^(true|false|yes|no|on|off|null|~|\.inf|\.nan)$)",
                                       QRegularExpression::CaseInsensitiveOption);
  const QString whole = QString::fromStdString(text);
  const bool as_it_is = plain.match(whole).hasMatch() && !word.match(whole).hasMatch() && !whole.endsWith(' ');
  return as_it_is ? text : ordered_json(text).dump();
}

std::string flow_yaml(const ordered_json& value) {
  if (value.is_string()) return quoted(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, each] : value.items())
    text += (text.empty() ? "" : ", ") + (value.is_object() ? key + ": " : "") + flow_yaml(each);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace servecast::gui
