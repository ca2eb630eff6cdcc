#pragma once
#include <algorithm>
#include <cstdint>

#include "models/base/counts.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// Layers whose KV is kept alike form groups of as many layers each, and a block holds a run of tokens of one group.
/// One group: every block has all layers, and nothing is dropped.
struct KvGroups {
  std::int64_t groups = 1;
  std::int64_t windowed = 0;  // of these, groups of layers that keep a bounded part of a sequence
  std::int64_t window_tokens = 0;
  std::int64_t layers = 1;      // of a group; the last one of its kind may have fewer and takes as much memory
  bool from_the_first = false;  // what they keep has its full size from the first token on: states

  /// Blocks of one windowed group that a sequence holds at most: those with the window's tokens before the next one,
  /// wherever they begin in the first block (vLLM, SlidingWindowSpec in v1/kv_cache_interface.py). A state takes
  /// whole blocks. vLLM makes blocks as large as a state, so that one is enough.
  std::int64_t windowed_blocks(std::int64_t block_tokens) const {
    if (from_the_first) return divided_up(window_tokens, block_tokens);
    return divided_up(std::max<std::int64_t>(window_tokens - 1, 0), block_tokens) + 1;
  }
  /// Blocks of all groups for `runs` blocks' worth of tokens.
  std::int64_t blocks(std::int64_t runs, std::int64_t block_tokens) const {
    if (windowed == 0 || runs == 0) return groups * runs;
    const std::int64_t most = windowed_blocks(block_tokens);
    return (groups - windowed) * runs + windowed * (from_the_first ? most : std::min(runs, most));
  }
  /// Tokens from which on a sequence takes no more blocks of windowed groups.
  std::int64_t narrow_tokens(std::int64_t block_tokens) const {
    return from_the_first ? 0 : windowed_blocks(block_tokens) * block_tokens;
  }

  bool operator==(const KvGroups&) const = default;
};

/// As vLLM groups the layers of a model (v1/core/kv_cache_utils.py, _get_kv_cache_groups_uniform_page_size): groups
/// have as many layers as the rarer kind has, or as the other one where that has less than a quarter more.
inline KvGroups kv_groups(const Llm& llm, DataType kv) {
  const std::int64_t windowed = llm.bounded_layers();
  const std::int64_t full = llm.layers - windowed;
  if (windowed == 0) return {.layers = llm.layers};
  const std::int64_t fewer = std::min(windowed, full) > 0 ? std::min(windowed, full) : llm.layers;
  const std::int64_t more = std::max(windowed, full);
  const std::int64_t each = 4 * more < 5 * fewer ? more : fewer;
  const std::int64_t of_windowed = divided_up(windowed, each);
  return {.groups = of_windowed + divided_up(full, each),
          .windowed = of_windowed,
          .window_tokens = bounded_tokens(llm, kv),
          .layers = each,
          .from_the_first = llm.linear.has_value()};
}

}  // namespace servecast
