#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/registry.h"
#include "models/policy/eviction.h"

namespace servecast {

/// Decides which experts of a layer stay in a GPU's memory. It ranks, as an Eviction does, and may besides go by how
/// often an expert is used in the long run, which a profile has beforehand.
class ExpertCache {
 public:
  static constexpr std::string_view kind = "expert_cache";
  static constexpr PolicyListing listing{"expert_caches", "which experts stay in GPU memory"};
  virtual ~ExpertCache() = default;

  /// Called when an expert comes in and each time it is used; the expert of the lowest rank leaves first.
  virtual std::uint64_t rank(const CacheUse& use, std::uint64_t long_run_uses) const = 0;

  /// An expert that ranks below all that are there is not taken in: it is used once, from a buffer.
  virtual bool newcomers_compete() const { return false; }
  /// Starts out with the experts that are used most in the long run, wherever it starts.
  virtual bool starts_full() const { return false; }
  /// Must know the next use, which only a replay does.
  virtual bool clairvoyant() const { return false; }
};

/// What serving says of a cache that only a replay can give what it needs.
inline std::optional<std::string> needs_future(const ExpertCache& cache) {
  if (!cache.clairvoyant()) return std::nullopt;
  return "this cache must know which experts are asked for next, which a server does not know; take another here, "
         "and `servecast trace experts --policy belady` for the bound";
}

/// An expert cache that ranks as the eviction of this name does.
class RanksLike : public ExpertCache {
 public:
  explicit RanksLike(const std::string& eviction)
      : eviction_(Registry<Eviction>::all().at(eviction).prepare()->make()) {}
  std::uint64_t rank(const CacheUse& use, std::uint64_t) const final { return eviction_->rank(use); }
  bool newcomers_compete() const final { return clairvoyant(); }
  bool clairvoyant() const final { return eviction_->clairvoyant(); }

 private:
  std::unique_ptr<Eviction> eviction_;
};

}  // namespace servecast
