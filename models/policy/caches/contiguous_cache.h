#pragma once
#include "models/policy/caches/counted_cache.h"
#include "models/policy/support/buddy.h"

namespace servecast {

/// A cache that keeps each sequence in one piece, reserved when it is admitted: what serving engines did before
/// paging (Orca, FasterTransformer). A policy says how many tokens to reserve; a buddy allocator finds the piece,
/// rounded up to a power of two. Nothing is shared: sequences side by side reserve as often.
class ContiguousCache : public CountedCache {
 public:
  using CountedCache::CountedCache;

  void resize(std::int64_t capacity_tokens) final {
    CountedCache::resize(capacity_tokens);
    buddy_.resize(total_blocks());
  }
  /// The longest run that there ever is.
  std::int64_t admissible_blocks() const final {
    const std::int64_t most = CountedCache::admissible_blocks();
    return Buddy::rounded(most) == most ? most : Buddy::rounded(most) / 2;
  }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const final {
    if (tokens == 0) return 0;
    const std::int64_t reserved = reserved_tokens(request);
    if (tokens > reserved) return total_blocks() + 1;
    return Buddy::rounded(settings().blocks_for(reserved * request.width()));
  }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) final {
    KvHeld wanted = held;
    if (!CountedCache::hold(request, wanted, tokens, admission)) return false;
    if (held.blocks == 0) {
      const std::optional<std::int64_t> place = buddy_.take(wanted.blocks);
      if (!place) {  // enough is free, but not in one piece
        CountedCache::release(request, wanted);
        return false;
      }
      wanted.place = *place;
    }
    held = wanted;
    return true;
  }

  std::int64_t growth_tokens() const final { return 0; }
  void release(const Request& request, const KvHeld& held) final {
    if (held.blocks > 0) buddy_.give_back(held.place, held.blocks);
    CountedCache::release(request, held);
  }

 protected:
  /// Of one sequence: prompt and output.
  virtual std::int64_t reserved_tokens(const Request& request) const = 0;

 private:
  Buddy buddy_;
};

}  // namespace servecast
