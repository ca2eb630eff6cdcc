#pragma once
#include <algorithm>
#include <cstdint>

#include "models/base/mixed_bits.h"
#include "models/policy/request.h"

namespace servecast {

/// Names a beginning of prompts, block by block; by default the empty one of the model without an adapter. Hash
/// blocks alone do not: in some traces the same passage has the same hash behind any other. Blocks that are numbered
/// in a row get names in a row, which keeps tables of them near each other in memory.
struct PrefixName {
  std::uint64_t context = 0;  // stands for all before the row that `block` is in, and where the row begins
  BlockHash block = 0;

  /// Before the first block. KV depends on the adapter, or the model, that computes it, so its id is part of the hash
  /// of every block, as in vLLM (generate_block_hash_extra_keys in v1/core/kv_cache_utils.py).
  static PrefixName start(const Request& request) {
    if (request.adapter == AdapterId{}) return {};
    return {.context = mixed_bits(0x9e3779b97f4a7c15u * (index(request.adapter) + std::uint64_t{1}))};
  }
  PrefixName then(BlockHash next) const {
    if (next == block + 1) return {context, next};
    return {mixed_bits(mixed_bits(context + 0x9e3779b97f4a7c15u * (block + 1)) + next), next};
  }
  BlockHash value() const { return context + block; }
};

/// The runs of tokens in which a request can share its beginning with others, in a cache of blocks: whole blocks both
/// of the cache and of the trace's hashes. So a unit is the larger of the two, of which one must divide the other
/// (else nothing is shared).
class PrefixUnits {
 public:
  PrefixUnits(const Request& request, std::int64_t cache_block_tokens) : request_(request) {
    if (request.block_tokens == 0) return;
    const std::int64_t low = std::min<std::int64_t>(request.block_tokens, cache_block_tokens);
    const std::int64_t high = std::max<std::int64_t>(request.block_tokens, cache_block_tokens);
    if (high % low == 0) tokens_ = high;
  }

  /// The name in front of the first unit.
  PrefixName start() const { return PrefixName::start(request_); }
  /// Of one unit; 0: this request shares nothing.
  std::int64_t tokens() const { return tokens_; }
  /// Whole ones among the first `tokens` tokens of prompt and output, as far as these have hashes.
  std::int64_t within(std::int64_t tokens) const {
    if (tokens_ == 0) return 0;
    const std::int64_t hashed = static_cast<std::int64_t>(request_.said().size()) * request_.block_tokens;
    return std::min(hashed, tokens) / tokens_;
  }
  /// Those that may be found instead of computed: at least the prompt's last token is always computed.
  std::int64_t reusable() const { return within(request_.prompt_tokens - 1); }
  /// The name of a unit, given that of the one in front of it: it stands for all of the prompt up to the unit's end.
  PrefixName name(PrefixName before, std::int64_t unit) const {
    const auto block = [&](std::int64_t i) { return static_cast<std::size_t>(i * tokens_ / request_.block_tokens); };
    for (std::size_t i = block(unit); i < block(unit + 1); ++i) before = before.then(request_.said()[i]);
    return before;
  }

 private:
  const Request& request_;
  std::int64_t tokens_ = 0;
};

}  // namespace servecast
