// When a batch that was launched ends: at once known where it waits for nobody, else when what it waits for has come:
// the experts of its layers, the KV of prompts that are fetched layer by layer, what it sends between nodes.
#include <algorithm>
#include <utility>

#include "sim/serving/replica.h"

namespace servecast {

/// What it computes has its times, as far as these depend on nobody else.
void Replica::begin_run(Lane& lane, FilledBatch& batch, ReplicaListener& listener) {
  lane.last_seen_s = batch.seen_s;
  if (!steps_may_wait_ && streamed_ == 0) {
    batch.run.alone_end_s = batch.end_s;
    return;
  }
  if (setup_.fetch.layers > 0) await_layers(lane, batch);
  if (batch.end_s < infinity) batch.run.alone_end_s = batch.run.counted_end_s = batch.end_s;
  settle_run(lane, batch, listener);
}

/// Something that it waits for has come, or somebody else uses its links now. Fetched layers are computed on from
/// when they come; what it sends leaves when these times are known.
void Replica::settle_run(Lane& lane, FilledBatch& batch, ReplicaListener& listener) {
  StepRun& run = batch.run;
  const bool experts_open = setup_.experts && setup_.experts->waits();
  if (experts_open || run.awaited > 0) return set_end(lane, batch, infinity);
  const double step_s = run.alone_end_s - batch.start_s;
  const double layer_s = setup_.fetch.layers > 0 ? step_s / static_cast<double>(setup_.fetch.layers) : 0;
  const double end_s =
      std::max({run.alone_end_s, run.first_layer_s + step_s, run.last_layer_s + layer_s, run.sent_s});
  if (end_s != batch.end_s) set_end(lane, batch, end_s);
  if (contended(OwnTraffic::collectives) && !run.sends && send_collectives(lane, batch))
    return set_end(lane, batch, infinity);
  if (streamed_ > 0 && !std::exchange(run.told, true)) tell_chunks(batch, listener);
}

void Replica::set_end(Lane& lane, FilledBatch& batch, double end_s) {
  if (end_s == batch.end_s) return;
  batch.end_s = end_s;
  if (end_s < infinity) {
    count_wait(batch, end_s);
    const FilledBatch& before = lane.batches.running();
    batch.seen_s = setup_.answers.seen_s(end_s, batch.made_tokens(), &before == &batch ? seen_s_ : before.seen_s);
    filled_seen_s_ = lane.last_seen_s = batch.seen_s;
    lane.ended = true;  // the next can be filled
  }
  find_next_end();
}

/// GPUs that wait draw what they do while memory bounds.
void Replica::count_wait(FilledBatch& batch, double end_s) {
  const double from_s =
      sides_ ? std::max(batch.run.counted_end_s, sides_->beside_until_s(end_s)) : batch.run.counted_end_s;
  const double waited_s = std::max(0.0, end_s - from_s);
  batch.run.counted_end_s = end_s;
  batch.stages_s += waited_s;
  batch.energy_j += static_cast<double>(setup_.stage_gpus) * waited_s *
                    step_power_w(setup_.power, {.seconds = 1}, setup_.power_cap_w);
  if (sides_ || waited_s == 0) return;
  for (double& free_s : stage_free_s_) free_s += waited_s;
  stage_free_s_.back() = end_s;
}

/// Nobody is put into a batch behind one whose end is not known. Where prompts and decodes run beside each other, one
/// side does not wait for the other's.
bool Replica::may_fill(const Lane& lane) const {
  return sides_ ? !lane.is_open() : std::ranges::none_of(lanes_, &Lane::is_open);
}

}  // namespace servecast
