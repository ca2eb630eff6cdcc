#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/policy/caches/eviction_queue.h"
#include "models/policy/prefix/prefix_trie.h"

namespace servecast {

/// A cache of so many KV blocks, by the prefixes they belong to. It serves one request at a time and knows no clock:
/// what a cache of this size and eviction would hold, apart from any server.
///
/// A request finds the blocks of its prompt up to the first one that is not there. Those are used, in order; then the
/// missing ones come in, in order, while others leave. Where only leaves leave (Eviction::leaves_only), the blocks it
/// found stay while it is served; the ones it brought may leave like any other, so a prompt that the whole cache has
/// no room for loses its own last block, and what would come behind that stays out.
class PrefixCache {
 public:
  /// `trie` and `eviction` outlive the cache; the trie does not grow any more. `capacity_blocks` is 1 or more.
  PrefixCache(const PrefixTrie& trie, std::int64_t capacity_blocks, const Eviction& eviction);

  /// The nodes of a prompt, from the root's child on. `next_uses` of them: CacheUse::next_use each, or empty where
  /// the eviction is not clairvoyant. Returns how many leading ones were there.
  std::size_t serve(std::span<const CacheEntry> prompt, std::span<const std::uint64_t> next_uses);

  bool holds(CacheEntry node) const { return nodes_[index(node)].uses > 0; }
  std::int64_t used_blocks() const { return used_; }
  std::int64_t capacity_blocks() const { return capacity_; }
  bool was_full() const { return was_full_; }  // now or at any time before

 private:
  struct Node {
    std::uint64_t entered = 0;
    std::uint64_t rank = 0;
    std::uint32_t below = 0;  // cached children, and the request that found it; where only leaves leave
    std::uint32_t uses = 0;   // since it came in; 0: it is not here
  };
  Node& at(CacheEntry node) { return nodes_[index(node)]; }
  void use(CacheEntry node, std::uint64_t next_use);
  void bring_in(std::span<const CacheEntry> missing, std::span<const std::uint64_t> next_uses);
  bool make_room(std::uint64_t newcomer_rank);
  void take(CacheEntry node, const CacheUse& use);
  void drop(CacheEntry node);
  void hold(CacheEntry node);
  void release(CacheEntry node);

  const PrefixTrie& trie_;
  const Eviction& eviction_;
  const bool leaves_only_;
  const bool clairvoyant_;
  const std::int64_t capacity_;
  std::int64_t used_ = 0;
  bool was_full_ = false;
  std::uint64_t now_ = 0;
  std::vector<Node> nodes_;  // by index(node)
  EvictionQueue may_leave_;
};

}  // namespace servecast
