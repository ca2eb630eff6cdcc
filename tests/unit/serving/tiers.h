#pragma once
#include <memory>
#include <numeric>
#include <vector>

#include "sim/serving/resources/kv_tiers.h"
#include "tests/unit/serving/fixture.h"

namespace servecast {

inline std::unique_ptr<TierStore> store(std::int64_t tokens) {
  return std::make_unique<TierStore>(tokens, Registry<Eviction>::all().at("lru").prepare()->make());
}

inline std::vector<BlockHash> numbered(BlockHash first, std::size_t count) {
  std::vector<BlockHash> blocks(count);
  std::iota(blocks.begin(), blocks.end(), first);
  return blocks;
}
inline Request prompt(const std::vector<BlockHash>& blocks, std::int64_t tokens) {
  return {.prompt_tokens = tokens, .block_tokens = 10, .prefix_blocks = blocks};
}

}  // namespace servecast
