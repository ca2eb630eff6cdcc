// Steps that send between nodes while somebody else uses the same links. Their times are those of the latency model
// until then; now what they send is a flow like any other, and they end when it has arrived.
#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/serving/replica.h"

namespace servecast {

// What has not been sent yet of a batch under way. All layers' together: arithmetic that it cannot be hidden behind
// comes first, so that the step takes as long as ever while its links are free.
void Replica::send_collectives(FilledBatch& batch, double now_s) {
  const AcrossNodes all = setup_.latency->across_nodes(batch.work);
  const double begin_s = std::max(batch.start_s, batch.end_s - all.seconds - all.slack_s);
  const double left_s = all.seconds - std::max(0.0, now_s - begin_s);
  if (left_s <= 0) return;
  held_end_s_ = std::exchange(batch.end_s, infinity);
  find_next_end();
  start_transfer(StepTraffic{left_s}, std::max(begin_s, now_s), Sent{});
}

bool Replica::end(const Sent&, ReplicaListener&) {
  assert(held_end_s_ && lanes_.front().busy());
  end_held_batch(lanes_.front().batches.running(), now_s_);
  return false;
}

// GPUs that wait for the network draw what they do while memory bounds.
void Replica::end_held_batch(FilledBatch& batch, double end_s) {
  Lane& lane = lanes_.front();
  const double alone_s = *std::exchange(held_end_s_, std::nullopt);
  batch.end_s = std::max(alone_s, end_s);
  const double waited_s = batch.end_s - alone_s;
  batch.stages_s += waited_s;
  batch.energy_j += static_cast<double>(setup_.stage_gpus) * waited_s *
                    step_power_w(setup_.power, {.seconds = 1}, setup_.power_cap_w);
  const FilledBatch& before = lane.batches.running();
  const double before_s = &before == &batch ? seen_s_ : before.seen_s;
  batch.seen_s = setup_.answers.seen_s(batch.end_s, batch.made_tokens(), before_s);
  filled_seen_s_ = lane.last_seen_s = batch.seen_s;
  find_next_end();
}

}  // namespace servecast
