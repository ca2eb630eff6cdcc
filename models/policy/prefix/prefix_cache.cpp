#include "models/policy/prefix/prefix_cache.h"

#include <cassert>

namespace servecast {

PrefixCache::PrefixCache(const PrefixTrie& trie, std::int64_t capacity_blocks, const Eviction& eviction)
    : trie_(trie),
      eviction_(eviction),
      leaves_only_(eviction.leaves_only()),
      clairvoyant_(eviction.clairvoyant()),
      capacity_(capacity_blocks),
      nodes_(trie.size()),
      may_leave_(trie.size()) {
  assert(capacity_ >= 1);
  at(PrefixTrie::root) = {.below = 1, .uses = 1};  // no block: always there, never offered, not counted
}

std::size_t PrefixCache::serve(std::span<const CacheEntry> prompt, std::span<const std::uint64_t> next_uses) {
  assert(next_uses.size() == (clairvoyant_ ? prompt.size() : 0));
  std::size_t found = 0;
  while (found < prompt.size() && holds(prompt[found])) ++found;
  const CacheEntry last = found > 0 ? prompt[found - 1] : PrefixTrie::root;
  if (leaves_only_) hold(last);
  for (std::size_t i = 0; i < found; ++i) use(prompt[i], clairvoyant_ ? next_uses[i] : CacheUse::never_again);
  bring_in(prompt.subspan(found), clairvoyant_ ? next_uses.subspan(found) : next_uses);
  if (leaves_only_) release(last);
  return found;
}

void PrefixCache::use(CacheEntry node, std::uint64_t next_use) {
  const CacheUse use{.now = ++now_, .entered = at(node).entered, .uses = ++at(node).uses, .next_use = next_use};
  const std::uint64_t rank = eviction_.rank(use);
  if (rank == at(node).rank) return;
  at(node).rank = rank;
  if (!may_leave_.contains(node)) return;
  may_leave_.withdraw(node);
  may_leave_.offer(node, rank);
}

void PrefixCache::bring_in(std::span<const CacheEntry> missing, std::span<const std::uint64_t> next_uses) {
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (holds(missing[i])) continue;  // it outlived a block before it
    ++now_;
    const CacheUse use{.now = now_, .entered = now_, .next_use = clairvoyant_ ? next_uses[i] : CacheUse::never_again};
    if (used_ == capacity_ && !make_room(eviction_.rank(use))) return;
    if (leaves_only_ && !holds(trie_.parent(missing[i]))) return;  // the request's own last block made the room
    take(missing[i], use);
  }
}

bool PrefixCache::make_room(std::uint64_t newcomer_rank) {
  if (may_leave_.empty()) return false;
  if (clairvoyant_ && may_leave_.first_rank() >= newcomer_rank) return false;
  drop(may_leave_.first());
  return true;
}

void PrefixCache::take(CacheEntry node, const CacheUse& use) {
  at(node) = {.entered = use.entered, .rank = eviction_.rank(use), .uses = 1};
  if (++used_ == capacity_) was_full_ = true;
  if (leaves_only_) hold(trie_.parent(node));
  may_leave_.offer(node, at(node).rank);
}

void PrefixCache::drop(CacheEntry node) {
  may_leave_.withdraw(node);
  at(node).uses = 0;
  --used_;
  if (leaves_only_) release(trie_.parent(node));
}

/// One more reason for a block to stay.
void PrefixCache::hold(CacheEntry node) {
  if (at(node).below++ == 0) may_leave_.withdraw(node);
}

void PrefixCache::release(CacheEntry node) {
  if (--at(node).below == 0) may_leave_.offer(node, at(node).rank);
}

}  // namespace servecast
