#include "sim/report/layout/text_layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "models/base/escaped.h"

namespace servecast {
namespace {

constexpr std::size_t gap = 2;               // between columns of a table
constexpr std::size_t narrowest_column = 6;  // no left column is cut further

struct Character {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// The character that a UTF-8 text begins with. Wide: Hangul, CJK and full-width forms (Unicode's East Asian Width).
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes > text.size()) return {};
  if (bytes < 3) return {bytes, 1};
  unsigned code = lead & (bytes == 3 ? 0x0fu : 0x07u);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  constexpr std::array<std::pair<unsigned, unsigned>, 6> wide{
      {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xff00, 0xff60}, {0x1f300, 0x3fffd}}};
  const bool is_wide =
      std::ranges::any_of(wide, [&](auto range) { return code >= range.first && code <= range.second; });
  return {bytes, is_wide ? std::size_t{2} : std::size_t{1}};
}

/// As much of the text as fits, with a mark where something is missing.
std::string cut(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 1;  // the mark
  while (true) {
    const Character c = first_character(text);
    if (used + c.columns > width) return out + "…";
    out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
    used += c.columns;
  }
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    total += c.columns;
    text.remove_prefix(c.bytes);
  }
  return total;
}

std::string wrapped(std::string_view given, std::size_t width, std::size_t indent) {
  const std::string shown = visible(given);
  const std::string_view text = shown;
  std::string out;
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t spaces = at;
    while (spaces < text.size() && text[spaces] == ' ') ++spaces;
    const std::size_t end = std::min(text.find(' ', spaces), text.size());
    const std::string_view word = text.substr(spaces, end - spaces);
    if (used > indent && used + (spaces - at) + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else {
      out += std::string(spaces - at, ' ');
      used += spaces - at;
    }
    out += word;
    used += columns(word);
    at = end;
  }
  return out;
}

std::string to_ascii(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> signs{
      {{"µ", "u"}, {"≤", "<="}, {"·", "|"}, {"…", "~"}}};
  for (const auto& [sign, ascii] : signs)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
      text.replace(at, sign.size(), ascii);
  return text;
}

void TextTable::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = visible(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths(std::size_t room) const {
  std::vector<std::size_t> out;
  for (const auto& cells : rows_) {
    out.resize(std::max(out.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) out[i] = std::max(out[i], columns(cells[i]));
  }
  const auto left_end = out.begin() + static_cast<std::ptrdiff_t>(std::min(left_columns_, out.size()));
  while (std::accumulate(out.begin(), out.end(), gap * (out.size() - 1)) > room) {
    const auto widest = std::max_element(out.begin(), left_end);
    if (widest == left_end || *widest <= narrowest_column) break;
    --*widest;
  }
  return out;
}

std::string TextTable::text(std::size_t indent, std::size_t width) const {
  if (rows_.empty()) return "";
  const std::vector<std::size_t> wide = widths(width - indent);
  std::string out;
  for (const auto& cells : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = cut(cells[i], wide[i]);
      const std::string padding(wide[i] - columns(cell), ' ');
      line += (i > 0 ? std::string(gap, ' ') : "") + (i < left_columns_ ? cell + padding : padding + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace servecast
