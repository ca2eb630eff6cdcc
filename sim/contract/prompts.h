#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/prefix/prefix_cache.h"

namespace servecast {

using Prompt = std::vector<BlockHash>;

inline std::unique_ptr<Eviction> make_eviction(const std::string& name) {
  return Registry<Eviction>::all().at(name).prepare()->make();
}

/// Prompts as nodes of one tree, and which later prompt uses each block again.
struct Paths {
  PrefixTrie trie{};
  std::vector<std::vector<CacheEntry>> nodes{};
  std::vector<std::vector<std::uint64_t>> next_uses{};

  explicit Paths(const std::vector<Prompt>& prompts) {
    for (const Prompt& prompt : prompts) {
      nodes.emplace_back();
      for (CacheEntry at = PrefixTrie::root; const BlockHash block : prompt)
        nodes.back().push_back(at = trie.child(at, block));
    }
    std::map<CacheEntry, std::uint64_t> next;
    next_uses.resize(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;)
      for (const CacheEntry node : nodes[i]) {
        next_uses[i].push_back(next.contains(node) ? next[node] : CacheUse::never_again);
        next[node] = i;
      }
  }
};

/// A cache, and what each prompt found in it.
struct EvictionReplay {
  std::unique_ptr<Eviction> eviction;
  PrefixCache cache;
  std::vector<std::size_t> found{};

  EvictionReplay(const Paths& paths, std::unique_ptr<Eviction> policy, std::int64_t capacity_blocks)
      : eviction(std::move(policy)), cache(paths.trie, capacity_blocks, *eviction) {}
  EvictionReplay(const Paths& paths, const std::string& policy, std::int64_t capacity_blocks)
      : EvictionReplay(paths, make_eviction(policy), capacity_blocks) {}
  void serve(const Paths& paths, std::size_t i) {
    found.push_back(
        cache.serve(paths.nodes[i], eviction->clairvoyant() ? paths.next_uses[i] : std::vector<std::uint64_t>()));
  }
  std::size_t found_blocks() const {
    std::size_t sum = 0;
    for (const std::size_t blocks : found) sum += blocks;
    return sum;
  }
};

inline EvictionReplay replay(const Paths& paths, std::unique_ptr<Eviction> policy, std::int64_t capacity_blocks) {
  EvictionReplay out(paths, std::move(policy), capacity_blocks);
  for (std::size_t i = 0; i < paths.nodes.size(); ++i) out.serve(paths, i);
  return out;
}
inline EvictionReplay replay(const Paths& paths, const std::string& policy, std::int64_t capacity_blocks) {
  return replay(paths, make_eviction(policy), capacity_blocks);
}

/// Prompts of up to a dozen blocks; each begins like an earlier one, or like none.
inline std::vector<Prompt> random_prompts(std::uint64_t seed, std::size_t count) {
  Rng rng(seed, "prompts");
  std::vector<Prompt> prompts;
  while (prompts.size() < count) {
    Prompt prompt;
    if (!prompts.empty() && rng.uniform() < 0.8) {
      prompt = prompts[prompts.size() - 1 - rng.below(std::min<std::size_t>(prompts.size(), 30))];
      prompt.resize(std::min<std::size_t>(prompt.size(), rng.below(12)));
    }
    for (std::uint64_t more = rng.below(5); more > 0; --more) prompt.push_back(rng.below(6));
    prompts.push_back(prompt);
  }
  return prompts;
}

}  // namespace servecast
