// A replica whose prompts and decodes run at the same time on the same GPUs (semi-PD): two lanes, one of prompts and
// one of decodes, that take steps independently over one KV cache. Batchers see either a batch without decodes or one
// with nothing but decodes. A prompt that is computed goes over to the decode lane with its blocks; a decode that is
// preempted goes back to the queue, before the prefill lane.
#include <algorithm>

#include "sim/serving/replica/replica.h"

namespace servecast {

/// Of the lanes that decode, the one with the fewest.
Lane& Replica::least_decoding() {
  const auto held = [](const Lane& l) { return l.decodes.size() + static_cast<std::int64_t>(l.landed.size()); };
  return *std::ranges::min_element(lanes_of(Side::decode), {}, held);
}

// Whose prompt is done decodes from the next decode step on.
void Replica::pass_to_decode_lane(Lane& from) {
  for (Slot slot : from.joining) {
    Sequence& s = sequences_[slot];
    Lane& to = least_decoding();
    s.lane = static_cast<std::uint16_t>(number(to));
    s.stage = Stage::decoding;
    s.last_token_s = seen_s_;
    to.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    if (to.fresh.empty() || to.fresh.back().token_s != seen_s_) to.fresh.push_back({.token_s = seen_s_});
    to.fresh.back().count += s.request.width();
    if (std::erase(from.gone, slot) > 0) to.gone.push_back(slot);
  }
  from.joining.clear();
}

void Replica::tell_sides(const FilledBatch& batch) {
  for (Slot slot : batch.prompts) {
    const RequestRecord& record = sequences_[slot].record;
    if (record.preemptions == 0) stages_.sides()->first_token(seen_s_ - record.arrival_s);
  }
  stages_.sides()->ended(now_s_);
}

void Replica::tell_finished_to_sides(const Sequence& s) {
  if (s.made < 2) return;
  stages_.sides()->finished((*s.record.finish_s - *s.record.first_token_s) / static_cast<double>(s.made - 1));
}

}  // namespace servecast
