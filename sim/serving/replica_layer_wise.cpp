// Steps that compute prompts while what these are fetched from below the GPU's memory still comes in, layer by layer.
#include <algorithm>
#include <utility>

#include "sim/serving/replica.h"

namespace servecast {

/// A batch is launched: it ends when the layers that it computes on have come (Mooncake, arXiv 2407.00079,
/// section 5.2: each layer waits for its own KV). Nobody is put into another one before that, so that a step's end is
/// known when the next is filled.
void Replica::hold_for_layers(FilledBatch& batch) {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    Sequence& s = sequences_[chunk.slot];
    if (!s.fetching || s.awaited_by_batch) continue;
    s.awaited_by_batch = true;
    fetches_awaited_ += 1;
  }
  if (fetches_awaited_ > 0) held_end_s_ = std::exchange(batch.end_s, infinity);
}

/// The last layer's KV is here and is computed on from now; the first layer's came so much earlier as its share of
/// the fetch, and all are computed on from then.
void Replica::layers_fetched(Sequence& s) {
  s.awaited_by_batch = false;
  FilledBatch& batch = lanes_.front().batches.last();
  const auto layers = static_cast<double>(setup_.fetch.layers);
  const double step_s = *held_end_s_ - batch.start_s;
  const double first_layer_s = s.fetch_begun_s + (now_s_ - s.fetch_begun_s) / layers;
  held_until_s_ = std::max({held_until_s_, now_s_ + step_s / layers, first_layer_s + step_s});
  if (--fetches_awaited_ > 0) return;
  end_held_batch(batch, std::exchange(held_until_s_, 0));
  stage_free_s_.front() = batch.end_s;
  lanes_.front().ended = true;
}

}  // namespace servecast
