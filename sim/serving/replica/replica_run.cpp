// When a batch that was launched ends: its stages say so, at once or when what it waits for has come.
#include <algorithm>
#include <utility>

#include "sim/serving/replica/replica.h"

namespace servecast {

/// From `ready_s` on the first stage may take it.
void Replica::begin_run(Lane& lane, FilledBatch& batch, double ready_s, ReplicaListener& listener) {
  if (setup_.fetch.layers > 0) await_layers(batch);
  stages_.launch(batch, ready_s, stages_.experts() ? token_runs(lane) : std::vector<TokenRun>{}, now_s_);
  take_end(batch, stages_.end_s(batch), listener);
}

/// It computes behind what is fetched for it, layer by layer.
void Replica::await_layers(FilledBatch& batch) {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    Sequence& s = sequences_[chunk.slot];
    if (!s.fetching || s.awaited_by) continue;
    s.awaited_by = static_cast<std::uint16_t>(batch.run.lane);
    batch.run.fetches += 1;
  }
}

/// Something came, or somebody else uses the links now: ends may be known that were not, or be others. Behind who is
/// through the first stage another batch can be filled.
void Replica::take_ends(ReplicaListener& listener) {
  bool changed = false;
  for (FilledBatch* batch : stages_.in_flight()) {
    const double end_s = stages_.end_s(*batch);
    changed |= end_s != batch->end_s;
    if (!changed) continue;
    lanes_[batch->run.lane].ended |= batch->end_s == infinity && end_s < infinity;  // the next can be filled
    take_end(*batch, end_s, listener);
  }
  may_start_ = true;
  find_next_end();
}

/// Its tokens are with the clients some time after its end: as it seems now, while that is not known.
void Replica::take_end(FilledBatch& batch, double end_s, ReplicaListener& listener) {
  batch.end_s = end_s;
  double before_s = seen_by_side_[static_cast<std::size_t>(batch.run.side)];
  for (const FilledBatch* other : stages_.in_flight()) {
    if (other == &batch) break;
    if (other->run.side == batch.run.side) before_s = other->seen_s;
  }
  const bool known = end_s < infinity;
  batch.seen_s = setup_.answers.seen_s(known ? end_s : stages_.alone_end_s(batch), batch.made_tokens(), before_s);
  lanes_[batch.run.lane].last_seen_s = batch.seen_s;
  if (streamed_ > 0 && known && !std::exchange(batch.run.told, true)) tell_chunks(batch, listener);
}

/// Nobody is put into a batch behind one of which it is not known when it is through the first stage.
bool Replica::may_fill(const Lane& lane) const { return stages_.first_free_s(side(lane)) < infinity; }

}  // namespace servecast
