#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

inline std::string join(std::span<const std::string> words, std::string_view between = ", ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// Levenshtein distance: how many letters to insert, delete or replace.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

/// Keys of scenarios and reports that had another name in earlier versions.
struct RenamedKey {
  std::string_view former;
  std::string_view key;
};
inline constexpr std::array renamed_keys{RenamedKey{"of", "part"}, RenamedKey{"passes", "llm_calls"},
                                         RenamedKey{"second_passes", "follow_up_calls"}};

/// The name meant by `name`: what an earlier version's key is called now, else the one most like it. Null: none is
/// near.
inline const std::string* meant(std::string_view name, std::span<const std::string> known) {
  if (known.empty()) return nullptr;
  const auto* renamed = std::ranges::find(renamed_keys, name, &RenamedKey::former);
  if (renamed != renamed_keys.end())
    if (const auto now = std::ranges::find(known, renamed->key); now != known.end()) return &*now;
  const auto nearest =
      std::ranges::min_element(known, {}, [&](const std::string& k) { return edit_distance(name, k); });
  const std::size_t close = std::max<std::size_t>(2, name.size() / 3);
  return edit_distance(name, *nearest) <= close ? &*nearest : nullptr;
}

/// "unknown router 'lest_loaded'; did you mean 'least_loaded'? Known: ...". `kind` is what was looked for.
inline std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> known) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  if (const std::string* name_meant = meant(name, known)) text += "; did you mean '" + *name_meant + "'?";
  return text + (text.ends_with('?') ? " Known: " : ". Known: ") + join(known);
}

}  // namespace servecast
