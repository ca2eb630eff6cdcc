// KV cache "paged_reserved": a request is admitted only with the blocks of its prompt and its longest output
// (TensorRT-LLM's GUARANTEED_NO_EVICT scheduler policy).
//
// Nobody is ever preempted, and fewer run at a time: blocks stand empty until the output has grown into them. The
// longest output is the output itself, as in benchmarks that ask for an exact number of tokens.
#include <algorithm>
#include <cassert>

#include "models/policy/kv_cache.h"

namespace servecast {
namespace {

class PagedReserved final : public KvCache {
 public:
  using Settings = BlockSettings;
  explicit PagedReserved(const Settings& settings) : settings_(settings) {}

  void resize(std::int64_t capacity_tokens) override {
    total_ = free_ = settings_.blocks(capacity_tokens);
    watermark_ = settings_.watermark(total_);
  }
  std::int64_t total_blocks() const override { return total_; }
  std::int64_t free_blocks() const override { return free_; }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    if (tokens == 0) return 0;
    // The last output token is never held.
    const std::int64_t longest = request.prompt_tokens + std::max<std::int64_t>(request.output_tokens - 1, 0);
    return settings_.blocks_for(request, std::max(tokens, longest));
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

  std::int64_t growth_tokens() const override { return 0; }
  void grow([[maybe_unused]] std::int64_t blocks) override { assert(blocks == 0 && "it has all its blocks"); }
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

[[maybe_unused]] const bool added = Registry<KvCache>::add<PagedReserved>(
    "paged_reserved", "blocks of prompt and output taken at admission: nobody is preempted");

}  // namespace
}  // namespace servecast
