#include "sim/cli/listing/schema_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "models/base/names.h"
#include "sim/cli/listing/schema_text.h"
#include "sim/input/yaml/schema.h"

namespace servecast {
namespace {

/// A table cell must not hold the sign that ends it.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

/// With a capital letter at its start.
std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

constexpr std::string_view table_head = "\n| key | type | default | allowed | what it is |\n|---|---|---|---|---|\n";

std::string table_row(const Setting& s) {
  const std::string set = s.required ? "*required*" : code(default_words(s));
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", s.key(), cell(type_words(s)), set, cell(allowed_words(s)),
                     cell(s.help));
}

/// The rows of one map that belong to `policy`, or to all policies where that is empty.
std::string table(std::span<const Setting> settings, const std::string& map, const std::string& policy) {
  std::string rows;
  for (const Setting& s : settings)
    if (s.map() == map && s.policy == policy) rows += table_row(s);
  return rows.empty() ? "" : std::string(table_head) + rows;
}

/// Policies may have maps of one name, so a map of a policy says whose it is.
std::string heading(const Setting& s, const std::string& map) {
  if (s.policy.empty()) return code(map);
  return code(map) + " (" + code(s.choice + ": " + s.policy) + ")";
}

/// All that is said below a map, whatever the map is called. One that belongs to a policy is compared with namesakes
/// only: it is short, and is looked up where it stands.
std::string everything_below(std::span<const Setting> settings, const std::string& map, const std::string& policy) {
  std::string text = policy.empty() ? "" : map;
  std::string chosen;  // of choices inside the map: last, as the first of two namesakes tells it for both
  for (const Setting& s : settings) {
    if (!s.path.starts_with(map + ".")) continue;
    const std::string row = s.path.substr(map.size()) + table_row(s);
    if (s.policy == policy)
      text += row;
    else if (s.choice.starts_with(map + "."))
      chosen += s.policy + row;
  }
  return text + chosen;
}

/// The name that a heading gets as the target of links: letters, digits, '-' and '_'; '-' for a blank.
std::string anchor(const std::string& heading) {
  std::string name;
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ') name += c == ' ' ? '-' : c;
  return name;
}

std::string link(const std::string& words, const std::string& title) {
  return fmt::format("[{}](#{})", words, anchor(title));
}

struct Section {
  std::string part;  // the row of the contents that it goes to: "pools[].kv_cache"
  std::string name;  // in that row: "eviction: lru"
  std::string title;
  std::string help;
};

/// The first two names of a path: "pools[].kv_cache" of "pools[].kv_cache.eviction".
std::string upper_part(const std::string& map) {
  const auto first = map.find('.');
  return first == std::string::npos ? map : map.substr(0, map.find('.', first + 1));
}

/// A page's tables, section after section.
class Page {
 public:
  Page(std::span<const Setting> settings, bool whole) : settings_(settings), whole_(whole) {
    for (const Setting& s : settings_)
      if (s.type == SettingType::list || s.type == SettingType::map) map_section(s);
  }
  const std::string& text() const { return text_; }

  /// One row for each of the upper maps, with links to all that is below it.
  std::string contents() const {
    std::string rows = "\n| section | what it is | in it |\n|---|---|---|\n";
    for (auto at = sections_.begin(); at != sections_.end();) {
      const auto end = std::find_if(at, sections_.end(), [&](const Section& s) { return s.part != at->part; });
      std::vector<std::string> below;
      for (auto each = at + 1; each != end; ++each) below.push_back(link(code(each->name), each->title));
      rows += fmt::format("| {} | {} | {} |\n", link(code(at->part), at->title), cell(at->help), join(below));
      at = end;
    }
    return rows;
  }

 private:
  void map_section(const Setting& s) {
    const bool list = s.type == SettingType::list;
    const std::string map = s.path + (list ? "[]" : "");
    if (!same_.empty() && s.path.starts_with(same_ + ".")) return;
    const std::string title = heading(s, map);
    add_section(map, s, "", title, s.help);
    text_ += fmt::format("\n{} {}\n\n{}{}.{}\n", whole_ ? "##" : "###", title, list ? "Each entry of the list: " : "",
                         list ? s.help : sentence(s.help), s.optional ? " May be left out as a whole." : "");
    const auto [first, fresh] = described_.emplace(everything_below(settings_, map, s.policy), title);
    same_ = fresh ? "" : map;
    if (fresh) {
      text_ += table(settings_, map, s.policy);
      policy_sections(map, s.policy);
    } else {
      text_ += "\nThe same keys as " + link(first->second, first->second) + ".\n";
    }
  }

  /// What a policy of an upper map has for itself goes to that map's row.
  void add_section(const std::string& map, const Setting& s, const std::string& alternative, const std::string& title,
                   const std::string& help) {
    const std::string part = upper_part(s.policy.empty() ? map : s.choice.substr(0, s.choice.rfind('.')));
    std::string name = map.substr(part.size());
    if (name.starts_with('.')) name.erase(0, 1);
    if (!s.policy.empty()) name = s.policy + "." + name;
    if (!alternative.empty()) name += (name.empty() ? "" : ": ") + alternative;
    sections_.push_back({part, name, title, help});
  }

  void policy_sections(const std::string& map, const std::string& policy) {
    for (const Setting& s : settings_) {
      if (s.map() != map || s.policy != policy) continue;
      for (const Alternative& a : s.alternatives) {
        const std::string rows = table(settings_, map, a.name);
        if (rows.empty() && !whole_) continue;
        const std::string title = fmt::format("`{}`: `policy: {}`", map, a.name);
        add_section(map, s, a.name, title, a.help);
        text_ += fmt::format("\n{} {}\n\n{}.{}\n", whole_ ? "###" : "####", title, sentence(a.help),
                             rows.empty() ? " It has no settings." : "");
        text_ += rows;
      }
    }
  }

  std::span<const Setting> settings_;
  bool whole_;  // a page of its own
  std::string text_;
  std::vector<Section> sections_;
  std::map<std::string, std::string> described_;  // everything below a map -> the first heading over it
  std::string same_;                              // a map that was described under another name
};

}  // namespace

std::string schema_markdown(std::string_view head, std::span<const Setting> settings) {
  const Page page(settings, true);
  return std::string(head) + page.contents() + "\n## The top of the file\n" + table(settings, "", "") + page.text();
}

std::string schema_part_markdown(std::span<const Setting> settings) { return Page(settings, false).text(); }

}  // namespace servecast
