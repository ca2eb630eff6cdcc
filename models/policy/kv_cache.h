#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "models/base/counts.h"
#include "models/base/registry.h"
#include "models/hw/llm/kv_groups.h"
#include "models/policy/request.h"

namespace servecast {

/// What one sequence holds in the cache.
struct KvHeld {
  std::int64_t tokens = 0;
  std::int64_t blocks = 0;  // shared ones included
  std::int64_t shared = 0;  // leading hash blocks of its prompt that others may use too
  std::int64_t place = 0;   // the cache's own note of where they are
};

/// Leading tokens that all sequences of a request have in common. Samples: the prompt. Beams fork again and again:
/// when each of k candidates stems from any of the k before it with equal chance, all stem from one 2 (k - 1) tokens
/// ago (mean time to the most recent common ancestor, Kingman 1982). With that, memory saved on Alpaca and ShareGPT
/// lengths comes within 13 points of Kwon et al., SOSP 2023, figure 15.
inline std::int64_t common_tokens(const Request& request, std::int64_t tokens) {
  const std::int64_t forked = request.beam_width > 1 ? tokens - 2 * (request.beam_width - 1) : 0;
  return std::max(request.prompt_tokens, forked);
}

/// Settings of every cache of fixed blocks.
struct BlockSettings {
  std::int64_t block_tokens = 16;
  double watermark_fraction = 0;
  std::optional<std::int64_t> num_gpu_blocks_override{};

  void fields(Fields& f) {
    f.field("block_tokens", block_tokens, "tokens per block", {.min = 1, .max = 4096});
    f.field("watermark_fraction", watermark_fraction,
            "share of blocks that admitting a request must leave free (vLLM v0: 0.01)", {.min = 0, .max = 0.99});
    f.field("num_gpu_blocks_override", num_gpu_blocks_override,
            "blocks, whatever the memory plan says; left out: as many as fit", at_least_one);
  }
  std::int64_t blocks(std::int64_t capacity_tokens) const {
    return num_gpu_blocks_override.value_or(capacity_tokens / block_tokens);
  }
  std::int64_t watermark(std::int64_t blocks) const {
    return static_cast<std::int64_t>(watermark_fraction * static_cast<double>(blocks));
  }
  std::int64_t blocks_for(std::int64_t tokens) const { return divided_up(tokens, block_tokens); }
  /// Of a request of which each sequence holds `tokens` tokens. Sequences side by side share the whole blocks of what
  /// they have in common and copy the last one before they write to it (copy-on-write, PagedAttention, section 4.4).
  std::int64_t blocks_for(const Request& request, std::int64_t tokens, const KvGroups& groups = {}) const {
    const std::int64_t one = blocks_for(tokens);
    if (request.width() == 1 || tokens <= request.prompt_tokens) return groups.blocks(one, block_tokens);
    const std::int64_t common = common_tokens(request, tokens) / block_tokens;
    if (groups.windowed == 0) return common + request.width() * (one - common);
    // What only windowed layers keep is near the end: no whole block of it stays common.
    const std::int64_t full = (groups.groups - groups.windowed) * (common + request.width() * (one - common));
    return full + request.width() * groups.windowed * groups.windowed_blocks(one, block_tokens);
  }
};

/// Hears what a cache of prefixes holds, to keep copies elsewhere. A unit is a run of `tokens` tokens of a
/// prompt behind the unit before it; its hash stands for all of the prompt up to its end.
class PrefixListener {
 public:
  virtual ~PrefixListener() = default;
  /// It is in the cache now and was not before: this request has computed it, or fetched it.
  virtual void computed(RequestId by, BlockHash unit, std::int64_t tokens) = 0;
  virtual void dropped(BlockHash unit, std::int64_t tokens) = 0;  // its memory was wanted for something else
};

/// The KV cache of one replica: which sequence holds how many blocks. Counted in blocks of all its GPUs together.
///
/// Two ways to take blocks: `hold` for the chunk of a prompt, and `grow` for the tokens that decoding sequences make,
/// for all sequences in one call, so that a step costs the same for one sequence and for five hundred.
class KvCache {
 public:
  static constexpr std::string_view kind = "kv_cache";
  static constexpr PolicyListing listing{"kv_caches", "which sequence holds which KV blocks"};
  virtual ~KvCache() = default;

  /// True where it can give back what no layer of a group attends to any more: only then set_groups() is called,
  /// once, before anything else.
  virtual bool drops_outside_window() const { return false; }
  /// True where it can also keep states, which have their full size from the first token on (linear attention).
  virtual bool keeps_states() const { return false; }
  void set_groups(const KvGroups& groups) { groups_ = groups; }
  const KvGroups& groups() const { return groups_; }

  /// Called once, before anything else is asked. `capacity_tokens` is what the memory plan leaves for KV, in tokens
  /// of which all layers are kept: a block of one group is the groups-th part of its tokens' KV.
  virtual void resize(std::int64_t capacity_tokens) = 0;

  virtual std::int64_t total_blocks() const = 0;
  virtual std::int64_t free_blocks() const = 0;
  std::int64_t used_blocks() const { return total_blocks() - free_blocks(); }

  /// The most blocks that one sequence can ever get: total_blocks() less the watermark.
  virtual std::int64_t admissible_blocks() const = 0;

  /// Blocks of a request of which each sequence holds this many tokens.
  virtual std::int64_t blocks_for(const Request& request, std::int64_t tokens) const = 0;

  /// The most that a request ever holds until each of its sequences holds `tokens` tokens. Beams give blocks back
  /// when what they have in common fills one; but from any token to the one a block later they hold at least one
  /// more. Layers that attend within chunks have most of a sequence where a chunk ends.
  std::int64_t most_blocks_for(const Request& request, std::int64_t tokens) const {
    const std::int64_t in_turn = request.width() == 1 ? 1 : std::max<std::int64_t>(1, growth_tokens());
    std::int64_t most = blocks_for(request, whole_chunks(tokens));
    for (std::int64_t held = tokens; held > tokens - in_turn && held >= request.prompt_tokens; --held)
      most = std::max(most, blocks_for(request, held));
    return most;
  }

  /// Leading prompt tokens that need no computing because an earlier request left them here. Asked at admission.
  virtual std::int64_t cached_tokens(const Request& request) const = 0;

  /// Are blocks free for what hold() would do?
  virtual bool has_room(const Request& request, const KvHeld& held, std::int64_t tokens, bool admission) const = 0;

  /// Makes `held` hold `tokens` tokens (never fewer than now). False, and nothing changes, where blocks are short.
  /// `admission` marks a new sequence: it uses what is cached of its prompt and must leave the watermark free; a
  /// running one may use that up.
  virtual bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) = 0;

  /// The first `tokens` tokens of the prompt are computed: others may use them from now on. Once a request of one
  /// sequence has made its last token, also of prompt and output together.
  virtual void computed(const Request& /*request*/, KvHeld& /*held*/, std::int64_t /*tokens*/) {}

  /// A decoding sequence takes one more block of each group each time its tokens pass a multiple of this; 0: it never
  /// grows. From windowed groups it then has as many as it ever needs once it holds narrow_tokens().
  virtual std::int64_t growth_tokens() const = 0;

  /// Decoding sequences take so many blocks more; below 0: beams that have become one give them back. Requires that
  /// so many are free.
  virtual void grow(std::int64_t blocks) = 0;

  /// Gives back all that a sequence holds; `held` says how much that is by now. The hashes of `request` may be gone:
  /// its client has given up.
  virtual void release(const Request& request, const KvHeld& held) = 0;

  /// Tokens that a sequence attends to at most; those between its first and its last ones are forgotten.
  virtual std::int64_t attended_tokens() const { return std::numeric_limits<std::int64_t>::max(); }

  /// True where prompts that begin alike share what they have in common: then a listener may be set.
  virtual bool shares_prefixes() const { return false; }
  virtual void set_listener(PrefixListener& /*listener*/) {}

  /// True where time matters: then the clock is set before anything else is asked at that instant.
  virtual bool reads_clock() const { return false; }
  virtual void set_clock(double /*now_s*/) {}

  /// What is wrong with its settings, if anything.
  virtual std::optional<std::string> problem() const { return std::nullopt; }

 protected:
  /// Of so many tokens, those of chunks that have ended; none where layers do not attend within chunks.
  std::int64_t whole_chunks(std::int64_t tokens) const {
    const std::int64_t chunk = groups_.chunk_tokens();
    return chunk > 0 ? tokens - tokens % chunk : 0;
  }

 private:
  KvGroups groups_{};
};

}  // namespace servecast
