#pragma once
#include <cassert>

#include "models/policy/kv_cache.h"

namespace servecast {

/// A cache of which only the number of free blocks matters: nothing is shared between requests and nothing is kept
/// after they finish. A policy says how many blocks a request holds (blocks_for) and when that grows.
class CountedCache : public KvCache {
 public:
  using Settings = BlockSettings;
  explicit CountedCache(const Settings& settings) : settings_(settings) {}

  void resize(std::int64_t capacity_tokens) override {
    total_ = free_ = settings_.blocks(capacity_tokens * groups().groups);
    watermark_ = settings_.watermark(total_);
  }
  std::int64_t total_blocks() const final { return total_; }
  std::int64_t free_blocks() const final { return free_; }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t cached_tokens(const Request&) const final { return 0; }

  bool has_room(const Request& request, const KvHeld& held, std::int64_t tokens, bool admission) const final {
    return room(admission) >= blocks_for(request, tokens) - held.blocks;
  }
  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const std::int64_t more = blocks_for(request, tokens) - held.blocks;
    if (room(admission) < more) return false;
    free_ -= more;
    held.tokens = tokens;
    held.blocks += more;
    return true;
  }

  void grow(std::int64_t blocks) final {
    assert(blocks <= free_ && (blocks == 0 || growth_tokens() > 0));
    free_ -= blocks;
  }
  void release(const Request&, const KvHeld& held) override {
    free_ += held.blocks;
    assert(free_ <= total_);
  }

 protected:
  const BlockSettings& settings() const { return settings_; }

 private:
  std::int64_t room(bool admission) const { return free_ - (admission ? watermark_ : 0); }

  BlockSettings settings_;
  std::int64_t total_ = 0;
  std::int64_t free_ = 0;
  std::int64_t watermark_ = 0;
};

}  // namespace servecast
