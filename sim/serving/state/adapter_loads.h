#pragma once
#include <optional>
#include <vector>

#include "models/base/totals.h"
#include "models/policy/caches/adapter_slots.h"
#include "sim/serving/resources/open_transfers.h"
#include "sim/serving/step/lane.h"

namespace servecast {

/// LoRA adapters: a running request holds its adapter on the GPUs. Those that are not there are loaded when the step
/// begins that admits their requests, and it waits for all these loads, as in vLLM, whose model runner activates a
/// step's adapters while it prepares the step (set_active_loras in _prepare_inputs). The GPUs of all pipeline stages
/// load together then.
class AdapterLoads {
 public:
  /// Links and totals outlive it.
  AdapterLoads(const AdapterSetup& setup, OpenTransfers& links, ReplicaTotals& totals)
      : load_s_(setup.load_s), links_(links), totals_(totals) {
    if (setup.slots > 0) slots_.emplace(setup.slots);
  }

  /// Null: no adapters are served.
  const AdapterSlots* slots() const { return slots_ ? &*slots_ : nullptr; }
  bool has_room(const Sequence& s) const { return !uses(s) || slots_->has_room(s.request.adapter); }
  /// It runs from now on, in its lane.
  void take(const Sequence& s);
  void leave(const Sequence& s) {
    if (uses(s)) slots_->leave(s.request.adapter);
  }
  /// Adapters that the lane's next batch waits for.
  std::int64_t wanted(const Lane& lane) const { return lane.number < wanted_.size() ? wanted_[lane.number] : 0; }
  /// When the batch being filled has its adapters; infinite where others use the links, too: then their arrival
  /// tells.
  double load(Lane& lane) { return wanted(lane) == 0 ? lane.batch().start_s : begin(lane); }
  /// They are there.
  void loaded(const FilledBatch& batch, double now_s) { totals_.adapter_stall_s += now_s - batch.start_s; }

 private:
  double begin(Lane& lane);
  bool uses(const Sequence& s) const { return slots_ && s.request.adapter != AdapterId{}; }

  std::optional<AdapterSlots> slots_{};
  double load_s_;
  OpenTransfers& links_;
  ReplicaTotals& totals_;
  std::vector<std::int64_t> wanted_{};  // by lane
};

}  // namespace servecast
