// A replica whose prompts and decodes run at the same time on the same GPUs (semi-PD): two lanes, one of prompts and
// one of decodes, that take steps independently over one KV cache. Batchers see either a batch without decodes or one
// with nothing but decodes. A prompt that is computed goes over to the decode lane with its blocks; a decode that is
// preempted goes back to the queue, before the prefill lane.
#include <algorithm>

#include "sim/serving/replica.h"

namespace servecast {

Side Replica::side(const Lane& lane) const { return static_cast<Side>(&lane - lanes_.data()); }

// Work above idle costs the energy that it costs alone; idle power is counted once for both sides.
void Replica::time_side(const Lane& lane, FilledBatch& batch, double ready_s) {
  const bool other_runs = std::ranges::any_of(lanes_, [&](const Lane& l) { return &l != &lane && l.busy(); });
  const StageTime full = stage_time(batch.work, 0);
  const StageTime time = sides_->start(side(lane), full, other_runs, now_s_);
  batch.end_s = ready_s + batch.copy_s + time.seconds;
  batch.beside_until_s = sides_->beside_until_s(batch.end_s);
  batch.stages_s = std::max(0.0, batch.end_s - std::max(batch.start_s, *batch.beside_until_s));
  batch.extrapolated_s = full.extrapolated ? batch.stages_s : 0;
  const double above_idle_w = step_power_w(setup_.power, full, setup_.power_cap_w) - setup_.power.idle_w;
  batch.energy_j =
      static_cast<double>(setup_.stage_gpus) * (above_idle_w * full.seconds + setup_.power.idle_w * batch.stages_s);
  sides_->prompts_started(static_cast<std::int64_t>(batch.prompts.size()),
                          side(lane) == Side::prefill ? full.seconds : 0);
}

// Whose prompt is done decodes from the next decode step on.
void Replica::pass_to_decode_lane(Lane& from) {
  Lane& to = lanes_[static_cast<std::size_t>(Side::decode)];
  std::int64_t count = 0;
  for (Slot slot : from.joining) {
    Sequence& s = sequences_[slot];
    s.lane = static_cast<std::uint16_t>(Side::decode);
    s.stage = Stage::decoding;
    s.last_token_s = seen_s_;
    to.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    count += s.request.width();
    if (std::erase(from.gone, slot) > 0) to.gone.push_back(slot);
  }
  from.joining.clear();
  if (count > 0) to.fresh.push_back({.token_s = seen_s_, .count = count});
}

void Replica::tell_sides(const FilledBatch& batch) {
  for (Slot slot : batch.prompts) {
    const RequestRecord& record = sequences_[slot].record;
    if (record.preemptions == 0) sides_->first_token(seen_s_ - record.arrival_s);
  }
  sides_->ended(now_s_);
}

void Replica::tell_finished_to_sides(const Sequence& s) {
  if (s.made < 2) return;
  sides_->finished((*s.record.finish_s - *s.record.first_token_s) / static_cast<double>(s.made - 1));
}

}  // namespace servecast
