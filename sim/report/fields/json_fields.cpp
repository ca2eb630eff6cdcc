#include "sim/report/fields/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/base/escaped.h"
#include "models/base/input_file.h"

namespace servecast {

using Json = nlohmann::ordered_json;

void JsonWriter::enter(const About& about) {
  put(about, Json::object());
  levels_.push_back(&(*levels_.back())[std::string(about.key)]);
}

bool JsonWriter::enter_optional(const About& about, bool present) {
  present ? enter(about) : put(about, nullptr);
  return present;
}

std::size_t JsonWriter::enter_list(const About& about, std::size_t size) {
  if (size == 0 && !about.required) {
    levels_.push_back(&left_out_);
    return 0;
  }
  put(about, Json::array_t(size, Json::object()));
  levels_.push_back(&(*levels_.back())[std::string(about.key)]);
  return size;
}

void JsonWriter::enter_item(std::size_t index) { levels_.push_back(&(*levels_.back())[index]); }

std::vector<std::string> JsonWriter::enter_named(const About& about, std::vector<std::string> names) {
  if (names.empty())
    levels_.push_back(&left_out_);
  else
    enter(about);
  return names;
}

JsonReader::JsonReader(const Json& object, std::string file) : file_(std::move(file)), levels_{{&object, ""}} {
  if (!object.is_object()) problems_.push_back({{file_}, "", "not a JSON object"});
}

std::string JsonReader::path_of(std::string_view key) const {
  const std::string& above = levels_.back().path;
  return above.empty() ? std::string(key) : above + "." + std::string(key);
}

const Json* JsonReader::find(const About& about, IsType is_type, const char* type) {
  const Json* above = levels_.back().json;
  if (!above || !above->is_object()) return nullptr;  // said so already
  const auto found = above->find(std::string(about.key));
  if (found != above->end() && (*found.*is_type)()) return &*found;
  const std::string path = path_of(about.key);
  problems_.push_back(
      {{file_},
       path,
       fmt::format("'{}' {}{}", path, found == above->end() ? "is missing; it should be " : "should be ", type)});
  return nullptr;
}

bool JsonReader::is_null(const About& about) const {
  const Json* above = levels_.back().json;
  if (!above || !above->is_object()) return true;
  const auto found = above->find(std::string(about.key));
  return found != above->end() && found->is_null();
}

template <class T>
void JsonReader::read(const About& about, T& value, IsType is_type, const char* type) {
  if (const Json* json = find(about, is_type, type)) value = json->get<T>();
}

template <class T>
void JsonReader::read_list(const About& about, std::vector<T>& value, IsType is_type, const char* type) {
  const Json* json = find(about, &Json::is_array, type);
  if (!json) return;
  if (std::ranges::all_of(*json, [&](const Json& item) { return (item.*is_type)(); }))
    value = json->get<std::vector<T>>();
  else
    problems_.push_back({{file_}, path_of(about.key), fmt::format("'{}' should be {}", path_of(about.key), type)});
}

void JsonReader::visit(const About& about, double& value) { read(about, value, &Json::is_number, "a number"); }
void JsonReader::visit(const About& about, std::int64_t& value) {
  read(about, value, &Json::is_number_integer, "a whole number");
}
void JsonReader::visit(const About& about, bool& value) { read(about, value, &Json::is_boolean, "true or false"); }
void JsonReader::visit(const About& about, std::string& value) { read(about, value, &Json::is_string, "a text"); }
void JsonReader::visit(const About& about, std::optional<double>& value) {
  value.reset();
  if (!is_null(about)) visit(about, value.emplace());
}
void JsonReader::visit(const About& about, std::optional<std::int64_t>& value) {
  value.reset();
  if (!is_null(about)) visit(about, value.emplace());
}
void JsonReader::visit(const About& about, std::vector<double>& value) {
  read_list(about, value, &Json::is_number, "a list of numbers");
}
void JsonReader::visit(const About& about, std::vector<std::string>& value) {
  read_list(about, value, &Json::is_string, "a list of texts");
}

void JsonReader::enter(const About& about) {
  const Json* json = find(about, &Json::is_object, "an object");
  levels_.push_back({json, path_of(about.key)});
}

bool JsonReader::enter_optional(const About& about, bool /*present*/) {
  if (is_null(about)) return false;
  enter(about);
  return true;
}

std::size_t JsonReader::enter_list(const About& about, std::size_t /*size*/) {
  const Json* above = levels_.back().json;
  const bool left_out = !about.required && above && above->is_object() && !above->contains(std::string(about.key));
  const Json* json = left_out ? nullptr : find(about, &Json::is_array, "a list");
  levels_.push_back({json, path_of(about.key)});
  return json ? json->size() : 0;
}

void JsonReader::enter_item(std::size_t index) {
  const Level& list = levels_.back();
  const Json* item = &(*list.json)[index];
  const std::string path = list.path + "[" + std::to_string(index) + "]";
  if (!item->is_object()) problems_.push_back({{file_}, path, "'" + path + "' should be an object"});
  levels_.push_back({item, path});
}

std::vector<std::string> JsonReader::enter_named(const About& about, std::vector<std::string> /*names*/) {
  const Json* above = levels_.back().json;
  const bool left_out = above && above->is_object() && !above->contains(std::string(about.key));
  const Json* json = left_out ? nullptr : find(about, &Json::is_object, "an object");
  levels_.push_back({json, path_of(about.key)});
  std::vector<std::string> names;
  if (json)
    for (const auto& [name, value] : json->items()) names.push_back(name);
  return names;
}

void JsonReader::throw_problems() const {
  if (!problems_.empty()) throw UserError(problems_);
}

void round_numbers(Json& json) {
  if (json.is_structured()) {
    for (Json& item : json) round_numbers(item);
  } else if (json.is_number_float()) {
    const std::string text = fmt::format("{:.9g}", json.get<double>());  // unlike printf, blind to the locale
    double rounded = 0;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    json = rounded;
  }
}

std::string text_of(const Json& json) {
  return visible_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

Json load_json(const std::string& file) { return parse_json(read_whole(file, report_mib), file); }

Json parse_json(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::size_t at = std::min(text.size(), e.byte == 0 ? 0 : e.byte - 1);
    const auto begin = text.begin();
    const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t line_end = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t column = line_end == std::string::npos ? at + 1 : at - line_end;
    throw UserError({file, static_cast<int>(line), static_cast<int>(column)}, "not JSON from here on (cut short?)");
  }
}

}  // namespace servecast
