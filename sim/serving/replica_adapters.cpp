// LoRA adapters: who runs holds its adapter on the GPUs. Those that are not there are loaded when the step begins
// that admits their requests, and it waits for all of them, as in vLLM, whose model runner activates a step's
// adapters while it prepares the step (set_active_loras in _prepare_inputs). The GPUs of all pipeline stages load
// together then.
#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/serving/replica.h"

namespace servecast {

bool Replica::adapter_has_room(const Sequence& s) const {
  return !adapters_ || s.request.adapter == AdapterId{} || adapters_->has_room(s.request.adapter);
}

void Replica::take_adapter(const Sequence& s, Lane& lane) {
  if (!adapters_ || s.request.adapter == AdapterId{}) return;
  const bool here = adapters_->take(s.request.adapter);
  (here ? totals_.adapter_hits : totals_.adapter_loads) += 1;
  lane.adapter_loads += here ? 0 : 1;
}

void Replica::leave_adapter(const Sequence& s) {
  if (adapters_ && s.request.adapter != AdapterId{}) adapters_->leave(s.request.adapter);
}

/// When the batch being filled has its adapters; infinite where others use the links, too: then their arrival tells.
double Replica::load_adapters(Lane& lane) {
  FilledBatch& batch = lane.batch();
  const std::int64_t loads = std::exchange(lane.adapter_loads, 0);
  if (loads == 0) return batch.start_s;
  const double load_s = static_cast<double>(loads) * setup_.adapters.load_s;
  if (!port_) {
    totals_.adapter_stall_s += load_s;
    return batch.start_s + load_s;
  }
  start_transfer(AdapterLoad{loads}, batch.start_s, AdaptersFor{number(lane)});
  batch.run.alone_end_s = estimated_end_s(batch, batch.start_s + load_s);
  batch.end_s = infinity;
  batch.run.awaited += 1;
  batch.seen_s = setup_.answers.seen_s(batch.run.alone_end_s, batch.made_tokens(), filled_seen_s_);
  return infinity;
}

/// When it would end if it could be computed from then on.
double Replica::estimated_end_s(const FilledBatch& batch, double ready_s) const {
  double at_s = ready_s;
  for (std::size_t i = 0; i < stage_free_s_.size(); ++i)
    at_s = std::max(at_s, stage_free_s_[i]) + batch.copy_s + stage_time(batch.work, i).seconds;
  return at_s;
}

bool Replica::end(const AdaptersFor& adapters, ReplicaListener& listener) {
  Lane& lane = lanes_[adapters.lane];
  assert(lane.busy());
  FilledBatch& batch = lane.batches.last();
  totals_.adapter_stall_s += now_s_ - batch.start_s;
  batch.run.awaited -= 1;
  time_batch(lane, batch, now_s_);
  begin_run(lane, batch, listener);
  lane.ended = true;  // the next can be filled
  may_start_ = true;
  find_next_end();
  return false;
}

}  // namespace servecast
