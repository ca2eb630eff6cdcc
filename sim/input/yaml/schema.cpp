#include "sim/input/yaml/schema.h"

#include <algorithm>
#include <cassert>

#include "models/base/units.h"

namespace servecast {

using nlohmann::ordered_json;

bool Setting::numeric() const {
  return type == SettingType::number || type == SettingType::integer || type == SettingType::numbers;
}

std::string Setting::map() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string Setting::key() const { return path.substr(path.rfind('.') + 1); }

std::string_view word_of(SettingType type) {
  switch (type) {
    case SettingType::number:
      return "number";
    case SettingType::integer:
      return "integer";
    case SettingType::boolean:
      return "boolean";
    case SettingType::text:
      return "text";
    case SettingType::numbers:
      return "list of numbers";
    case SettingType::texts:
      return "list of texts";
    case SettingType::map:
      return "map";
    case SettingType::list:
      return "list of maps";
  }
  return "";
}

std::string SchemaFields::path_of(std::string_view key) const {
  return above_.back().empty() ? std::string(key) : above_.back() + "." + std::string(key);
}

void SchemaFields::add(const About& about, SettingType type, ordered_json value) {
  if (about.required || value == "") value = nullptr;  // an empty text means "not given"
  // A choice may stand in several alternatives of another: what depends only on the inner one is listed once.
  const auto same = [&](const Setting& s) {
    return s.path == path_of(about.key) && s.policy == variants_.back().policy;
  };
  if (variants_.size() > 2 && std::ranges::any_of(settings_, same)) return;
  settings_.push_back({.path = path_of(about.key),
                       .policy = variants_.back().policy,
                       .choice = variants_.back().choice,
                       .type = type,
                       .unit = std::string(unit_of(about.key)),
                       .help = std::string(about.help),
                       .value = std::move(value),
                       .range = about.range,
                       .choices = about.choices,
                       .alternatives = {},
                       .required = about.required,
                       .optional = false});
}

void SchemaFields::visit(const About& about, std::optional<double>& value) {
  add(about, SettingType::number, value ? ordered_json(*value) : ordered_json());
}

void SchemaFields::visit(const About& about, std::optional<std::int64_t>& value) {
  add(about, SettingType::integer, value ? ordered_json(*value) : ordered_json());
}

void SchemaFields::enter(const About& about) {
  add(about, SettingType::map, {});
  above_.push_back(path_of(about.key));
}

bool SchemaFields::enter_optional(const About& about, bool) {
  enter(about);
  settings_.back().optional = true;
  return true;
}

std::size_t SchemaFields::enter_list(const About& about, std::size_t) {
  add(about, SettingType::list, {});
  above_.push_back(path_of(about.key));
  return 1;  // one entry stands for all
}

std::vector<std::string> SchemaFields::enter_named(const About& about, std::vector<std::string>) {
  enter(about);
  return {std::string(any_name)};
}

void SchemaFields::enter_variant(std::string_view name, std::string_view help) {
  variants_.push_back({.policy = std::string(name), .choice = path_of("policy")});
  const auto choice = std::ranges::find(settings_, path_of("policy"), &Setting::path);
  assert(choice != settings_.end());
  if (std::ranges::find(choice->alternatives, name, &Alternative::name) != choice->alternatives.end()) return;
  choice->alternatives.push_back({.name = std::string(name), .help = std::string(help)});
}

}  // namespace servecast
