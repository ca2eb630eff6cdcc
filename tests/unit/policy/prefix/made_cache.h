#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/policy/kv_cache.h"
#include "sim/contract/set_by_key.h"

namespace servecast {

/// A cache of so many tokens.
inline std::unique_ptr<KvCache> made_cache(const std::string& policy, std::int64_t tokens,
                                           std::map<std::string, std::string> settings = {}) {
  const auto prepared = Registry<KvCache>::all().at(policy).prepare();
  SetByKey fields(std::move(settings));
  prepared->fields(fields);
  auto cache = prepared->make();
  cache->resize(tokens);
  return cache;
}

/// A request with hashes of its own, and what it holds.
struct Holder {
  Holder(std::vector<BlockHash> blocks, std::int64_t prompt_tokens, std::int32_t block_tokens,
         std::vector<BlockHash> said_blocks = {})
      : hashes(std::move(blocks)), said(std::move(said_blocks)) {
    request.prompt_tokens = prompt_tokens;
    request.block_tokens = block_tokens;
    request.prefix_blocks = hashes;
    request.said_blocks = said;
  }
  Holder(Holder&&) = default;
  Holder& operator=(Holder&&) = default;

  /// Computes its whole prompt.
  bool compute(KvCache& cache) {
    if (!cache.hold(request, held, request.prompt_tokens, true)) return false;
    cache.computed(request, held, request.prompt_tokens);
    return true;
  }
  /// Makes all its output tokens but the last, and is done.
  void finish(KvCache& cache, std::int64_t output_tokens) {
    const std::int64_t tokens = request.prompt_tokens + output_tokens - 1;
    const std::int64_t blocks = cache.blocks_for(request, tokens);
    cache.grow(blocks - held.blocks);
    held.blocks = blocks;
    held.tokens = tokens;
    cache.computed(request, held, tokens);
    cache.release(request, held);
  }
  void release(KvCache& cache) { cache.release(request, held); }

  std::vector<BlockHash> hashes;
  std::vector<BlockHash> said;
  Request request{};
  KvHeld held{};
};

}  // namespace servecast
