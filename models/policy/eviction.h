#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "models/base/registry.h"

namespace servecast {

/// What a cache keeps or drops as a whole: a KV block, an expert. The cache numbers them itself, from 0 on.
enum class CacheEntry : std::uint32_t {};

/// What a cache knows of an entry that it has just taken in or found. Times are counts, not seconds, and all of one
/// cache: only their order matters.
struct CacheUse {
  static constexpr std::uint64_t never_again = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t now = 0;                 // grows with every use
  std::uint64_t entered = 0;             // `now` of the use that brought the entry in
  std::uint64_t uses = 1;                // since then, that one included; 0: room that holds nothing
  std::uint64_t next_use = never_again;  // a count of its own, e.g. of requests; only for a clairvoyant() one
};

/// Decides what leaves a full cache. It ranks; the entry of the lowest rank leaves first, of equals the one with the
/// highest number. Which entries may leave at all (unused now, nothing built on them) is the cache's business.
///
/// One instance may serve any number of caches: a rank follows from the use alone.
class Eviction {
 public:
  static constexpr std::string_view kind = "eviction";
  static constexpr PolicyListing listing{"evictions", "what leaves a full cache"};
  virtual ~Eviction() = default;

  /// Called when an entry comes in and each time it is used. It stands until the next call.
  virtual std::uint64_t rank(const CacheUse& use) const = 0;

  /// In a cache of prefixes: true where a block leaves only after all blocks behind it. False: any block leaves when
  /// its turn comes, and those behind it stay, of no use until it is back.
  virtual bool leaves_only() const { return true; }

  /// True for one that must know the next use of an entry. Then a newcomer competes too: it is not taken in where
  /// nothing that may leave ranks below it.
  virtual bool clairvoyant() const { return false; }

  /// What was not used for longer than this is gone, whether its room is wanted or not. Finite only where ranks are
  /// in the order of the last use.
  virtual double lifetime_s() const { return std::numeric_limits<double>::infinity(); }
};

/// What a cache that serves says of an eviction that only a replay can give what it needs.
inline std::optional<std::string> needs_future(const Eviction& eviction) {
  if (!eviction.clairvoyant()) return std::nullopt;
  return "this eviction must know what is asked for next, which a server does not know; take another here, and "
         "`servecast trace cache --policy belady` for the bound";
}

}  // namespace servecast
