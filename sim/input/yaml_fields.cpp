#include "sim/input/yaml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "models/base/names.h"
#include "sim/input/files_read.h"
#include "sim/input/settings_path.h"
#include "sim/input/utf8.h"

namespace servecast {
namespace {

Place place_of(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {.file = file};
  return {.file = file, .line = mark.line + 1, .column = mark.column + 1};
}

std::string range_text(const Range& r) {
  if (r.max == std::numeric_limits<double>::infinity())
    return fmt::format("{} {}", r.above_min ? "above" : "at least", r.min);
  return fmt::format("{} {} and at most {}", r.above_min ? "above" : "at least", r.min, r.max);
}

template <class T>
std::string kind_of() {
  if constexpr (std::is_same_v<T, double>) return "a number";
  if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "a list of numbers";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "a list of texts";
  return "";
}

std::string shown(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsScalar()) return "'" + node.Scalar() + "'";
  return node.IsMap() ? "a map" : "a list";
}

/// The message for a value outside its range or choices; empty where it is fine.
std::string out_of_range(const About& about, double value) {
  const Range& r = about.range;
  if (!std::isnan(value) && (r.above_min ? value > r.min : value >= r.min) && value <= r.max && std::isfinite(value))
    return "";
  return fmt::format("'{}' must be {}, not {}", about.key, range_text(r), value);
}
std::string out_of_range(const About& about, std::int64_t value) {
  return out_of_range(about, static_cast<double>(value));
}
std::string out_of_range(const About& about, const std::vector<double>& values) {
  for (double v : values)
    if (std::string wrong = out_of_range(about, v); !wrong.empty()) return wrong;
  return "";
}
std::string out_of_range(const About& about, const std::string& value) {
  if (!is_utf8(value)) return fmt::format("'{}' is not UTF-8 text", about.key);
  if (about.choices.empty() || std::ranges::find(about.choices, value) != about.choices.end()) return "";
  const std::string_view kind = about.key == "policy" ? about.help : about.key;  // "unknown router ..."
  return unknown_name(kind, value, about.choices);
}
std::string out_of_range(const About&, bool) { return ""; }
std::string out_of_range(const About&, const std::vector<std::string>&) { return ""; }

}  // namespace

std::string YamlText::file_of(const std::string& name) {
  return std::filesystem::exists(name) ? name : name.substr(0, name.rfind('#'));
}

YamlText YamlText::load(const std::string& name) {
  const std::string file = file_of(name);
  YamlText text{.file = file, .root = {}, .overrides = {}};
  try {
    if (std::filesystem::is_directory(file)) throw UserError(Place{.file = file}, "is a folder, not a file");
    text.root = YAML::LoadFile(file);
    FilesRead::note(name);
  } catch (const YAML::BadFile&) {
    throw UserError(Place{.file = file}, "cannot be read; give the path of an existing file");
  } catch (const YAML::ParserException& e) {
    throw UserError(place_of(file, e.mark), "is not valid YAML: " + e.msg);
  }
  if (text.root.IsMap() && file != name) text.root.reset(text.root[name.substr(file.size() + 1)]);
  if (!text.root.IsMap()) throw UserError(Place{.file = name, .line = 1, .column = 1}, "must be a map of settings");
  return text;
}

std::string YamlText::text() const {
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

/// A number or a name, which is what it says: parsing it would take most of the time of setting it.
static bool is_plain_word(const std::string& value) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  std::string lower;
  for (const char c : value) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return !value.empty() && std::ranges::all_of(value, plain) && lower != "null";
}

void YamlText::set(const std::string& path, const std::string& value, std::string given) {
  if (given.empty()) given = "--set " + path + "=" + value;
  const std::vector<PathStep> steps = split_path(path);
  YAML::Node node = root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (node.IsDefined() && !node.IsNull() && !node.IsMap())
      throw UserError(given + ": '" + steps[i].key + "' cannot be set, what stands above it is no map");
    node.reset(node[steps[i].key]);
    if (steps[i].item) {
      if (!node.IsSequence() || *steps[i].item >= node.size())
        throw UserError(fmt::format("{}: '{}' has {} entries, there is no [{}]", given, steps[i].key,
                                    node.IsSequence() ? node.size() : 0, *steps[i].item));
      node.reset(node[*steps[i].item]);
    }
  }
  try {
    node = is_plain_word(value) ? YAML::Node(value) : YAML::Load(value);
  } catch (const YAML::ParserException& e) {
    throw UserError(given + ": is not valid YAML: " + e.msg);
  }
  overrides[path] = given;
}

Place YamlText::place(const std::string& path) const {
  for (std::string at = path; !at.empty();) {
    if (const auto set = overrides.find(at); set != overrides.end()) return {.file = set->second};
    if (const auto found = places.find(at); found != places.end()) return found->second;
    const std::size_t cut = at.find_last_of(".[");
    at.resize(cut == std::string::npos ? 0 : cut);
  }
  return {.file = file};
}

void YamlText::fail(const std::string& path, const std::string& message) {
  problems.push_back({place(path), path, message});
}

void YamlText::throw_problems() const {
  if (!problems.empty()) throw UserError(problems);
}

YamlFields::YamlFields(YamlText& text) : text_(text) { push_map(text.root, ""); }

void YamlFields::push_map(const YAML::Node& node, std::string path) {
  YAML::Node map = node;
  const bool broken = map.IsDefined() && !map.IsNull() && !map.IsMap();
  if (broken) {
    text_.fail(path, "'" + path + "' must be a map of settings, not " + shown(map));
    map = YAML::Node();
  }
  if (map.IsMap()) check_keys(map, path);
  const bool inside_broken = !levels_.empty() && levels_.back().broken;
  levels_.push_back({.node = map, .path = std::move(path), .broken = broken || inside_broken});
}

void YamlFields::check_keys(const YAML::Node& map, const std::string& path) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const Place place = place_of(text_.file, entry.first.Mark());
    if (!entry.first.IsScalar())
      text_.problems.push_back({place, path, "a key must be a text, not " + shown(entry.first)});
    else if (!seen.insert(entry.first.Scalar()).second)
      text_.problems.push_back({place, path, "'" + entry.first.Scalar() + "' is given twice"});
  }
}

std::string YamlFields::path_of(std::string_view key) const {
  const std::string& above = levels_.back().path;
  return above.empty() ? std::string(key) : above + "." + std::string(key);
}

/// Undefined where the key is absent. yaml-cpp's own look-up copies every key that it compares, several times slower.
static YAML::Node value_of(const YAML::Node& map, std::string_view key) {
  if (map.IsMap())
    for (const auto& entry : map)
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  return YAML::Node(YAML::NodeType::Undefined);
}

YAML::Node YamlFields::find(const About& about) {
  Level& level = levels_.back();
  level.known.emplace(about.key);
  const YAML::Node node = value_of(level.node, about.key);
  if (node.IsDefined()) {
    text_.places[path_of(about.key)] = place_of(text_.file, node.Mark());
    return node;
  }
  if (about.required && !level.broken)
    text_.fail(path_of(about.key), fmt::format("'{}' is missing: {}", path_of(about.key), about.help));
  return node;
}

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

/// Of a list, yaml-cpp throws for a wrong entry instead of answering false.
template <class T>
bool decode(const YAML::Node& node, T& value) {
  try {
    return YAML::convert<T>::decode(node, value);
  } catch (const YAML::BadConversion&) {
    return false;
  }
}

template <class T>
void YamlFields::read(const About& about, T& value) {
  using Value = typename Plain<T>::type;
  const YAML::Node node = find(about);
  if (!node.IsDefined()) return;  // keep the default
  Value read{};
  if (!decode(node, read)) {
    text_.fail(path_of(about.key), fmt::format("'{}' must be {}, not {}", about.key, kind_of<Value>(), shown(node)));
    return;
  }
  if (const std::string wrong = out_of_range(about, read); !wrong.empty())
    text_.fail(path_of(about.key), wrong);
  else
    value = read;
}

void YamlFields::enter(const About& about) {
  const YAML::Node node = find(about);
  push_map(node.IsDefined() ? node : YAML::Node(), path_of(about.key));
}

bool YamlFields::enter_optional(const About& about, bool) {
  const YAML::Node node = find(about);
  if (!node.IsDefined()) return false;
  push_map(node, path_of(about.key));
  return true;
}

std::size_t YamlFields::enter_list(const About& about, std::size_t size) {
  const YAML::Node node = find(about);
  const std::string path = path_of(about.key);
  const bool given = node.IsDefined() && node.IsSequence();
  if (node.IsDefined() && !given)
    text_.fail(path, fmt::format("'{}' must be a list, not {}", about.key, shown(node)));
  if (given && node.size() == 0 && about.required) text_.fail(path, fmt::format("'{}' is empty", about.key));
  levels_.push_back(
      {.node = given ? node : YAML::Node(), .path = path, .list = true, .broken = levels_.back().broken});
  return given ? node.size() : size;
}

void YamlFields::enter_item(std::size_t i) {
  const Level& list = levels_.back();
  const std::string path = fmt::format("{}[{}]", list.path, i);
  const YAML::Node node = list.node.IsSequence() ? YAML::Node(list.node[i]) : YAML::Node();
  if (node.IsDefined() && !node.IsNull()) text_.places[path] = place_of(text_.file, node.Mark());
  push_map(node, path);
}

void YamlFields::leave() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.list || !level.node.IsMap()) return;
  const std::vector<std::string> known(level.known.begin(), level.known.end());
  for (const auto& entry : level.node) {
    const std::string& key = entry.first.Scalar();
    if (!entry.first.IsScalar() || level.known.contains(key)) continue;
    const std::string path = level.path.empty() ? key : level.path + "." + key;
    if (!text_.overrides.contains(path)) text_.places[path] = place_of(text_.file, entry.first.Mark());
    text_.fail(path, unknown_name("key", key, known));
  }
}

}  // namespace servecast
