#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// A share of the work: number `index`, from 1, of `count`.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  /// Whether what has this name is its business. Every name belongs to exactly one shard, whoever asks.
  bool takes(const std::string& name) const;
  /// The same of a design, whose name is its settings.
  bool takes(const std::vector<std::string>& set) const;
};

/// "3/8". Throws UserError.
Shard parse_shard(const std::string& word);

}  // namespace servecast
