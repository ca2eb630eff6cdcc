// KV cache "paged": fixed blocks handed out one at a time (PagedAttention, Kwon et al., SOSP 2023).
//
// A sequence wastes at most one block less one token. Nothing is shared between requests and nothing is kept after
// they finish; see "paged_prefix" for that.
#include <cassert>

#include "models/policy/kv_cache.h"

namespace servecast {
namespace {

class Paged final : public KvCache {
 public:
  using Settings = BlockSettings;
  explicit Paged(const Settings& settings) : settings_(settings) {}

  void resize(std::int64_t capacity_tokens) override {
    total_ = free_ = settings_.blocks(capacity_tokens);
    watermark_ = settings_.watermark(total_);
  }
  std::int64_t total_blocks() const override { return total_; }
  std::int64_t free_blocks() const override { return free_; }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    return settings_.blocks_for(request, tokens);
  }
  std::int64_t cached_tokens(const Request&) const override { return 0; }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const std::int64_t more = blocks_for(request, tokens) - held.blocks;
    if (free_ - (admission ? watermark_ : 0) < more) return false;
    free_ -= more;
    held = {.tokens = tokens, .blocks = held.blocks + more};
    return true;
  }

  std::int64_t growth_tokens() const override { return settings_.block_tokens; }
  void grow(std::int64_t blocks) override {
    assert(blocks <= free_);
    free_ -= blocks;
  }
  void release(const Request&, const KvHeld& held) override {
    free_ += held.blocks;
    assert(free_ <= total_);
  }

 private:
  Settings settings_;
  std::int64_t total_ = 0;
  std::int64_t free_ = 0;
  std::int64_t watermark_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<Paged>("paged", "fixed blocks, one at a time; nothing shared or kept");

}  // namespace
}  // namespace servecast
