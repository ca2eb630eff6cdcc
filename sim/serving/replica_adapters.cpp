// LoRA adapters: who runs holds its adapter on the GPUs. One that is not there is loaded when its request is
// admitted, and the step waits for it, as vLLM activates adapters before a step.
#include "sim/serving/replica.h"

namespace servecast {

bool Replica::adapter_has_room(const Sequence& s) const {
  return !adapters_ || s.request.adapter == AdapterId{} || adapters_->has_room(s.request.adapter);
}

void Replica::take_adapter(const Sequence& s, FilledBatch& batch) {
  if (!adapters_ || s.request.adapter == AdapterId{}) return;
  if (adapters_->take(s.request.adapter)) {
    totals_.adapter_hits += 1;
    return;
  }
  batch.copy_s += setup_.adapters.load_s;
  totals_.adapter_loads += 1;
  totals_.adapter_stall_s += setup_.adapters.load_s;
}

void Replica::leave_adapter(const Sequence& s) {
  if (adapters_ && s.request.adapter != AdapterId{}) adapters_->leave(s.request.adapter);
}

}  // namespace servecast
