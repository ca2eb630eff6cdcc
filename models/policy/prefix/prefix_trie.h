#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/ids.h"
#include "models/policy/eviction.h"
#include "models/policy/request.h"

namespace servecast {

/// All beginnings of prompts, as a tree: a node is a block behind its parent, so the same block behind another prompt
/// is another node. Numbered as they first appear, the root (a prompt of no blocks) first. Grows and never shrinks.
class PrefixTrie {
 public:
  static constexpr CacheEntry root{};

  PrefixTrie();
  /// The node of `block` behind `parent`; made where there is none.
  CacheEntry child(CacheEntry parent, BlockHash block);
  CacheEntry parent(CacheEntry node) const { return nodes_[index(node)].parent; }
  /// Nodes, the root included: numbers are below this.
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    BlockHash block = 0;
    CacheEntry parent{};
    bool operator==(const Node&) const = default;
  };
  static std::uint64_t hash(const Node& node);
  void grow();

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  // open addressing by hash(node): the number of a node; 0 is free
};

}  // namespace servecast
