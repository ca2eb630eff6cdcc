#pragma once
#include <cstddef>
#include <cstdint>

#include "models/policy/request.h"

namespace servecast {

/// What a router or an admission policy may ask of a pool beyond the views. Asked for when it is wanted, so that
/// policies that do not ask pay nothing. Answers are exact at this instant even where views are late: which one holds
/// which prefix, real routers ask when a request comes (LMCache's controller) or hear block by block (Dynamo's KV
/// events), while load is collected at intervals.
///
/// Replicas are named by their position in the views.
class PoolProbe {
 public:
  virtual ~PoolProbe() = default;

  /// Leading prompt tokens that the replica's KV cache holds.
  virtual std::int64_t cached_tokens(const Request& request, std::size_t replica) const = 0;
  /// Whether the replica's GPUs hold this adapter.
  virtual bool holds_adapter(AdapterId /*adapter*/, std::size_t /*replica*/) const { return true; }
  /// Tokens per KV block; 1 where the cache does not work in blocks.
  virtual std::int64_t block_tokens() const = 0;
  /// Time to compute a prompt that has a replica to itself, of which the first `cached_tokens` need no computing.
  virtual double prefill_s(std::int64_t prompt_tokens, std::int64_t cached_tokens) const = 0;
  /// What a prompt adds to the steps that compute it, in each of which so many sequences decode that together hold so
  /// many tokens.
  virtual double added_by_prompt_s(std::int64_t prompt_tokens, std::int64_t /*sequences*/,
                                   std::int64_t /*kv_tokens*/) const {
    return prefill_s(prompt_tokens, 0);
  }
  /// Time of a step in which so many sequences decode that together hold so many tokens.
  virtual double decode_step_s(std::int64_t sequences, std::int64_t kv_tokens) const = 0;
  /// Time to copy the KV of so many tokens from one replica to another while nothing else uses the links between.
  virtual double copy_s(std::size_t from, std::size_t to, std::int64_t tokens) const = 0;
};

}  // namespace servecast
