#include "sim/serving/state/adapter_loads.h"

#include <algorithm>
#include <utility>

namespace servecast {

void AdapterLoads::take(const Sequence& s) {
  if (!uses(s)) return;
  const bool here = slots_->take(s.request.adapter);
  (here ? totals_.adapter_hits : totals_.adapter_loads) += 1;
  if (here) return;
  wanted_.resize(std::max<std::size_t>(wanted_.size(), s.lane + 1));
  wanted_[s.lane] += 1;
}

double AdapterLoads::begin(Lane& lane) {
  FilledBatch& batch = lane.batch();
  const std::int64_t loads = std::exchange(wanted_[lane.number], 0);
  const double load_s = static_cast<double>(loads) * load_s_;
  batch.run.expected_ready_s = batch.start_s + load_s;
  if (!links_.port()) {
    totals_.adapter_stall_s += load_s;
    return batch.run.expected_ready_s;
  }
  links_.start(AdapterLoad{loads}, batch.start_s, AdaptersFor{lane.number});
  return StepRun::infinity;
}

}  // namespace servecast
