#pragma once
#include "sim/serving/replica/step_ends.h"

namespace servecast {

/// What comes of a batch that has ended: tokens, sequences that are finished, prompts that decode from now on.
class BatchResults {
 public:
  BatchResults(ReplicaCore& core, KvFetches& fetches, Exports& exports, StepEnds& ends)
      : core_(core), fetches_(fetches), exports_(exports), ends_(ends) {}

  /// The first batch of the lane ends now.
  void end(Lane& lane, ReplicaListener& listener);
  /// The step that has ended, and how long its decodes waited for their tokens.
  void report_step(Lane& lane, const FilledBatch& batch, ReplicaListener& listener) {
    report(batch, listener);
    if (batch.decoded) report_gaps(lane, batch, listener);
  }
  /// The replica stops in the middle: the batch took what it took so far, in vain.
  void cut(const FilledBatch& batch, ReplicaListener& listener);
  /// Of a lane whose whole batch is done, memory and places come free. Clients that waited for it get everything at
  /// once. False: there is none.
  bool release_finished(Lane& lane, ReplicaListener& listener);

 private:
  void report(const FilledBatch& batch, ReplicaListener& listener);
  void report_gaps(Lane& lane, const FilledBatch& batch, ReplicaListener& listener);
  void end_prompt(Slot slot, ReplicaListener& listener);
  void finish(Slot slot, ReplicaListener& listener);
  void finish_here(Slot slot, ReplicaListener& listener);
  void keep_for_next_turn(Sequence& s);
  void report_done(Slot slot, ReplicaListener& listener);
  void remove(Slot slot);
  void report_sides(const FilledBatch& batch);
  void pass_to_decode_lane(Lane& from);

  ReplicaCore& core_;
  KvFetches& fetches_;
  Exports& exports_;
  StepEnds& ends_;
};

}  // namespace servecast
