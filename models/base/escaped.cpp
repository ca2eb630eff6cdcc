#include "models/base/escaped.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "models/base/utf8.h"

namespace servecast {
namespace {

std::uint32_t code_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7fu >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

bool is_obeyed(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool separator = code == 0x2028 || code == 0x2029;
  const bool turns_direction =
      code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || separator || turns_direction;
}

std::string hex(std::uint32_t code, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[(code >> shift) & 0xf];
  return text;
}

/// "\x1b", "\u2028".
std::string escape(std::uint32_t code) { return code < 0x100 ? "\\x" + hex(code, 2) : "\\u" + hex(code, 4); }

/// The text with each character that `wants` something else in its place, as `instead` says; bytes that are no
/// character count as the character of that number.
template <class Wants, class Instead>
std::string replaced(std::string_view text, Wants wants, Instead instead) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, bytes));
    const std::uint32_t code = bytes == 0 ? static_cast<unsigned char>(text[0]) : code_of(character);
    if (bytes == 0 || wants(code))
      out += instead(code);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Behind any number of apostrophes, which are marks or part of the text.
bool begins_as_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string_view::npos && std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

bool wants_mark(std::string_view text) { return begins_as_formula(text) && !is_number(text); }

}  // namespace

std::string visible(std::string_view text) { return replaced(text, is_obeyed, escape); }

std::string comment_line(std::string_view text) { return "# " + visible(text) + "\n"; }

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=:,@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string yaml_text(std::string_view text) {
  const auto wants = [](std::uint32_t code) { return code == '"' || code == '\\' || is_obeyed(code); };
  const auto instead = [](std::uint32_t code) {
    return code == '"' || code == '\\' ? std::string("\\") + static_cast<char>(code) : escape(code);
  };
  return '"' + replaced(text, wants, instead) + '"';
}

std::string visible_json(std::string_view json) {
  // Below 0x20 only the layout's own line ends are left: JSON has no such characters inside texts.
  const auto wants = [](std::uint32_t code) { return code >= 0x20 && is_obeyed(code); };
  return replaced(json, wants, [](std::uint32_t code) { return "\\u" + hex(code, 4); });
}

bool is_plain_csv(std::string_view text) {
  return text.find_first_of(",\"\r\n") == std::string_view::npos && !wants_mark(text);
}

std::string csv_cell(std::string_view text) {
  const std::string marked = (wants_mark(text) ? "'" : "") + std::string(text);
  if (marked.find_first_of(",\"\r\n") == std::string::npos) return marked;
  std::string quoted = "\"";
  for (const char c : marked) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string_view csv_text(std::string_view cell) {
  if (cell.starts_with('\'') && begins_as_formula(cell)) cell.remove_prefix(1);
  return cell;
}

}  // namespace servecast
