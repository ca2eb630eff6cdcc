#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace servecast {

/// Of the caches that are measured: what vLLM takes where nothing is said.
inline constexpr std::int64_t measured_block_tokens = 16;

/// Which blocks of a paged KV cache are whose. Those given back last are handed out first, so that after a while
/// blocks of a sequence lie scattered, as in an engine.
class BlockTables {
 public:
  BlockTables(std::int64_t blocks, std::int64_t block_tokens);

  /// Takes blocks until there is room for so many tokens; requires that there are.
  void hold(std::int64_t sequence, std::int64_t tokens);
  void release(std::int64_t sequence);
  std::span<const std::int32_t> of(std::int64_t sequence) const { return held_.at(sequence); }
  std::int64_t free_blocks() const { return static_cast<std::int64_t>(free_.size()); }
  std::int64_t block_tokens() const { return block_tokens_; }

 private:
  std::int64_t block_tokens_;
  std::vector<std::int32_t> free_{};
  std::map<std::int64_t, std::vector<std::int32_t>> held_{};
};

}  // namespace servecast
