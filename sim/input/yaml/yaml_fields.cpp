#include "sim/input/yaml/yaml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "models/base/utf8.h"
#include "sim/input/files/files_read.h"
#include "sim/input/files/unsaved_text.h"
#include "sim/input/yaml/in_range.h"
#include "sim/input/yaml/money.h"
#include "sim/input/yaml/named_entries.h"
#include "sim/input/yaml/settings_path.h"
#include "sim/input/yaml/yaml_document.h"

namespace servecast {
namespace {

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
  if (in_range(about.range, value)) return "";
  return fmt::format("'{}' must be {}, not {}", about.key, range_text(about.range), value);
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
  return UnsavedText::of(name) || is_there(name) ? name : name.substr(0, name.rfind('#'));
}

std::string YamlText::read(const std::string& name) {
  const std::string file = file_of(name);
  const std::string* unsaved = UnsavedText::of(file);
  return unsaved ? *unsaved : read_whole(file, settings_mib);
}

YamlText YamlText::load(const std::string& name) { return parse(read(name), name); }

YamlText YamlText::parse(const std::string& yaml, const std::string& name) {
  const std::string file = file_of(name);
  YamlText text{.file = file, .root = yaml_document(yaml, file), .overrides = {}};
  FilesRead::note(name);
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

void YamlText::set(const std::string& named_path, const std::string& value, std::string given) {
  if (given.empty()) given = "--set " + named_path + "=" + value;
  const std::string path = with_numbers(root, named_path, given);
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
    node = is_plain_word(value) ? YAML::Node(value) : yaml_document(value, given);
  } catch (const UserError& e) {  // at a place in the value, which one sees
    throw UserError(given + ": " + e.problems().front().message);
  }
  overrides[path] = given;
}

/// What `map` holds for a setting or for the nearest one above it; its end where for none.
template <class Map>
static auto nearest(const Map& map, std::string path) {
  for (;;) {
    const auto found = map.find(path);
    if (found != map.end() || path.empty()) return found;
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
}

Place YamlText::place(const std::string& path) const {
  if (const auto set = nearest(overrides, path); set != overrides.end()) return {.file = set->second};
  if (const auto found = nearest(places, path); found != places.end()) return place_of(file, found->second);
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
  const bool broken = node.IsDefined() && !node.IsNull() && !node.IsMap();
  if (broken) text_.fail(path, "'" + path + "' must be a map of settings, not " + shown(node));
  Level level{.path = std::move(path), .broken = broken || (!levels_.empty() && levels_.back().broken)};
  if (node.IsMap()) level.entries = entries_of(node, level.path);
  levels_.push_back(std::move(level));
}

/// yaml-cpp makes nodes of all that it passes while it looks for a key: so each map is walked through once.
std::vector<YamlFields::Entry> YamlFields::entries_of(const YAML::Node& map, const std::string& path) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const YAML::Mark mark = entry.first.Mark();
    if (!entry.first.IsScalar()) {
      text_.problems.push_back({place_of(text_.file, mark), path, "a key must be a text, not " + shown(entry.first)});
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second)
      text_.problems.push_back({place_of(text_.file, mark), path, "'" + key + "' is given twice"});
    entries.push_back({.key = key, .value = entry.second, .mark = mark});
  }
  return entries;
}

std::string YamlFields::path_of(std::string_view key) const {
  const std::string& above = levels_.back().path;
  return above.empty() ? std::string(key) : above + "." + std::string(key);
}

const YAML::Node* YamlFields::find(const About& about) {
  Level& level = levels_.back();
  if (!level.entries.empty()) level.known.emplace_back(about.key);
  const YAML::Node* found = nullptr;
  for (Entry& entry : level.entries) {
    if (entry.key != about.key) continue;
    entry.asked = true;
    if (found == nullptr) found = &entry.value;
  }
  if (found != nullptr)
    text_.places[path_of(about.key)] = found->Mark();
  else if (about.required && !level.broken)
    text_.fail(path_of(about.key), fmt::format("'{}' is missing: {}", path_of(about.key), about.help));
  return found;
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
template <class Value>
bool YamlFields::decode(const YAML::Node& node, Value& value) {
  try {
    return YAML::convert<Value>::decode(node, value);
  } catch (const YAML::BadConversion&) {
    return false;
  }
}

/// An amount with its currency, where the setting is one of money.
static std::optional<Money> money_in(const About& about, const YAML::Node& node) {
  const bool of_money = about.key.find("usd") != std::string_view::npos && about.key != "per_usd";
  return of_money && node.IsScalar() ? read_money(node.Scalar()) : std::nullopt;
}

template <class T>
void YamlFields::take_money(const About& about, const Money& money, T& value) {
  const auto usd = in_usd(money, text_.root);
  if (!usd)
    return text_.fail(path_of(about.key),
                      fmt::format("'{0}' is in {1}, and nothing says what that is worth: give exchange_rates: "
                                  "{{{1}: dollars that one costs}} in the scenario, or a number of dollars; files of "
                                  "hardware have dollars",
                                  about.key, money.currency));
  if (const std::string wrong = out_of_range(about, *usd); !wrong.empty())
    text_.fail(path_of(about.key), wrong);
  else
    value = *usd;
}

template <class T>
void YamlFields::read(const About& about, T& value) {
  using Value = typename Plain<T>::type;
  const YAML::Node* node = find(about);
  if (node == nullptr) return;  // keep the default
  Value read{};
  if constexpr (std::is_same_v<Value, double>)
    if (const auto money = money_in(about, *node)) return take_money(about, *money, value);
  if (!decode(*node, read)) {
    text_.fail(path_of(about.key), fmt::format("'{}' must be {}, not {}", about.key, kind_of<Value>(), shown(*node)));
    return;
  }
  if (const std::string wrong = out_of_range(about, read); !wrong.empty())
    text_.fail(path_of(about.key), wrong);
  else
    value = read;
}

void YamlFields::enter(const About& about) {
  const YAML::Node* node = find(about);
  push_map(node != nullptr ? *node : YAML::Node(), path_of(about.key));
}

bool YamlFields::enter_optional(const About& about, bool) {
  const YAML::Node* node = find(about);
  if (node != nullptr) push_map(*node, path_of(about.key));
  return node != nullptr;
}

std::size_t YamlFields::enter_list(const About& about, std::size_t size) {
  const YAML::Node* node = find(about);
  const std::string path = path_of(about.key);
  const bool given = node != nullptr && node->IsSequence();
  if (node != nullptr && !given)
    text_.fail(path, fmt::format("'{}' must be a list, not {}", about.key, shown(*node)));
  if (given && node->size() == 0 && about.required) text_.fail(path, fmt::format("'{}' is empty", about.key));
  Level level{.path = path, .list = true, .broken = levels_.back().broken};
  if (given) level.items.reset(*node);
  levels_.push_back(std::move(level));
  return given ? levels_.back().items.size() : size;
}

void YamlFields::enter_item(std::size_t i) {
  const Level& list = levels_.back();
  const std::string path = fmt::format("{}[{}]", list.path, i);
  const YAML::Node node = list.items.IsSequence() ? YAML::Node(list.items[i]) : YAML::Node();
  if (node.IsDefined() && !node.IsNull()) text_.places[path] = node.Mark();
  push_map(node, path);
}

std::vector<std::string> YamlFields::enter_named(const About& about, std::vector<std::string> names) {
  enter(about);
  std::set<std::string> given;  // one that is given twice was found wrong already
  for (const Entry& entry : levels_.back().entries) given.insert(entry.key);
  return given.empty() ? names : std::vector<std::string>(given.begin(), given.end());
}

void YamlFields::leave() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  for (const Entry& entry : level.entries) {
    if (entry.asked) continue;
    const std::string path = level.path.empty() ? entry.key : level.path + "." + entry.key;
    if (!text_.overrides.contains(path)) text_.places[path] = entry.mark;
    std::vector<std::string> known = level.known;
    std::ranges::sort(known);
    text_.fail(path, unknown_name("key", entry.key, known));
  }
}

}  // namespace servecast
