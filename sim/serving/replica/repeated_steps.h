#pragma once
#include "sim/serving/replica/batch_results.h"
#include "sim/serving/replica/imports.h"

namespace servecast {

/// Steps in which the same sequences decode and nothing else happens: most of what a replica does. The lane knows
/// that its next batch is the one before with one more token per sequence, so a step's end and the next one's start
/// are the few lines here in place of all that BatchResults and BatchFiller look at. Same numbers, same order.
class RepeatedSteps {
 public:
  RepeatedSteps(ReplicaCore& core, const Imports& imports, StepEnds& ends, BatchResults& results);

  /// Ends batches before `until_s` and launches the next ones, as long as these repeat. BatchResults and BatchFiller
  /// do what comes then. Requires that nothing waits to be started.
  void play(double until_s, ReplicaListener& listener) {
    if (simple_ && lane_.repeat && lane_.batches.size() > 0 && lane_.batches[0].end_s < until_s)
      play_some(until_s, listener);
  }

 private:
  void play_some(double until_s, ReplicaListener& listener);
  bool same_sequences() const;
  void launch(std::int64_t blocks_due);

  ReplicaCore& core_;
  const Imports& imports_;
  StepEnds& ends_;
  BatchResults& results_;
  Lane& lane_;
  bool simple_;  // one lane in one stage, and no part that looks into every step
};

}  // namespace servecast
