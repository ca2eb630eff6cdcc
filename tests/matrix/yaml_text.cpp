#include "tests/matrix/yaml_text.h"

#include <algorithm>
#include <cctype>

namespace servecast::matrix {
namespace {

constexpr std::size_t line_length = 110;

bool plain(const std::string& text) {
  constexpr const char* words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  if (std::ranges::find(words, text) != std::end(words)) return false;
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; });
}

std::string scalar(const Tree& value) {
  return value.is_string() && plain(value.get<std::string>()) ? value.get<std::string>() : value.dump();
}

std::string in_one_line(const Tree& value) {
  if (!value.is_structured()) return scalar(value);
  std::string text;
  for (const auto& [key, part] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += key + ": ";
    text += in_one_line(part);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void add(std::string& text, const Tree& value, std::size_t indent);

/// Behind "key:" or "-", which stand in the text already.
void add_value(std::string& text, const Tree& value, std::size_t indent, bool of_list) {
  const std::string line = in_one_line(value);
  const bool blocks = value.is_structured() && !value.empty();
  if (!blocks || indent + line.size() < line_length) {
    text += " " + line + "\n";
    return;
  }
  if (!of_list) {
    text += "\n";
    return add(text, value, indent);
  }
  std::string entry;  // the first key of an entry stands beside its "-"
  add(entry, value, indent);
  text += " " + entry.substr(indent);
}

void add(std::string& text, const Tree& value, std::size_t indent) {
  for (const auto& [key, part] : value.items()) {
    text += std::string(indent, ' ') + (value.is_object() ? key + ":" : "-");
    add_value(text, part, indent + 2, value.is_array());
  }
}

}  // namespace

std::string yaml_text(const Tree& scenario) {
  std::string text;
  add(text, scenario, 0);
  return text;
}

}  // namespace servecast::matrix
