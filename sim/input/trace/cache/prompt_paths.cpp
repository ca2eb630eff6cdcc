#include "sim/input/trace/cache/prompt_paths.h"

#include <algorithm>

namespace servecast {

void PromptPaths::add(const Request& request) {
  const std::size_t known_nodes = trie_.size();
  Prompt prompt{.prompt_tokens = request.prompt_tokens, .block_tokens = request.block_tokens};
  for (const BlockHash block : request.prefix_blocks) {
    prompt.end = trie_.child(prompt.end, block);
    ++prompt.blocks;
    if (index(prompt.end) < known_nodes) ++prompt.known_blocks;
  }
  prompts_.push_back(prompt);
}

void PromptPaths::foresee() {
  std::vector<std::uint64_t> next_use(trie_.size(), CacheUse::never_again);  // as seen from the prompt in hand
  first_run_.resize(prompts_.size());
  for (std::size_t i = prompts_.size(); i-- > 0;) {
    first_run_[i] = runs_.size();
    for (CacheEntry node = prompts_[i].end; node != PrefixTrie::root; node = trie_.parent(node)) {
      std::uint64_t& next = next_use[index(node)];
      if (runs_.size() == first_run_[i] || runs_.back().next_use != next) runs_.push_back({.next_use = next});
      ++runs_.back().blocks;
      next = i;
    }
  }
}

void PromptPaths::path(std::size_t i, std::vector<CacheEntry>& out) const {
  out.resize(static_cast<std::size_t>(prompts_[i].blocks));
  CacheEntry node = prompts_[i].end;
  for (std::size_t at = out.size(); at-- > 0; node = trie_.parent(node)) out[at] = node;
}

void PromptPaths::next_uses(std::size_t i, std::vector<std::uint64_t>& out) const {
  out.resize(static_cast<std::size_t>(prompts_[i].blocks));
  std::size_t run = first_run_[i];
  for (std::size_t end = out.size(); end > 0; ++run) {
    const std::size_t begin = end - static_cast<std::size_t>(runs_[run].blocks);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(begin), out.begin() + static_cast<std::ptrdiff_t>(end),
              runs_[run].next_use);
    end = begin;
  }
}

}  // namespace servecast
