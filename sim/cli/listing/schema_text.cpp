#include "sim/cli/listing/schema_text.h"

#include <fmt/format.h>

#include <cmath>
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

}  // namespace

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
