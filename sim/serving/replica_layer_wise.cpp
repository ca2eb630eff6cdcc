// Steps that compute prompts while what these are fetched from below the GPU's memory still comes in, layer by layer
// (Mooncake, arXiv 2407.00079, section 5.2: each layer waits for its own KV).
#include <algorithm>
#include <utility>

#include "sim/serving/replica.h"

namespace servecast {

void Replica::await_layers(const Lane& lane, FilledBatch& batch) {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    Sequence& s = sequences_[chunk.slot];
    if (!s.fetching || s.awaited_by) continue;
    s.awaited_by = static_cast<std::uint16_t>(number(lane));
    batch.run.awaited += 1;
  }
}

/// The last layer's KV is here; the first layer's came so much earlier as its share of the fetch.
void Replica::layers_fetched(Sequence& s, ReplicaListener& listener) {
  Lane& lane = lanes_[*std::exchange(s.awaited_by, std::nullopt)];
  FilledBatch& batch = lane.batches.last();
  const double fetch_s = now_s_ - s.fetch_begun_s;
  batch.run.first_layer_s =
      std::max(batch.run.first_layer_s, s.fetch_begun_s + fetch_s / static_cast<double>(setup_.fetch.layers));
  batch.run.last_layer_s = std::max(batch.run.last_layer_s, now_s_);
  batch.run.awaited -= 1;
  settle_run(lane, batch, listener);
}

}  // namespace servecast
