#include "sim/input/yaml/plain_fields.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/input/yaml/in_range.h"

namespace servecast {
namespace {

bool is_plain(char c) { return c >= ' ' && c <= '~'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What stands between double quotes, without escapes.
std::optional<std::string_view> text_in(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  value = value.substr(1, value.size() - 2);
  if (value.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
  return value;
}

template <class Number>
std::optional<Number> number_in(std::string_view value) {
  Number number{};
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || read.ec != std::errc{} || read.ptr != value.data() + value.size()) return std::nullopt;
  return number;
}

/// Infinity and what is no number have other letters.
std::optional<double> real_in(std::string_view value) {
  if (value.find_first_not_of("0123456789.e+-") != std::string_view::npos) return std::nullopt;
  return number_in<double>(value);
}

/// To YAML, one that begins with 0 counts in eights.
std::optional<std::int64_t> whole_in(std::string_view value) {
  if (value != "0" && (value.empty() || value.front() == '0')) return std::nullopt;
  return std::ranges::all_of(value, is_digit) ? number_in<std::int64_t>(value) : std::nullopt;
}

std::optional<std::vector<double>> reals_in(std::string_view value) {
  if (value.size() < 2 || value.front() != '[' || value.back() != ']') return std::nullopt;
  value = value.substr(1, value.size() - 2);
  std::vector<double> reals;
  for (;;) {
    const std::size_t comma = value.find(", ");
    const std::optional<double> real = real_in(value.substr(0, comma));
    if (!real) return std::nullopt;
    reals.push_back(*real);
    if (comma == std::string_view::npos) return reals;
    value.remove_prefix(comma + 2);
  }
}

}  // namespace

PlainFields::PlainFields(std::string_view text) {
  while (understood_ && !text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  levels_.push_back(0);
}

void PlainFields::add(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || line[indent] == '#') return;
  if (!std::ranges::all_of(line, is_plain)) return void(wrong());
  std::string_view rest = line.substr(indent);
  const bool item = rest.starts_with("- ");
  if (item) rest.remove_prefix(2);
  if (item && rest.starts_with('"')) return lines_.push_back({.indent = indent, .item = true, .value = rest});
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return void(wrong());
  Line read{.indent = indent + (item ? 2 : 0), .item = item, .key = rest.substr(0, colon)};
  if (read.key.empty() || !std::ranges::all_of(read.key, is_name)) return void(wrong());
  if (colon + 1 < rest.size()) {
    if (rest[colon + 1] != ' ') return void(wrong());
    read.value = rest.substr(colon + 2);
  }
  lines_.push_back(read);
}

/// Null where it is left out, or not understood.
const PlainFields::Line* PlainFields::find(const About& about) {
  if (understood_ && at_ < lines_.size()) {
    const Line& line = lines_[at_];
    if (line.indent == levels_.back() && !line.item && line.key == about.key) return &lines_[at_++];
  }
  if (about.required) wrong();
  return nullptr;
}

void PlainFields::leave_to_yaml(const About& about) {
  if (find(about)) wrong();
}

void PlainFields::visit(const About& about, double& value) {
  const Line* line = find(about);
  if (!line) return;
  const auto real = real_in(line->value);
  real&& in_range(about.range, *real) ? void(value = *real) : void(wrong());
}

void PlainFields::visit(const About& about, std::int64_t& value) {
  const Line* line = find(about);
  if (!line) return;
  const auto whole = whole_in(line->value);
  whole&& in_range(about.range, static_cast<double>(*whole)) ? void(value = *whole) : void(wrong());
}

void PlainFields::visit(const About& about, bool& value) {
  const Line* line = find(about);
  if (!line) return;
  if (line->value != "true" && line->value != "false") return void(wrong());
  value = line->value == "true";
}

void PlainFields::visit(const About& about, std::string& value) {
  const Line* line = find(about);
  if (!line) return;
  const auto text = text_in(line->value);
  const bool valid =
      text && (about.choices.empty() || std::ranges::find(about.choices, *text) != about.choices.end());
  valid ? void(value = *text) : void(wrong());
}

void PlainFields::visit(const About& about, std::vector<double>& value) {
  const Line* line = find(about);
  if (!line) return;
  auto reals = reals_in(line->value);
  if (!reals || !std::ranges::all_of(*reals, [&](double real) { return in_range(about.range, real); }))
    wrong();
  else
    value = *std::move(reals);
}

void PlainFields::visit(const About& about, std::vector<std::string>& value) {
  const Line* line = find(about);
  if (!line) return;
  if (!line->value.empty()) return void(wrong());
  value.clear();
  const std::size_t indent = at_ < lines_.size() ? lines_[at_].indent : 0;
  for (; at_ < lines_.size() && lines_[at_].key.empty(); ++at_) {
    const auto text = text_in(lines_[at_].value);
    if (!text || lines_[at_].indent != indent) return void(wrong());
    value.emplace_back(*text);
  }
  if (value.empty() || indent < levels_.back()) wrong();
}

void PlainFields::enter(const About& about) {
  const Line* line = find(about);
  if (line && (!line->value.empty() || !begins_deeper() || lines_[at_].item)) wrong();
  levels_.push_back(line && understood_ ? lines_[at_].indent : nowhere);
}

bool PlainFields::enter_optional(const About& about, bool) {
  leave_to_yaml(about);
  return false;
}

std::size_t PlainFields::enter_list(const About& about, std::size_t size) {
  const Line* line = find(about);
  if (line && (!line->value.empty() || !begins_deeper() || !lines_[at_].item || lines_[at_].key.empty())) wrong();
  levels_.push_back(line && understood_ ? lines_[at_].indent : nowhere);
  if (levels_.back() == nowhere) return size;
  std::size_t items = 0;
  for (std::size_t i = at_; i < lines_.size() && lines_[i].indent >= levels_.back(); ++i)
    items += lines_[i].item && lines_[i].indent == levels_.back() ? 1 : 0;
  return items;
}

void PlainFields::enter_item(std::size_t) {
  const std::size_t indent = levels_.back();
  const bool begins = at_ < lines_.size() && lines_[at_].indent == indent && lines_[at_].item;
  begins ? void(lines_[at_].item = false) : void(wrong());
  levels_.push_back(indent);
}

void PlainFields::leave() { levels_.pop_back(); }

}  // namespace servecast
