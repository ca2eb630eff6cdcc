#pragma once
#include <map>
#include <vector>

#include "models/policy/router.h"

namespace servecast {

/// A pool that a test makes up. A prompt takes 1 s per 1,000 tokens that are not cached, a decode step 1 ms per
/// sequence, a copy 1 s per 10,000 tokens.
struct MadeUpPool final : PoolProbe {
  explicit MadeUpPool(std::vector<ReplicaView> v) : views(std::move(v)), cached(views.size(), 0) {}

  std::vector<ReplicaView> views;
  std::vector<std::int64_t> cached;  // tokens of any prompt, by replica
  std::int64_t block = 10;

  ReplicaViews seen(std::span<const std::uint32_t> changed = {}) const { return {views, changed, *this}; }

  std::int64_t cached_tokens(const Request& r, std::size_t i) const override {
    return std::min(cached[i], r.prompt_tokens);
  }
  std::int64_t block_tokens() const override { return block; }
  double prefill_s(std::int64_t prompt, std::int64_t done) const override {
    return 1e-3 * static_cast<double>(prompt - done);
  }
  double decode_step_s(std::int64_t sequences, std::int64_t) const override {
    return 1e-3 * static_cast<double>(sequences);
  }
  double copy_s(std::size_t, std::size_t, std::int64_t tokens) const override {
    return 1e-4 * static_cast<double>(tokens);
  }
};

/// So many idle replicas, numbered from 0.
inline MadeUpPool idle_pool(std::uint32_t replicas) {
  std::vector<ReplicaView> views;
  for (std::uint32_t i = 0; i < replicas; ++i) views.push_back({.id = ReplicaId{i}, .total_blocks = 100});
  return MadeUpPool(std::move(views));
}

}  // namespace servecast
