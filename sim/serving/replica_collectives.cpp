// Steps that send between nodes while somebody else uses the same links. Their times are those of the latency model
// until then; now what they send is a flow like any other, and they end when it has arrived.
#include <algorithm>
#include <cassert>

#include "sim/serving/replica.h"

namespace servecast {

// What has not been sent yet of a batch under way. All layers' together: arithmetic that it cannot be hidden behind
// comes first, so that the step takes as long as ever while its links are free. False: all is sent.
bool Replica::send_collectives(Lane& lane, FilledBatch& batch) {
  const AcrossNodes all = setup_.latency->across_nodes(batch.work);
  const double begin_s = std::max(batch.start_s, batch.end_s - all.seconds - all.slack_s);
  const double left_s = all.seconds - std::max(0.0, now_s_ - begin_s);
  batch.run.sends = true;
  if (left_s <= 0) return false;
  batch.run.awaited += 1;
  start_transfer(StepTraffic{left_s}, std::max(begin_s, now_s_), Sent{number(lane)});
  return true;
}

bool Replica::end(const Sent& sent, ReplicaListener& listener) {
  Lane& lane = lanes_[sent.lane];
  assert(lane.is_open());
  FilledBatch& batch = lane.batches.last();
  batch.run.sent_s = now_s_;
  batch.run.awaited -= 1;
  settle_run(lane, batch, listener);
  return false;
}

}  // namespace servecast
