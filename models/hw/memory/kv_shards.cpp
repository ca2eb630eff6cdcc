#include "models/hw/memory/kv_shards.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace servecast {
namespace {

struct Heads {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Of `heads`, those that a rank holds; with more ranks than heads, several hold the same one.
Heads heads_of(std::int64_t rank, std::int64_t heads, std::int64_t ranks) {
  if (ranks >= heads) return {.first = rank * heads / ranks, .count = 1};
  return {.first = rank * (heads / ranks), .count = heads / ranks};
}

/// The rank that gives a head to rank `for_rank` of the other side.
std::int64_t holder(std::int64_t head, std::int64_t heads, std::int64_t ranks, std::int64_t for_rank) {
  if (ranks < heads) return head / (heads / ranks);
  const std::int64_t copies = ranks / heads;
  return head * copies + for_rank % copies;
}

struct Layers {
  std::int64_t full = 0;
  std::int64_t bounded = 0;
};

/// Layers that two stages have in common.
Layers common_layers(const Llm& llm, const LayerRange& there, const LayerRange& here) {
  Layers layers;
  for (std::int64_t layer = std::max(there.first, here.first); layer < std::min(there.last, here.last); ++layer)
    ++(llm.bounded(layer) ? layers.bounded : layers.full);
  return layers;
}

}  // namespace

std::vector<KvShard> kv_shards(const Llm& llm, DataType kv, const Shape& from, const Shape& to) {
  const std::int64_t heads = llm.latent ? 1 : llm.kv_heads;
  const double head_bytes = kv_bytes_per_token_and_layer(llm, kv) / static_cast<double>(heads);
  std::map<std::pair<std::int64_t, std::int64_t>, KvShard> shards;  // by to, from
  for (std::int64_t s = 0; s < from.pipeline_parallel; ++s) {
    const LayerRange there = stage_layers(llm.layers, from.pipeline_parallel, s);
    for (std::int64_t t = 0; t < to.pipeline_parallel; ++t) {
      const LayerRange here = stage_layers(llm.layers, to.pipeline_parallel, t);
      const Layers layers = common_layers(llm, there, here);
      if (layers.full + layers.bounded == 0) continue;
      for (std::int64_t rank = 0; rank < to.tensor_parallel; ++rank) {
        const Heads wanted = heads_of(rank, heads, to.tensor_parallel);
        for (std::int64_t head = wanted.first; head < wanted.first + wanted.count; ++head) {
          const std::int64_t giver = holder(head, heads, from.tensor_parallel, rank);
          KvShard& shard = shards[{t * to.tensor_parallel + rank, s * from.tensor_parallel + giver}];
          shard.bytes_per_token += static_cast<double>(layers.full) * head_bytes;
          shard.bounded_bytes_per_token += static_cast<double>(layers.bounded) * head_bytes;
        }
      }
    }
  }
  std::vector<KvShard> in_order;
  for (auto& [gpus, shard] : shards) {
    std::tie(shard.to_gpu, shard.from_gpu) = gpus;
    in_order.push_back(shard);
  }
  return in_order;
}

}  // namespace servecast
