#include "sim/input/yaml/yaml_edit.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/base/utf8.h"
#include "sim/input/yaml/named_entries.h"
#include "sim/input/yaml/settings_path.h"
#include "sim/input/yaml/yaml_document.h"
#include "sim/input/yaml/yaml_fields.h"
#include "sim/input/yaml/yaml_span.h"

namespace servecast {
namespace {

/// A change to the text: [begin, end) becomes `before` + the value + `after`.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string before{};
  std::string after{};
};

bool same(const YAML::Node& a, const YAML::Node& b) {
  if (a.Type() != b.Type() || a.size() != b.size()) return false;
  if (a.IsScalar()) return a.Scalar() == b.Scalar();
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (a.IsSequence() ? !same(*x, *y) : !same(x->first, y->first) || !same(x->second, y->second)) return false;
  }
  return true;
}

/// The entry of a map with this key.
std::optional<YAML::detail::iterator_value> find_entry(const YAML::Node& map, const std::string& key) {
  for (const auto& entry : map)
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry;
  return std::nullopt;
}

/// {a, b} -> "a: {b: ", "}": the keys still missing, around the value.
void wrap(Edit& edit, const std::vector<PathStep>& missing) {
  for (std::size_t i = 0; i < missing.size(); ++i) {
    edit.before += missing[i].key + ": " + (i + 1 < missing.size() ? "{" : "");
    if (i > 0) edit.after += "}";
  }
}

/// Adds keys as the last of a map that stands in the text.
Edit add_to_map(const std::string& text, const YAML::Node& map, const std::vector<PathStep>& missing) {
  const YamlSpans spans(text);
  const bool flow = is_flow(map);
  const std::size_t begin = spans.begin(map);
  Edit edit;
  if (flow) {
    auto last = map.begin();
    for (auto next = last; next != map.end(); ++next) last = next;
    edit.begin = begin + 1;  // of an empty map: past the '{'
    if (map.size() > 0)
      edit.begin = last->second.IsNull() ? spans.after_colon(last->first, true) : spans.end(last->second, true);
    edit.before = map.size() > 0 ? ", " : "";
  } else {
    const std::size_t line_end = std::min(text.find('\n', spans.end(map, false)), text.size());
    const bool crlf = line_end > 0 && text[line_end - 1] == '\r';
    edit.begin = crlf ? line_end - 1 : line_end;
    edit.before = (crlf ? "\r\n" : "\n") + std::string(static_cast<std::size_t>(map.Mark().column), ' ');
  }
  edit.end = edit.begin;
  wrap(edit, missing);
  return edit;
}

/// Gives a key another value; where keys below it are missing, the value is a new map that holds them.
Edit replace_value(const std::string& text, const YAML::detail::iterator_value& entry, bool inside_flow,
                   const std::vector<PathStep>& missing) {
  const YamlSpans spans(text);
  const YAML::Node& value = entry.second;
  const bool block = !value.IsScalar() && !value.IsNull() && !is_flow(value);
  const std::size_t colon = spans.after_colon(entry.first, inside_flow);
  Edit edit;
  if (block) {
    edit = {.begin = colon, .end = spans.end(value, false), .before = " "};
  } else if (value.IsNull()) {  // nothing there, or a '~' or 'null' on the same line
    const std::size_t word = std::min(text.find_first_not_of(" \t", colon), text.size());
    const bool written = word < text.size() && (text[word] == '~' || text[word] == 'n' || text[word] == 'N');
    edit = {.begin = colon, .end = written ? text.find_first_of(" \t\r\n,}#", word) : colon, .before = " "};
    edit.end = std::min(edit.end, text.size());
  } else {
    edit = {.begin = spans.begin(value), .end = spans.end(value, inside_flow)};
  }
  if (!missing.empty()) {
    edit.before += "{";
    wrap(edit, missing);
    edit.after += "}";
  }
  return edit;
}

/// Walks down `steps` as far as the text goes and says what to change there.
Edit find_edit(const std::string& text, const YAML::Node& root, const std::vector<PathStep>& steps) {
  YAML::Node node = root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<PathStep> below(steps.begin() + static_cast<std::ptrdiff_t>(i), steps.end());
    const auto entry = find_entry(node, steps[i].key);
    if (!entry) return add_to_map(text, node, below);
    const bool flow = is_flow(node);
    node.reset(entry->second);
    if (steps[i].item) {
      const bool list_flow = is_flow(node);
      node.reset(node[*steps[i].item]);
      const YamlSpans spans(text);
      if (below.size() == 1) return {.begin = spans.begin(node), .end = spans.end(node, list_flow)};
      continue;
    }
    if (below.size() == 1 || node.IsNull())
      return replace_value(text, *entry, flow, {below.begin() + 1, below.end()});
  }
  return {};  // a path has at least one step
}

void make_flow(YAML::Node node) {
  node.SetStyle(YAML::EmitterStyle::Flow);
  for (const auto& child : node) make_flow(node.IsMap() ? child.second : child);
}

/// Ways to write the value, the plainest first.
std::vector<std::string> spellings(const std::string& value) {
  const YAML::Node node = yaml_document(value, "");
  std::vector<std::string> ways;
  const bool one_line = value.find_first_of("\r\n") == std::string::npos;
  const std::size_t start = value.find_first_not_of(" \t");
  if (one_line && start != std::string::npos)
    ways.push_back(value.substr(start, value.find_last_not_of(" \t") + 1 - start));
  YAML::Emitter careful;
  make_flow(node);
  if (node.IsScalar()) careful << YAML::DoubleQuoted;
  careful << node;
  ways.emplace_back(careful.c_str());
  return ways;
}

}  // namespace

std::string edit_yaml(const std::string& file, const std::string& text, const std::string& path,
                      const std::string& value) {
  if (text.starts_with(byte_order_mark))
    return std::string(byte_order_mark) + edit_yaml(file, text.substr(byte_order_mark.size()), path, value);

  const YAML::Node root = yaml_document(text, file);
  if (!root.IsMap()) throw UserError(Place{.file = file, .line = 1, .column = 1}, "must be a map of settings");
  YamlText wanted{.file = file, .root = YAML::Clone(root), .overrides = {}};
  wanted.set(path, value);

  const Edit edit = find_edit(text, root, split_path(with_numbers(root, path, path)));
  for (const std::string& spelling : spellings(value)) {
    const std::string result =
        text.substr(0, edit.begin) + edit.before + spelling + edit.after + text.substr(edit.end);
    try {
      if (same(yaml_document(result, file), wanted.root)) return result;
    } catch (const UserError&) {  // this spelling does not go here
    }
  }
  throw UserError(Place{.file = file}, "'" + path +
                                           "' is written in a way that cannot be changed from the command "
                                           "line; edit the file by hand");
}

}  // namespace servecast
