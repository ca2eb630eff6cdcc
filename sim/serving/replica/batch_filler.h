#pragma once
#include "sim/serving/replica/batch_results.h"
#include "sim/serving/replica/lane_removals.h"

namespace servecast {

/// Fills the lanes with batches, and launches them.
class BatchFiller {
 public:
  BatchFiller(ReplicaCore& core, KvFetches& fetches, Imports& imports, Swapping& swapping, LaneRemovals& removals,
              StepEnds& ends, BatchResults& results)
      : core_(core),
        fetches_(fetches),
        imports_(imports),
        swapping_(swapping),
        removals_(removals),
        ends_(ends),
        results_(results) {}

  /// Starts what can start now.
  void start(ReplicaListener& listener);

 private:
  void fill_lanes(ReplicaListener& listener);
  bool fill(Lane& lane, ReplicaListener& listener);
  void choose(Lane& lane, ReplicaListener& listener);
  bool may_repeat(const Lane& lane) const;
  bool may_want_less() const;
  void join_decodes(Lane& lane);
  void launch(Lane& lane, ReplicaListener& listener);
  void describe(Lane& lane);
  void list_members(Lane& lane);
  void move_on(Lane& lane);
  void pass_on_prompts(Lane& lane);

  ReplicaCore& core_;
  KvFetches& fetches_;
  Imports& imports_;
  Swapping& swapping_;
  LaneRemovals& removals_;
  StepEnds& ends_;
  BatchResults& results_;
};

}  // namespace servecast
