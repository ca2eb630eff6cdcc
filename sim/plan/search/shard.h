#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// A share of the work: number `index`, from 1, of `count`.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  /// Whether what has this name is its business. Every name belongs to exactly one shard.
  bool takes(const std::string& name) const;
  /// The same of a design, whose name is its settings.
  bool takes(const std::vector<std::string>& set) const;
  /// The same of what has a place in a row, from 0: every count-th.
  bool takes(std::size_t place) const { return static_cast<std::int64_t>(place) % count == index - 1; }
};

/// What a share has of things in a row.
template <class Thing>
std::vector<Thing> dealt(const std::vector<Thing>& row, const Shard& share) {
  std::vector<Thing> own;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (share.takes(i)) own.push_back(row[i]);
  return own;
}

/// "3/8". Throws UserError.
Shard parse_shard(const std::string& word);

}  // namespace servecast
