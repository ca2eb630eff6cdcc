#pragma once
#include <cassert>

#include "models/policy/buddy.h"
#include "models/policy/kv_cache.h"

namespace servecast {

/// A cache that keeps each sequence in one piece, reserved when it is admitted: what serving engines did before
/// paging (Orca, FasterTransformer). A policy says how many tokens to reserve; a buddy allocator finds the piece,
/// rounded up to a power of two. Nothing is shared: sequences side by side reserve as often.
class ContiguousCache : public KvCache {
 public:
  explicit ContiguousCache(const BlockSettings& settings) : blocks_(settings) {}

  void resize(std::int64_t capacity_tokens) final {
    total_ = free_ = blocks_.blocks(capacity_tokens);
    watermark_ = blocks_.watermark(total_);
    buddy_.resize(total_);
  }
  std::int64_t total_blocks() const final { return total_; }
  std::int64_t free_blocks() const final { return free_; }
  /// The longest run that there ever is.
  std::int64_t admissible_blocks() const final {
    const std::int64_t most = total_ - watermark_;
    return Buddy::rounded(most) == most ? most : Buddy::rounded(most) / 2;
  }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const final {
    if (tokens == 0) return 0;
    const std::int64_t reserved = reserved_tokens(request);
    if (tokens > reserved) return total_ + 1;
    return Buddy::rounded(blocks_.blocks_for(reserved * request.width()));
  }
  std::int64_t cached_tokens(const Request&) const final { return 0; }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) final {
    assert(tokens >= held.tokens);
    if (held.blocks == 0) {
      const std::int64_t blocks = blocks_for(request, tokens);
      if (free_ - (admission ? watermark_ : 0) < blocks) return false;
      const std::optional<std::int64_t> place = buddy_.take(blocks);
      if (!place) return false;
      free_ -= blocks;
      held = {.blocks = blocks, .place = *place};
    }
    held.tokens = tokens;
    return true;
  }

  std::int64_t growth_tokens() const final { return 0; }
  void grow(std::int64_t blocks) final { assert(blocks == 0); }
  void release(const Request&, const KvHeld& held) final {
    if (held.blocks > 0) buddy_.give_back(held.place, held.blocks);
    free_ += held.blocks;
  }

 protected:
  /// Of one sequence: prompt and output.
  virtual std::int64_t reserved_tokens(const Request& request) const = 0;

 private:
  BlockSettings blocks_;
  std::int64_t total_ = 0;
  std::int64_t free_ = 0;
  std::int64_t watermark_ = 0;
  Buddy buddy_;
};

}  // namespace servecast
