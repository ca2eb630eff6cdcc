#include "sim/input/yaml/quoted_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace servecast {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool is_entry(std::string_view line, std::size_t indent) {
  return indent_of(line) == indent && line.substr(indent).starts_with("-");
}

/// What stands between the quotes of `- "text"`.
std::optional<std::string> quoted(std::string_view line) {
  std::string_view entry = line.substr(indent_of(line));
  if (entry.size() < 4 || !entry.starts_with("- \"") || !entry.ends_with('"')) return std::nullopt;
  entry = entry.substr(3, entry.size() - 4);
  if (entry.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
  return std::string(entry);
}

/// The list that begins at `begin`; empty where an entry is anything else.
std::vector<std::string> list_at(const std::vector<std::string_view>& lines, std::size_t begin) {
  std::vector<std::string> list;
  for (std::size_t i = begin; i < lines.size() && is_entry(lines[i], indent_of(lines[begin])); ++i) {
    std::optional<std::string> text = quoted(lines[i]);
    if (!text) return {};
    list.push_back(*std::move(text));
  }
  return list;
}

}  // namespace

QuotedLists take_quoted_lists(std::string_view text) {
  QuotedLists taken;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    taken.rest += lines[i];
    std::vector<std::string> list;
    if (lines[i].ends_with(':')) list = list_at(lines, i + 1);
    if (!list.empty()) {
      taken.rest += fmt::format(" {} {}", QuotedLists::tag, taken.lists.size()) + std::string(list.size(), '\n');
      i += list.size();
      taken.lists.push_back(std::move(list));
    }
    taken.rest += '\n';
  }
  return taken;
}

}  // namespace servecast
