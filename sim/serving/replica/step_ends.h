#pragma once
#include <array>

#include "sim/serving/replica/exports.h"
#include "sim/serving/replica/kv_fetches.h"

namespace servecast {

/// When the batches that were launched end: their stages say so, at once or when what they wait for has come.
class StepEnds {
 public:
  StepEnds(ReplicaCore& core, KvFetches& fetches, const Exports& exports)
      : core_(core), fetches_(fetches), exports_(exports) {}

  /// The lane's batch is launched; from `ready_s` on the first stage may take it.
  void begin(Lane& lane, double ready_s, ReplicaListener& listener);
  /// A batch of the only lane has ended, and one like it is launched, perhaps in its place (Pipeline::launch_next()).
  void begin_again(Lane& lane, FilledBatch& batch) {
    const auto before = core_.pipeline.in_flight();
    const double before_s =
        before.empty() ? seen_by_side_[static_cast<std::size_t>(lane.side)] : before.back()->seen_s;
    core_.pipeline.launch_next(batch);
    batch.end_s = batch.run.stages.back().end_s;
    batch.seen_s = seen_s(batch, batch.end_s, before_s);
    lane.last_seen_s = batch.seen_s;
  }
  /// Another batch can be filled for these lanes: it is known when it can enter the first stage.
  bool may_begin(const Lane& lane) const { return core_.pipeline.first_free_s(lane.side) < StepRun::infinity; }
  /// A stage is due.
  void go_on(ReplicaListener& listener);
  /// Others use the links of this traffic from now on: steps under way are no longer what was worked out for them.
  void contended(OwnTraffic traffic, ReplicaListener& listener);
  /// The first batch of the lane is through the last stage.
  void ended(const FilledBatch& batch) {
    seen_s_ = seen_by_side_[static_cast<std::size_t>(batch.run.side)] = batch.seen_s;
    core_.pipeline.ended(batch);
  }
  /// When the tokens of the batch that has ended last are with their clients.
  double seen_s() const { return seen_s_; }

  // What has arrived; whether KV blocks were held for it:
  bool arrived(const FetchFor& fetch, ReplicaListener& listener);
  bool arrived(const ExpertLoad& load, ReplicaListener& listener);
  bool arrived(const AdaptersFor& adapters, ReplicaListener& listener);
  bool arrived(const Sent& sent, ReplicaListener& listener);

 private:
  double seen_s(const FilledBatch& batch, double end_s, double before_s) const {
    return core_.setup.answers.seen_s(end_s, batch.first_tokens(), batch.decodes(), before_s);
  }
  void take_all(ReplicaListener& listener);
  void take(FilledBatch& batch, double end_s, ReplicaListener& listener);

  ReplicaCore& core_;
  KvFetches& fetches_;
  const Exports& exports_;
  double seen_s_ = 0;
  std::array<double, 2> seen_by_side_{};  // likewise, of each side
};

}  // namespace servecast
