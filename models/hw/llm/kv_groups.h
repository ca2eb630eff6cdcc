#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "models/base/counts.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// Layers whose KV is kept alike form groups of as many layers each, and a block holds a run of tokens of one group.
/// One group: every block has all layers, and nothing is dropped.
struct KvGroups {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  std::int64_t groups = 1;
  std::int64_t windowed = 0;  // of these, groups of layers that keep a bounded part of a sequence
  std::int64_t window_tokens = 0;  // of each sequence: the window, the chunk or the state
  std::int64_t layers = 1;      // of a group; the last one of its kind may have fewer and takes as much memory
  bool from_the_first = false;  // what they keep has its full size from the first token on: states
  bool chunked = false;  // they keep the chunk that the last token is in, which begins at a multiple of its size

  /// Blocks of one windowed group that a sequence holds at most: those with the window's tokens before the next one,
  /// wherever they begin in the first block (vLLM, SlidingWindowSpec in v1/kv_cache_interface.py). A state takes
  /// whole blocks. vLLM makes blocks as large as a state, so that one is enough.
  std::int64_t windowed_blocks(std::int64_t block_tokens) const {
    if (from_the_first || chunked) return divided_up(window_tokens, block_tokens);
    return divided_up(std::max<std::int64_t>(window_tokens - 1, 0), block_tokens) + 1;
  }
  /// The same with `runs` blocks' worth of tokens. Blocks divide chunks (group_layers() checks), so that a chunk
  /// begins with a block: vLLM's ChunkedLocalAttentionManager frees those before it.
  std::int64_t windowed_blocks(std::int64_t runs, std::int64_t block_tokens) const {
    const std::int64_t most = windowed_blocks(block_tokens);
    if (from_the_first || runs == 0) return runs == 0 ? 0 : most;
    return chunked ? (runs - 1) % most + 1 : std::min(runs, most);
  }
  /// Blocks of all groups for `runs` blocks' worth of tokens.
  std::int64_t blocks(std::int64_t runs, std::int64_t block_tokens) const {
    if (windowed == 0) return groups * runs;
    return (groups - windowed) * runs + windowed * windowed_blocks(runs, block_tokens);
  }
  /// Tokens from which on a sequence takes no more blocks of windowed groups.
  std::int64_t narrow_tokens(std::int64_t block_tokens) const {
    if (chunked) return never;
    return from_the_first ? 0 : windowed_blocks(block_tokens) * block_tokens;
  }
  /// With the token behind each multiple of these a sequence gives back what windowed groups had of it; 0: it does
  /// not.
  std::int64_t chunk_tokens() const { return chunked ? window_tokens : 0; }

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
          .from_the_first = llm.linear.has_value(),
          .chunked = llm.attention_chunk > 0};
}

}  // namespace servecast
