#include "models/policy/prefix/prefix_trie.h"

#include <cassert>
#include <limits>

#include "models/base/mixed_bits.h"

namespace servecast {

PrefixTrie::PrefixTrie() : nodes_(1), slots_(1 << 12) {}  // a power of two

CacheEntry PrefixTrie::child(CacheEntry parent, BlockHash block) {
  const Node wanted{.block = block, .parent = parent};
  // Most nodes have one child, made right after them: then the search stays within a line of memory.
  if (const std::size_t next = index(parent) + 1; next < nodes_.size() && nodes_[next] == wanted)
    return static_cast<CacheEntry>(next);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(wanted) & mask;
  while (slots_[at] != 0 && nodes_[slots_[at]] != wanted) at = (at + 1) & mask;
  if (slots_[at] != 0) return CacheEntry{slots_[at]};
  assert(nodes_.size() < std::numeric_limits<std::uint32_t>::max());
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  slots_[at] = made;
  nodes_.push_back(wanted);
  if (2 * nodes_.size() > slots_.size()) grow();
  return CacheEntry{made};
}

std::uint64_t PrefixTrie::hash(const Node& node) {
  return mixed_bits(node.block + 0x9e3779b97f4a7c15u * (index(node.parent) + 1));
}

void PrefixTrie::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    std::size_t at = hash(nodes_[node]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(node);
  }
}

}  // namespace servecast
