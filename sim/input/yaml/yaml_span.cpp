#include "sim/input/yaml/yaml_span.h"

#include <algorithm>

#include "models/base/error.h"

namespace servecast {
namespace {

[[noreturn]] void too_clever(std::string_view what) {
  throw UserError(std::string(what) + " cannot be changed from the command line; edit the file by hand");
}

bool ends_plain(std::string_view text, std::size_t at, bool inside_flow) {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\n';
  const bool blank_next = next == ' ' || next == '\t' || next == '\n' || next == '\r';
  if (c == '\n' || c == '\r') return true;
  if (c == '#') return at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t');
  if (inside_flow && std::string_view(",[]{}").find(c) != std::string_view::npos) return true;
  return c == ':' && (blank_next || (inside_flow && std::string_view(",[]{}").find(next) != std::string_view::npos));
}

}  // namespace

std::size_t YamlSpans::begin(const YAML::Node& node) const {
  const std::size_t at = static_cast<std::size_t>(node.Mark().pos);
  if (node.Mark().is_null() || at >= text_.size()) too_clever("an empty value");
  if (std::string_view("&*!").find(text_[at]) != std::string_view::npos)
    too_clever("a value with an anchor or a tag");
  return at;
}

std::size_t YamlSpans::end(const YAML::Node& node, bool inside_flow) const {
  const std::size_t at = begin(node);
  if (node.IsScalar() || node.IsNull()) return scalar_end(at, inside_flow);
  return is_flow(node) ? brackets_end(at) : last_child_end(node);
}

std::size_t YamlSpans::after_colon(const YAML::Node& key, bool inside_flow) const {
  const std::size_t at = text_.find_first_not_of(" \t", scalar_end(begin(key), inside_flow));
  if (at == std::string_view::npos || text_[at] != ':') too_clever("a key written this way");
  return at + 1;
}

std::size_t YamlSpans::scalar_end(std::size_t at, bool inside_flow) const {
  if (text_[at] == '"' || text_[at] == '\'') return quoted_end(at);
  if (text_[at] == '|' || text_[at] == '>') too_clever("a text over several lines");
  std::size_t end = at;
  while (end < text_.size() && !ends_plain(text_, end, inside_flow)) ++end;
  while (end > at && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  return end;
}

std::size_t YamlSpans::quoted_end(std::size_t at) const {
  const char quote = text_[at];
  for (std::size_t i = at + 1; i < text_.size(); ++i) {
    if (quote == '"' && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;  // '' is one '
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return text_.size();
}

std::size_t YamlSpans::brackets_end(std::size_t at) const {
  int open = 0;
  for (std::size_t i = at; i < text_.size();) {
    const char c = text_[i];
    const bool word_starts = i > 0 && std::string_view(" \t\n,:[{").find(text_[i - 1]) != std::string_view::npos;
    if ((c == '"' || c == '\'') && word_starts) {
      i = quoted_end(i);
      continue;
    }
    if (c == '#' && (text_[i - 1] == ' ' || text_[i - 1] == '\n')) {
      i = std::min(text_.find('\n', i), text_.size());
      continue;
    }
    if (c == '{' || c == '[') ++open;
    if ((c == '}' || c == ']') && --open == 0) return i + 1;
    ++i;
  }
  return text_.size();
}

/// A block map or list ends where its last entry ends.
std::size_t YamlSpans::last_child_end(const YAML::Node& node) const {
  if (node.IsSequence()) return end(node[node.size() - 1], false);
  auto last = node.begin();
  for (auto next = last; next != node.end(); ++next) last = next;
  if (last->second.IsNull()) return after_colon(last->first, false);
  return end(last->second, false);
}

}  // namespace servecast
