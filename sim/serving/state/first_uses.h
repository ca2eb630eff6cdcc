#pragma once
#include <limits>
#include <vector>

#include "models/base/record.h"
#include "models/base/totals.h"
#include "sim/serving/state/replica_setup.h"
#include "sim/serving/step/lane.h"

namespace servecast {

/// Kernels that a replica's process has not used yet: the first steps that do wait for them.
class FirstUses {
 public:
  /// Setup and totals outlive it.
  FirstUses(const FirstUseSetup& setup, ReplicaTotals& totals) : setup_(setup), totals_(totals), left_(setup.left) {}

  void new_process() { left_ = setup_.new_process; }
  /// The batch is launched, and others may have to wait for the next one: how long it waits for what nothing before
  /// it has used.
  double wait_s(const FilledBatch& batch, bool others_wait);
  /// Its first token comes later for some of these waits: it was there before the last of them was over.
  bool held_up(const RequestRecord& record) const { return record.arrival_s < over_s_; }

 private:
  const FirstUseSetup& setup_;
  ReplicaTotals& totals_;
  std::vector<FirstUseWait> left_;
  double over_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace servecast
