#include "sim/serving/replica/lane_removals.h"

#include <utility>

namespace servecast {

void LaneRemovals::preempt(Slot slot, bool cut_prompt, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  const bool decoding = s.state == SequenceState::decoding;
  take_out(slot);
  if (!decoding && cut_prompt) s.made = s.computed - s.request.prompt_tokens;
  listener.request_ran(core_.pool(), s.since_s, core_.clock.now_s);
  s.since_s = core_.clock.now_s;
  s.record.preemptions += 1;
  core_.lanes.of(s).batch().preempted += 1;
  core_.totals.preemptions += 1;
  if (decoding && swapping_.out(slot)) return;
  if (s.serve == Serve::streamed_prompt) listener.prompt_restarts(s.request.id);
  core_.book.start_over(slot);
}

// Out of the lane's books and its memory free; `made` and `held` say what it had.
void LaneRemovals::take_out(Slot slot) {
  const Sequence& s = core_.book[slot];
  Lane& lane = core_.lanes.of(s);
  if (s.state == SequenceState::decoding) core_.lanes.take_out_of_decodes(slot);
  std::erase(lane.prefilling, slot);
  std::erase(lane.joining, slot);
  core_.cache().release(s.request, s.held);
  core_.lanes.decide_again();
}

void LaneRemovals::give_up(Slot slot, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  assert(!s.reported);
  core_.book.mark_reported(slot);
  s.record.status = RequestStatus::timed_out;
  s.record.output_tokens = core_.lanes.tokens_made(slot, core_.clock.now_s);
  report_until(core_, s, core_.clock.now_s, listener);
  listener.request_done(s.request, s.record);
  if (queued(s.state)) {
    fetches_.forget(slot);
    core_.lanes.decide_again();
  } else if (s.state == SequenceState::imported) {
    imports_.given_up(slot);
  } else {
    core_.lanes.of(s).cancelled.push_back(slot);
  }
}

void LaneRemovals::drop_cancelled(Lane& lane) {
  for (Slot slot : std::exchange(lane.cancelled, {})) drop(lane, slot);
}

void LaneRemovals::drop(Lane& lane, Slot slot) {
  switch (core_.book[slot].state) {
    case SequenceState::ending:
    case SequenceState::finished:
      return;  // about to leave by itself
    case SequenceState::kv_received:
      return imports_.drop(slot);
    case SequenceState::swapped:
      return swapping_.drop(lane, slot);
    default:
      break;
  }
  take_out(slot);
  lane.batches.forget(slot);
  core_.book.remove(slot);
}

}  // namespace servecast
