#pragma once
#include "sim/serving/replica/imports.h"
#include "sim/serving/replica/kv_fetches.h"
#include "sim/serving/replica/swapping.h"

namespace servecast {

/// How a sequence leaves its lane before its last token: preempted, to be recomputed or copied back later, or dropped
/// because its client gave up.
class LaneRemovals {
 public:
  LaneRemovals(ReplicaCore& core, KvFetches& fetches, Imports& imports, Swapping& swapping)
      : core_(core), fetches_(fetches), imports_(imports), swapping_(swapping) {}

  void preempt(Slot slot, bool cut_prompt, ReplicaListener& listener);
  /// The client has given up. A waiting sequence leaves at once; a running one when the next batch is filled.
  void give_up(Slot slot, ReplicaListener& listener);
  /// A batch under way goes on with them, but what it makes of them is ignored.
  void drop_cancelled(Lane& lane);

 private:
  void take_out(Slot slot);
  void drop(Lane& lane, Slot slot);

  ReplicaCore& core_;
  KvFetches& fetches_;
  Imports& imports_;
  Swapping& swapping_;
};

}  // namespace servecast
