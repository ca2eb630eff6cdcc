#include "sim/cli/listing/schema_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/base/names.h"
#include "sim/input/yaml/schema.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t text_width = 96;

ordered_json to_json(const Setting& s) {
  ordered_json json{{"path", s.path}, {"type", word_of(s.type)}, {"required", s.required}};
  if (s.optional) json["optional"] = true;
  if (!s.policy.empty()) json["only_with"] = {{"path", s.choice}, {"value", s.policy}};
  if (!s.unit.empty()) json["unit"] = s.unit;
  if (!s.value.is_null()) json["default"] = s.value;
  if (s.numeric()) {
    json["min"] = s.range.min;
    json["above_min"] = s.range.above_min;
    if (std::isfinite(s.range.max)) json["max"] = s.range.max;
  }
  if (!s.choices.empty()) json["choices"] = s.choices;
  for (const Alternative& a : s.alternatives) json["alternatives"].push_back({{"name", a.name}, {"help", a.help}});
  json["help"] = s.help;
  return json;
}

/// "2048", "least_loaded", "required", or nothing.
std::string default_words(const Setting& s) {
  if (s.required) return "required";
  if (s.value.is_null()) return "";
  if (s.value.is_string()) return s.value.get<std::string>();
  if (s.value.is_number_float()) return fmt::format("{}", s.value.get<double>());
  return s.value.dump();
}

std::string allowed_words(const Setting& s) { return s.choices.empty() ? range_words(s) : join(s.choices); }

std::string type_words(const Setting& s) {
  return std::string(word_of(s.type)) + (s.unit.empty() ? "" : ", " + s.unit);
}

/// A table cell must not hold the sign that ends it.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

/// With a capital letter at its start.
std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

constexpr std::string_view table_head = "\n| key | type | default | allowed | what it is |\n|---|---|---|---|---|\n";

std::string table_row(const Setting& s) {
  const std::string set = s.required ? "*required*" : code(default_words(s));
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", s.key(), cell(type_words(s)), set, cell(allowed_words(s)),
                     cell(s.help));
}

/// The rows of one map that belong to `policy`, or to all policies where that is empty.
std::string table(std::span<const Setting> settings, const std::string& map, const std::string& policy) {
  std::string rows;
  for (const Setting& s : settings)
    if (s.map() == map && s.policy == policy) rows += table_row(s);
  return rows.empty() ? "" : std::string(table_head) + rows;
}

std::string policy_sections(std::span<const Setting> settings, const std::string& map, const std::string& policy) {
  std::string text;
  for (const Setting& s : settings) {
    if (s.map() != map || s.policy != policy) continue;
    for (const Alternative& a : s.alternatives) {
      const std::string rows = table(settings, map, a.name);
      text += fmt::format("\n### `{}`: `policy: {}`\n\n{}.{}\n", map, a.name, sentence(a.help),
                          rows.empty() ? " It has no settings." : "");
      text += rows;
    }
  }
  return text;
}

/// Policies may have maps of one name, so a map of a policy says whose it is.
std::string heading(const Setting& s, const std::string& map) {
  if (s.policy.empty()) return code(map);
  return code(map) + " (" + code(s.choice + ": " + s.policy) + ")";
}

/// All that is said below a map, whatever the map is called. One that belongs to a policy is compared with namesakes
/// only: it is short, and is looked up where it stands.
std::string everything_below(std::span<const Setting> settings, const std::string& map, const std::string& policy) {
  std::string text = policy.empty() ? "" : map;
  std::string chosen;  // of choices inside the map: last, as the first of two namesakes tells it for both
  for (const Setting& s : settings) {
    if (!s.path.starts_with(map + ".")) continue;
    const std::string row = s.path.substr(map.size()) + table_row(s);
    if (s.policy == policy)
      text += row;
    else if (s.choice.starts_with(map + "."))
      chosen += s.policy + row;
  }
  return text + chosen;
}

/// The name that a heading gets as the target of links: letters, digits, '-' and '_'; '-' for a blank.
std::string anchor(const std::string& heading) {
  std::string name;
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ') name += c == ' ' ? '-' : c;
  return name;
}

}  // namespace

std::string range_words(const Setting& s) {
  if (!s.numeric()) return "";
  const std::string low = fmt::format("{} {}", s.range.above_min ? "above" : "at least", s.range.min);
  return std::isfinite(s.range.max) ? fmt::format("{}, at most {}", low, s.range.max) : low;
}

std::string schema_json(std::span<const Setting> settings) {
  ordered_json json = ordered_json::array();
  for (const Setting& s : settings) json.push_back(to_json(s));
  return json.dump(2) + "\n";
}

std::string schema_markdown(std::string_view head, std::span<const Setting> settings) {
  std::string text(head);
  text += "\n## The top of the file\n" + table(settings, "", "");
  std::map<std::string, std::string> described;  // everything below a map -> the first heading over it
  std::string same;                              // a map that was described under another name
  for (const Setting& s : settings) {
    const bool list = s.type == SettingType::list;
    const std::string map = s.path + (list ? "[]" : "");
    const bool below_same = !same.empty() && s.path.starts_with(same + ".");
    if ((!list && s.type != SettingType::map) || below_same) continue;
    const std::string title = heading(s, map);
    text += fmt::format("\n## {}\n\n{}{}.{}\n", title, list ? "Each entry of the list: " : "",
                        list ? s.help : sentence(s.help), s.optional ? " May be left out as a whole." : "");
    const auto [first, fresh] = described.emplace(everything_below(settings, map, s.policy), title);
    same = fresh ? "" : map;
    text += fresh ? table(settings, map, s.policy) + policy_sections(settings, map, s.policy)
                  : fmt::format("\nThe same keys as [{}](#{}).\n", first->second, anchor(first->second));
  }
  return text;
}

std::string schema_plain(std::span<const Setting> settings) {
  std::string text;
  for (const Setting& s : settings) {
    std::vector<std::string> facts{type_words(s)};
    if (!default_words(s).empty()) facts.push_back(s.required ? "required" : "default " + default_words(s));
    if (!allowed_words(s).empty()) facts.push_back((s.choices.empty() ? "" : "one of ") + allowed_words(s));
    if (!s.policy.empty()) facts.push_back("with policy: " + s.policy);
    text += s.path + "\n    " + wrapped(join(facts, "; "), text_width, 4) + "\n    " +
            wrapped(s.help, text_width, 4) + "\n";
  }
  return text;
}

}  // namespace servecast
