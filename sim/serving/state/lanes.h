#pragma once
#include <span>
#include <vector>

#include "sim/serving/state/replica_setup.h"
#include "sim/serving/state/sequence_book.h"
#include "sim/serving/step/lane.h"

namespace servecast {

/// The lanes of a replica: one for each pipeline stage, and as many again where prompts and decodes run at the same
/// time on the same GPUs (semi-PD). Then batchers see either a batch without decodes or one with nothing but decodes:
/// a prompt that is computed goes over to a decode lane with its blocks, and a decode that is preempted goes back to
/// the queue, before the prefill lanes.
class Lanes {
 public:
  Lanes(const ReplicaSetup& setup, std::size_t stages, bool sides, SequenceBook& book);

  auto begin() { return lanes_.begin(); }
  auto end() { return lanes_.end(); }
  Lane& operator[](std::size_t i) { return lanes_[i]; }
  const Lane& operator[](std::size_t i) const { return lanes_[i]; }
  Lane& of(const Sequence& s) { return lanes_[s.lane]; }
  const Lane& of(const Sequence& s) const { return lanes_[s.lane]; }
  std::span<const Lane> all() const { return lanes_; }
  /// The lane whose batch goes through the stages after this lane's.
  Lane& behind(const Lane& lane) { return lanes_[(lane.number + 1) % lanes_.size()]; }

  /// Batches that a lane may have under way.
  std::size_t depth() const { return depth_; }
  bool takes_prompts(const Lane& lane) const { return !sides_ || lane.side == Side::prefill; }
  /// Of the lanes that decode, the one with the fewest.
  Lane& least_decoding();
  /// Blocks or a place came free, or the queue changed: whatever a lane was about to repeat must be decided again.
  void decide_again() {
    for (Lane& lane : lanes_) lane.repeat = false;
  }
  /// A batch was launched, has ended, or ends at another instant: finds the next end.
  void find_next_end();
  double next_end_s() const { return next_end_s_; }
  /// No batch ends any more.
  void stop() { next_end_s_ = StepRun::infinity; }
  Lane& next_to_end() { return lanes_[next_to_end_]; }

  /// What a decoding sequence holds by now follows from the step counter: writes it down and returns its tokens.
  std::int64_t settle(Sequence& s) const;
  /// It decodes no more; what it has is written down.
  void take_out_of_decodes(Slot slot);
  /// Output tokens that are out by now. What batches under way will make has not been made yet.
  std::int64_t tokens_made(Slot slot, double now_s) const;
  /// Output tokens of all that decode, to a queue that counts them, before it is asked for the next.
  void report_service();
  /// And of one.
  void report_service(Sequence& s, std::int64_t made);

 private:
  SequenceBook& book_;
  WaitingQueue& queue_;
  std::vector<Lane> lanes_{};
  bool sides_;
  bool counts_service_;
  std::size_t depth_;
  double next_end_s_ = StepRun::infinity;
  std::size_t next_to_end_ = 0;
};

}  // namespace servecast
