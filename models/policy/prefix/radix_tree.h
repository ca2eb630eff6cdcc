#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "models/policy/caches/eviction_queue.h"
#include "models/policy/kv_cache.h"
#include "models/policy/prefix/prefix_units.h"

namespace servecast {

/// The beginnings of prompts that a cache holds, as a radix tree over tokens: an edge is a run of tokens that nothing
/// branches off, and belongs to the node below it. Sizes and positions are in tokens; a path is named by hash blocks,
/// the last of which may be part-filled.
///
/// A node is held by sequences that use it and by held nodes below it. Only nodes that are not held and have no child
/// can leave, whole.
///
/// Where layers have states, a prefix can be used only up to a node that holds the state behind its last token.
/// States are dropped on their own, the one used longest ago first, but those of nodes at which a sequence stands.
/// With a leaf goes its state and the other way round, and with it the nodes above it that have neither a state nor
/// another child.
class RadixTree {
 public:
  using Node = CacheEntry;
  static constexpr Node root{};
  /// The node at or below the end of what was found, and how many tokens that is.
  struct Found {
    Node node = root;
    std::int64_t tokens = 0;
  };

  /// `eviction` outlives the tree. All runs are whole pages; pages divide hash blocks or the other way round.
  RadixTree(const Eviction& eviction, std::int64_t page_tokens);

  void set_listener(PrefixListener& listener) { listener_ = &listener; }
  void set_clock(double now_s) { clock_s_ = now_s; }
  void keep_states() { keeps_states_ = true; }

  /// How much of the first `most_tokens` tokens of this request is here, up to a state where they are kept.
  Found find(const Request& request, std::int64_t most_tokens) const;
  /// The same below `from`, whatever states are there.
  std::int64_t reach(Node from, const Request& request, std::int64_t most_tokens) const;
  /// Of what was found, the tokens that no sequence holds.
  std::int64_t idle_tokens(const Found& found) const;
  /// Holds the path to where `found` ends, which becomes a node of its own. Returns it.
  Node hold(const Found& found);
  /// The tokens of `request` from the end of `from`, which is held, to `to_tokens` are computed. Holds them in place
  /// of `from`. `found_tokens` says how far they were here already.
  Node extend(Node from, const Request& request, std::int64_t to_tokens, std::int64_t& found_tokens);
  /// The path to `node` was used until now.
  void release(Node node);

  std::int64_t held_tokens() const { return held_tokens_; }
  std::int64_t tokens() const { return tokens_; }
  /// Drops the node that leaves first; requires that some tokens are not held. Returns how many left.
  std::int64_t drop_first();

  std::int64_t states() const { return states_; }
  bool has_state(Node node) const { return at(node).state; }
  /// The state behind the last token of a node that is held, and is not the root.
  void add_state(Node node);
  bool may_drop_state() const { return !may_lose_state_.empty(); }
  /// Drops the state that leaves first, and returns how many tokens left with it.
  std::int64_t drop_state();

 private:
  struct Edge {
    Node above{};
    std::int64_t begin = 0;  // tokens in front of it
    std::int64_t end = 0;
    std::int64_t block_tokens = 0;
    PrefixName before{};                // name of the whole blocks in front of it
    std::vector<BlockHash> blocks{};    // that it has a part of
    std::map<BlockHash, Node> below{};  // by the blocks of their first page, below the root by the adapter, too
    std::int64_t holders = 0;
    std::uint64_t entered = 0;
    std::uint64_t used = 0;
    std::uint32_t uses = 0;
    double used_s = 0;
    bool state = false;
    std::int64_t users = 0;  // sequences that stand here
    std::uint64_t state_used = 0;

    std::int64_t tokens() const { return end - begin; }
    std::int64_t first_block() const { return begin / block_tokens; }
    /// Name of the whole blocks in front of block `block` of the path.
    PrefixName name_before(std::int64_t block) const;
  };
  Edge& at(Node node) { return edges_[index(node)]; }
  const Edge& at(Node node) const { return edges_[index(node)]; }
  std::int64_t agrees_to(const Edge& edge, const Request& request, std::int64_t most_tokens) const;
  bool gone(const Edge& edge) const { return edge.holders == 0 && clock_s_ - edge.used_s > lifetime_s_; }
  Found find_below(Found from, const Request& request, std::int64_t most_tokens, bool also_gone) const;
  BlockHash key(Node above, PrefixName before, std::span<const BlockHash> blocks, std::int64_t block_tokens) const;
  BlockHash key(const Edge& edge) const { return key(edge.above, edge.before, edge.blocks, edge.block_tokens); }
  Node add(Edge edge);
  Node split(Node node, std::int64_t at_tokens);
  Node cut(const Found& found);
  Found up_to_state(Found found) const;
  void drop(Node node);
  std::int64_t drop_leaf(Node node);
  void lose_state(Node node);
  void touch(Node node);
  void touch_states(Node node);
  void offer_state(Node node);
  void lock(Node node);
  void unlock(Node node);
  void offer(Node node);
  template <class Tell>
  void for_units(const Edge& edge, Tell tell) const;

  const Eviction& eviction_;
  std::int64_t page_tokens_;
  double lifetime_s_;
  double clock_s_ = 0;
  PrefixListener* listener_ = nullptr;
  std::uint64_t now_ = 0;  // of CacheUse
  bool keeps_states_ = false;
  std::int64_t states_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t held_tokens_ = 0;
  std::vector<Edge> edges_;  // by index(node); the root has none
  std::vector<Node> unused_;
  EvictionQueue may_leave_;
  EvictionQueue may_lose_state_;
};

}  // namespace servecast
