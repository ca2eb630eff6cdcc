#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/policy/prefix/prefix_trie.h"
#include "models/policy/request.h"

namespace servecast {

/// The prompts of a trace as paths in one tree of prefixes. A path is kept as its end, from which the tree leads back
/// to the root, so a trace takes memory for its distinct blocks and a little for each request.
class PromptPaths {
 public:
  struct Prompt {
    CacheEntry end{};
    std::int64_t blocks = 0;
    std::int64_t known_blocks = 0;  // leading ones that an earlier prompt had as well
    std::int64_t prompt_tokens = 0;
    std::int32_t block_tokens = 0;

    /// Tokens in its first so many blocks; the last block of a prompt may be part-filled.
    std::int64_t tokens_in(std::int64_t leading_blocks) const {
      return std::min(leading_blocks * block_tokens, prompt_tokens);
    }
  };

  void add(const Request& request);
  /// Finds out when each block of each prompt is used again. Called once, after the last add().
  void foresee();

  const PrefixTrie& trie() const { return trie_; }
  const std::vector<Prompt>& prompts() const { return prompts_; }
  /// The nodes of the i-th prompt, from the root's child on.
  void path(std::size_t i, std::vector<CacheEntry>& out) const;
  /// The number of the next prompt that uses each of them, CacheUse::never_again where there is none. After
  /// foresee().
  void next_uses(std::size_t i, std::vector<std::uint64_t>& out) const;

 private:
  /// So many blocks in a row that are next used by the same prompt: a block is used no later than those behind it, so
  /// a prompt has few such runs.
  struct Run {
    std::uint64_t next_use = CacheUse::never_again;
    std::int64_t blocks = 0;
  };
  PrefixTrie trie_;
  std::vector<Prompt> prompts_;
  std::vector<Run> runs_;               // of the last prompt first, and of each its last blocks first
  std::vector<std::size_t> first_run_;  // by prompt
};

}  // namespace servecast
