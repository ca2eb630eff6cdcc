#include "models/policy/prefix/prefix_index.h"

#include <algorithm>

namespace servecast {

/// Full blocks only: a block that the prompt does not fill names more than the prompt.
std::int64_t PrefixIndex::named_blocks(const Request& r) {
  if (r.block_tokens == 0) return 0;
  return std::min<std::int64_t>(static_cast<std::int64_t>(r.prefix_blocks.size()), r.prompt_tokens / r.block_tokens);
}

PrefixIndex::Match PrefixIndex::longest(const Request& r) const {
  const std::vector<Holder>* deepest = nullptr;
  std::int64_t found = 0;
  for (; found < named_blocks(r); ++found) {
    const auto at = holders_.find(r.prefix_blocks[static_cast<std::size_t>(found)]);
    if (at == holders_.end()) break;
    deepest = &at->second;
  }
  if (!deepest) return {};
  return {.tokens = found * r.block_tokens,
          .replica = std::ranges::max_element(*deepest, {}, &Holder::used)->replica};
}

// A replica that holds a block holds those before it, so the last block says for each how far it goes.
void PrefixIndex::matches(const Request& r, std::vector<std::int64_t>& tokens) const {
  tokens.assign(trees_.size(), 0);
  for (std::int64_t i = 0; i < named_blocks(r); ++i) {
    const auto at = holders_.find(r.prefix_blocks[static_cast<std::size_t>(i)]);
    if (at == holders_.end()) return;
    for (const Holder& holder : at->second)
      if (tokens[holder.replica] == i * r.block_tokens) tokens[holder.replica] += r.block_tokens;
  }
}

// From the last block to the first, so that the first is the last to be forgotten.
void PrefixIndex::insert(const Request& r, std::size_t replica) {
  ++inserts_;
  const std::int64_t named = named_blocks(r);
  const std::int64_t rest = r.prompt_tokens - named * r.block_tokens;
  if (rest > 0) add(trees_[replica], {.tokens = rest, .named = false});
  for (std::int64_t i = named - 1; i >= 0; --i)
    use(r.prefix_blocks[static_cast<std::size_t>(i)], r.block_tokens, replica);
}

void PrefixIndex::add(Tree& tree, const Block& block) {
  tree.blocks.push_back(block);
  tree.tokens += block.tokens;
}

void PrefixIndex::use(BlockHash hash, std::int64_t tokens, std::size_t replica) {
  Tree& tree = trees_[replica];
  std::vector<Holder>& holders = holders_[hash];
  const auto at = std::ranges::find(holders, replica, &Holder::replica);
  if (at == holders.end()) {
    add(tree, {.hash = hash, .tokens = tokens});
    holders.push_back({.replica = replica, .used = inserts_, .place = std::prev(tree.blocks.end())});
    return;
  }
  at->used = inserts_;
  tree.blocks.splice(tree.blocks.end(), tree.blocks, at->place);
}

void PrefixIndex::evict(std::size_t replica, std::int64_t max_tokens) {
  Tree& tree = trees_[replica];
  while (tree.tokens > max_tokens) {
    const Block leaf = tree.blocks.front();
    tree.blocks.pop_front();
    tree.tokens -= leaf.tokens;
    if (!leaf.named) continue;
    const auto at = holders_.find(leaf.hash);
    std::erase_if(at->second, [&](const Holder& h) { return h.replica == replica; });
    if (at->second.empty()) holders_.erase(at);
  }
}

}  // namespace servecast
