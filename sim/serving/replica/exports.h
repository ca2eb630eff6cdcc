#pragma once
#include <optional>

#include "sim/serving/sequences/detached_sequence.h"
#include "sim/serving/state/replica_core.h"

namespace servecast {

/// Sequences that leave a replica for others: once their prompt is computed, or while they decode. The caller has
/// advanced the replica to `now_s`, exactly.
class Exports {
 public:
  explicit Exports(ReplicaCore& core) : core_(core) {}

  /// Of those of a single output whose KV is here, the one that holds the fewest tokens; ties go to the lowest id.
  std::optional<DecodingSequence> shortest_decoding() const;
  /// Nothing where it has finished, was preempted or was given up by its client.
  std::optional<DecodeProgress> progress(const DecodingSequence& sequence) const;
  /// It is in no further batch. Its blocks stay until release().
  DetachedSequence detach(Slot slot, double now_s, ReplicaListener& listener);
  /// The KV of a sequence reported by prompt_done(), or one that has been detached, is no longer needed here.
  void release(Slot slot, double now_s);

  // The replica's own calls:
  /// The prompt is computed, and the listener hears that.
  void prompt_done(Slot slot, double seen_s, ReplicaListener& listener);
  /// Those of the batch's chunks whose KV leaves as it is computed.
  void report_chunks(const FilledBatch& batch, ReplicaListener& listener) const;

 private:
  bool may_detach(const Sequence& s) const;
  void hand_on(Slot slot, ReplicaListener& listener);

  ReplicaCore& core_;
};

}  // namespace servecast
