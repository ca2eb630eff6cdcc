#pragma once
#include <algorithm>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/policy/request.h"

namespace servecast {

/// What a router remembers of the prompts it sent to each replica, as a stand-in for their caches: all replicas'
/// radix trees in one. A block's hash stands for the whole prompt up to there, so a tree is a set of blocks; the walk
/// to the longest match costs one look-up per block, however many replicas there are.
///
/// Blocks are forgotten leaf by leaf, least recently used first: a prompt's blocks are all used at once, and of those
/// the last one goes first, so a replica that holds a block holds those before it.
class PrefixIndex {
 public:
  struct Match {
    std::int64_t tokens = 0;  // leading prompt tokens that `replica` was sent before
    std::size_t replica = 0;
  };

  explicit PrefixIndex(std::size_t replicas) : trees_(replicas) {}

  /// The longest beginning that any replica was sent; of several, the one that got it last.
  Match longest(const Request& request) const;
  /// Leading prompt tokens that each replica was sent.
  void matches(const Request& request, std::vector<std::int64_t>& tokens) const;
  /// The request went to this replica. Tokens that no hash names count, and are never found again.
  void insert(const Request& request, std::size_t replica);
  std::int64_t tokens(std::size_t replica) const { return trees_[replica].tokens; }
  std::size_t size() const { return trees_.size(); }
  /// Makes room for so many replicas.
  void grow(std::size_t replicas) { trees_.resize(std::max(trees_.size(), replicas)); }
  /// Forgets until at most so many tokens are left of the replica's tree.
  void evict(std::size_t replica, std::int64_t max_tokens);

 private:
  struct Block {
    BlockHash hash = 0;
    std::int64_t tokens = 0;
    bool named = true;  // by a hash
  };
  using Blocks = std::list<Block>;  // the next to be forgotten first
  struct Tree {
    Blocks blocks;
    std::int64_t tokens = 0;
  };
  struct Holder {
    std::size_t replica = 0;
    std::uint64_t used = 0;
    Blocks::iterator place{};
  };
  static std::int64_t named_blocks(const Request& request);
  void add(Tree& tree, const Block& block);
  void use(BlockHash hash, std::int64_t tokens, std::size_t replica);

  std::vector<Tree> trees_;
  std::unordered_map<BlockHash, std::vector<Holder>> holders_;  // looked up, never walked through
  std::uint64_t inserts_ = 0;
};

}  // namespace servecast
