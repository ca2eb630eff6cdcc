// KV cache "paged_prefix": fixed blocks, and prompts that begin alike share them (vLLM's automatic prefix caching,
// vllm/v1/core/block_pool.py; on by default there).
//
// A full block of a prompt can be used by every later prompt with the same beginning, while its first user runs and
// after it has finished, until its memory is wanted: free blocks are taken in the order in which they became free,
// the end of a prompt before its beginning. The last token of a prompt is always computed.
//
// Which blocks are alike, the trace says: by its hash blocks, so sharing works in units of the larger of hash block
// and cache block, one of which must divide the other (else nothing is shared). Output is not shared: traces do not
// hash it. Two sequences that compute the same block at the same time end up with one copy; vLLM keeps both until
// they finish.
#include <algorithm>
#include <cassert>
#include <list>
#include <unordered_map>

#include "models/policy/kv_cache.h"

namespace servecast {
namespace {

class PagedPrefix final : public KvCache {
 public:
  using Settings = BlockSettings;
  explicit PagedPrefix(const Settings& settings) : settings_(settings) {}

  void resize(std::int64_t capacity_tokens) override {
    total_ = settings_.blocks(capacity_tokens);
    watermark_ = settings_.watermark(total_);
    give_back(total_);
  }
  std::int64_t total_blocks() const override { return total_; }
  std::int64_t free_blocks() const override { return free_; }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    return settings_.blocks_for(request, tokens);
  }
  std::int64_t growth_tokens() const override { return settings_.block_tokens; }
  void grow(std::int64_t blocks) override {
    if (blocks > 0) take(blocks);
    if (blocks < 0) give_back(-blocks);
  }

  std::int64_t cached_tokens(const Request& request) const override { return hits(request) * unit_tokens(request); }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const std::int64_t shared = admission ? hits(request) : held.shared;
    const std::int64_t unit_blocks = unit_tokens(request) / settings_.block_tokens;
    const std::int64_t had = admission ? shared * unit_blocks : held.blocks;
    const std::int64_t more = blocks_for(request, tokens) - had;
    std::int64_t idle = 0;  // shared blocks that nobody uses right now: they stop being free
    for (std::int64_t i = held.shared; i < shared; ++i)
      idle += units_.at(hash(request, i)).users == 0 ? unit_blocks : 0;
    if (free_ - (admission ? watermark_ : 0) < more + idle) return false;
    for (std::int64_t i = held.shared; i < shared; ++i) use(hash(request, i));
    take(more);
    held = {.tokens = tokens, .blocks = blocks_for(request, tokens), .shared = shared};
    return true;
  }

  void computed(const Request& request, KvHeld& held, std::int64_t tokens) override {
    const std::int64_t unit = unit_tokens(request);
    if (unit == 0) return;
    for (; (held.shared + 1) * unit <= tokens && held.shared < units_of(request); ++held.shared) {
      const auto [entry, added] = units_.try_emplace(hash(request, held.shared));
      if (!added) give_back(unit / settings_.block_tokens);  // somebody else was quicker: use that copy
      if (added)
        entry->second = {.users = 1, .blocks = unit / settings_.block_tokens, .place = {}};
      else
        use(entry->first);
    }
  }

  void release(const Request& request, const KvHeld& held) override {
    std::int64_t own = held.blocks;
    for (std::int64_t i = 0; i < held.shared; ++i) own -= units_.at(hash(request, i)).blocks;
    give_back(own);
    for (std::int64_t i = held.shared - 1; i >= 0; --i) leave(hash(request, i));
  }

 private:
  struct Free {  // blocks that nobody uses
    std::int64_t blocks = 0;
    bool cached = false;  // still found by their hash
    BlockHash hash = 0;
  };
  struct Unit {
    std::int64_t users = 0;
    std::int64_t blocks = 0;
    std::list<Free>::iterator place{};  // in the free queue, while there are no users
  };

  /// Tokens per shared unit; 0: this request shares nothing.
  std::int64_t unit_tokens(const Request& r) const {
    if (r.block_tokens == 0) return 0;
    const std::int64_t low = std::min<std::int64_t>(r.block_tokens, settings_.block_tokens);
    const std::int64_t high = std::max<std::int64_t>(r.block_tokens, settings_.block_tokens);
    return high % low == 0 ? high : 0;
  }
  /// Full units of the prompt.
  std::int64_t units_of(const Request& r) const {
    const std::int64_t hashed = static_cast<std::int64_t>(r.prefix_blocks.size()) * r.block_tokens;
    return std::min(hashed, r.prompt_tokens) / unit_tokens(r);
  }
  /// Equal hashes stand for equal prompts up to there, so the last hash inside a unit names it.
  BlockHash hash(const Request& r, std::int64_t unit) const {
    const std::int64_t end = (unit + 1) * unit_tokens(r) / r.block_tokens;
    return r.prefix_blocks[static_cast<std::size_t>(end - 1)];
  }
  /// Leading units that are here, of which at least one token is left to compute.
  std::int64_t hits(const Request& r) const {
    if (unit_tokens(r) == 0) return 0;
    const std::int64_t most = std::min(units_of(r), (r.prompt_tokens - 1) / unit_tokens(r));
    std::int64_t found = 0;
    while (found < most && units_.contains(hash(r, found))) ++found;
    return found;
  }

  void use(BlockHash hash) {
    Unit& unit = units_.at(hash);
    if (unit.users++ > 0) return;
    free_ -= unit.blocks;
    queue_.erase(unit.place);
  }
  void leave(BlockHash hash) {
    Unit& unit = units_.at(hash);
    if (--unit.users > 0) return;
    free_ += unit.blocks;
    unit.place = queue_.insert(queue_.end(), {.blocks = unit.blocks, .cached = true, .hash = hash});
  }
  void give_back(std::int64_t blocks) {
    if (blocks == 0) return;
    free_ += blocks;
    queue_.push_back({.blocks = blocks});
  }
  /// Takes blocks off the head of the free queue. A unit of which one block is taken is lost as a whole.
  void take(std::int64_t blocks) {
    assert(blocks <= free_);
    free_ -= blocks;
    while (blocks > 0) {
      Free& head = queue_.front();
      if (head.cached) units_.erase(head.hash);
      head.cached = false;
      const std::int64_t taken = std::min(blocks, head.blocks);
      head.blocks -= taken;
      blocks -= taken;
      if (head.blocks == 0) queue_.pop_front();
    }
  }

  Settings settings_;
  std::int64_t total_ = 0;
  std::int64_t free_ = 0;
  std::int64_t watermark_ = 0;
  std::list<Free> queue_;  // first to be taken first
  std::unordered_map<BlockHash, Unit> units_;
};

[[maybe_unused]] const bool added = Registry<KvCache>::add<PagedPrefix>(
    "paged_prefix", "fixed blocks shared by prompts that begin alike, kept until their memory is wanted");

}  // namespace
}  // namespace servecast
