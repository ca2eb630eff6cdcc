#include "sim/serving/replica/imports.h"

#include <algorithm>

namespace servecast {

// Sequences preempted here go before those that come from elsewhere.
bool Imports::someone_comes_back() const {
  const SequenceSums& sums = core_.book.sums();
  return sums.of(SequenceState::swapped) > 0 ||
         (sums.of(SequenceState::waiting) > 0 && core_.book[core_.setup.queue->front()].record.preemptions > 0);
}

bool Imports::hold(Sequence& s) {
  const double most_waiting = core_.setup.waiting_blocks_fraction * static_cast<double>(core_.blocks.total());
  if (someone_comes_back() || static_cast<double>(blocks_) > most_waiting) return false;
  const std::int64_t cached = std::min(core_.cache().cached_tokens(s.request), s.to_compute - 1);
  if (!core_.cache().hold(s.request, s.held, s.to_compute, true)) return false;
  blocks_ += s.held.blocks;
  s.imported_cached_tokens = cached;
  return true;
}

std::optional<Slot> Imports::reserve(const Request& request, std::int64_t tokens, double now_s) {
  if (want_room()) return std::nullopt;
  Sequence s{.request = request,
             .to_compute = tokens,
             .computed = tokens,
             .state = SequenceState::imported,
             .reported = true};
  if (!hold(s)) return std::nullopt;
  core_.changed(now_s);
  return core_.book.add(s);
}

Slot Imports::bring(const MovingSequence& sequence, std::optional<Slot> place, double now_s) {
  const Slot slot = place ? *place : core_.book.add({.state = SequenceState::imported, .reported = true});
  if (!place) wanting_room_.push_back(slot);
  Sequence& s = core_.book[slot];
  s.request = sequence.request;
  s.record = sequence.record;
  s.record.decode_replica = core_.id();
  s.to_compute = s.computed = sequence.tokens;
  s.made = s.reported_service = sequence.made;
  s.under_way = sequence.under_way;
  s.checks = sequence.checks;
  s.since_s = now_s;
  s.last_token_s = sequence.last_token_s;
  core_.book.import(slot);
  core_.changed(now_s);
  return slot;
}

void Imports::find_room(ReplicaListener& listener) {
  while (want_room()) {
    const Slot slot = wanting_room_.front();
    Sequence& s = core_.book[slot];
    if (!hold(s)) return;
    wanting_room_.erase(wanting_room_.begin());
    listener.import_has_room(s.request.id, slot, s.imported_cached_tokens);
  }
}

bool Imports::extend(Slot slot, std::int64_t tokens, double now_s) {
  Sequence& s = core_.book[slot];
  assert(s.state == SequenceState::imported && s.held.blocks > 0);
  const std::int64_t before = s.held.blocks;
  if (tokens > s.held.tokens && !core_.cache().hold(s.request, s.held, tokens, false)) return false;
  blocks_ += s.held.blocks - before;
  core_.changed(now_s);
  return true;
}

void Imports::kv_received(Slot slot, std::optional<double> hand_over_s, double now_s) {
  Sequence& s = core_.book[slot];
  assert(s.state == SequenceState::imported && s.held.blocks > 0);
  core_.changed(now_s);
  if (s.reported) return drop(slot);  // its client gave up meanwhile
  core_.cache().computed(s.request, s.held, std::min(s.computed, s.request.prompt_tokens));
  if (hand_over_s) s.record.hand_over_s = hand_over_s;
  core_.book.enter(slot, SequenceState::kv_received);
  Lane& lane = core_.lanes.least_decoding();
  s.lane = static_cast<std::uint16_t>(lane.number);
  lane.received.push_back(slot);
}

void Imports::cancel(std::optional<Slot> place, double now_s) {
  core_.changed(now_s);
  if (place)
    drop(*place);
  else
    expected_ -= 1;
}

std::optional<MovingSequence> Imports::recall(Slot slot, double now_s, ReplicaListener& listener) {
  core_.changed(now_s);
  const Sequence& s = core_.book[slot];
  assert(s.state == SequenceState::imported);
  std::optional<MovingSequence> lost;
  if (!s.reported) {
    report_until(core_, s, now_s, listener);
    lost = stand_of(core_, slot);
    core_.book.mark_reported(slot);
  }
  drop(slot);
  return lost;
}

void Imports::given_up(Slot slot) {
  if (core_.book[slot].held.blocks == 0) drop(slot);  // else when its KV was received
}

void Imports::drop(Slot slot) {
  const Sequence& s = core_.book[slot];
  expected_ -= 1;
  blocks_ -= s.held.blocks;
  if (s.held.blocks > 0) core_.cache().release(s.request, s.held);
  std::erase(wanting_room_, slot);
  if (s.state == SequenceState::kv_received) std::erase(core_.lanes.of(s).received, slot);
  core_.book.remove(slot);
  core_.lanes.decide_again();
}

void Imports::join(Lane& lane, ReplicaListener& listener) {
  std::size_t joined = 0;
  for (; joined < lane.received.size(); ++joined) {
    const Slot slot = lane.received[joined];
    Sequence& s = core_.book[slot];
    if (!core_.book.has_place(s)) break;
    expected_ -= 1;
    blocks_ -= s.held.blocks;
    core_.book.run_import(slot);
    listener.request_waited(core_.pool(), s.since_s, core_.clock.now_s);
    s.since_s = core_.clock.now_s;
    if (!s.record.first_token_s) {
      s.last_token_s = core_.setup.answers.seen_s(core_.clock.now_s, s.request.width(), 0, s.last_token_s);
      s.record.first_token_s = s.last_token_s;
    }
    lane.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    lane.fresh.push_back({.token_s = s.last_token_s, .count = s.request.width()});
  }
  lane.received.erase(lane.received.begin(), lane.received.begin() + static_cast<std::ptrdiff_t>(joined));
  if (joined > 0) lane.repeat = false;
}

}  // namespace servecast
