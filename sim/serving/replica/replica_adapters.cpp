// LoRA adapters: who runs holds its adapter on the GPUs. Those that are not there are loaded when the step begins
// that admits their requests, and it waits for all of them, as in vLLM, whose model runner activates a step's
// adapters while it prepares the step (set_active_loras in _prepare_inputs). The GPUs of all pipeline stages load
// together then.
#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/serving/replica/replica.h"

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
  batch.run.expected_ready_s = batch.start_s + load_s;
  if (!links_->port()) {
    totals_.adapter_stall_s += load_s;
    return batch.run.expected_ready_s;
  }
  links_->start(AdapterLoad{loads}, batch.start_s, AdaptersFor{number(lane)});
  return infinity;
}

bool Replica::end(const AdaptersFor& adapters, ReplicaListener& listener) {
  Lane& lane = lanes_[adapters.lane];
  assert(lane.busy());
  FilledBatch& batch = lane.batches.last();
  totals_.adapter_stall_s += now_s_ - batch.start_s;
  stages_.ready(batch, now_s_);
  take_ends(listener);
  return false;
}

}  // namespace servecast
