#include "sim/serving/state/sequence_book.h"

namespace servecast {

Slot SequenceBook::add(const Sequence& sequence) {
  const Slot slot = table_.add(sequence);
  counted(sequence.state) += 1;
  sums_.uncomputed_tokens += sequence.left();
  return slot;
}

/// Its client may give up, or wait for its answer.
void SequenceBook::watch(Slot slot) {
  Sequence& s = table_[slot];
  s.arrival = ++arrivals_;
  s.preemption_rank = queue_.preemption_rank(s.request);
  if (s.request.give_up_s < std::numeric_limits<double>::infinity())
    give_ups_.push({.at_s = s.request.give_up_s, .arrival = s.arrival, .slot = slot});
  sums_.awaited += s.request.awaited ? 1 : 0;
}

Slot SequenceBook::arrive(const Sequence& sequence) {
  const Slot slot = add(sequence);
  queue_.push(slot, sequence.request);
  watch(slot);
  return slot;
}

void SequenceBook::import(Slot slot) {
  table_[slot].reported = false;
  watch(slot);
}

void SequenceBook::set_aside(Slot slot) {
  queue_.erase(slot, table_[slot].request);
  enter(slot, SequenceState::aside);
}

void SequenceBook::put_in_front(Slot slot) {
  queue_.push_front(slot, table_[slot].request);
  enter(slot, SequenceState::waiting);
}

void SequenceBook::admit(Slot slot, std::size_t lane, std::int64_t cached_tokens, bool arrival_order) {
  Sequence& s = table_[slot];
  queue_.erase(slot, s.request);
  if (s.record.preemptions == 0) queue_.served(s.request, s.request.prompt_tokens, 0);
  s.lane = static_cast<std::uint16_t>(lane);
  s.admission = arrival_order ? s.arrival : ++admissions_;
  s.record.cached_tokens = cached_tokens;
  compute(slot, cached_tokens);
  enter(slot, SequenceState::prefilling);
}

void SequenceBook::compute(Slot slot, std::int64_t tokens) {
  table_[slot].computed += tokens;
  sums_.uncomputed_tokens -= tokens;
}

void SequenceBook::enter(Slot slot, SequenceState state) {
  Sequence& s = table_[slot];
  const std::int64_t more = (runs(state) ? 1 : 0) - (runs(s.state) ? 1 : 0);
  counted(s.state) -= 1;
  counted(state) += 1;
  sums_.running += more;
  sums_.running_sequences += more * s.request.width();
  if (more > 0) {
    adapters_.take(s);
    s.under_way = {};
  }
  if (more < 0) adapters_.leave(s);
  if (state == SequenceState::finished) admissions_wait_ = false;
  s.state = state;
}

void SequenceBook::run_import(Slot slot) {
  table_[slot].admission = ++admissions_;
  enter(slot, SequenceState::decoding);
}

void SequenceBook::start_over(Slot slot) {
  Sequence& s = table_[slot];
  sums_.uncomputed_tokens -= s.left();
  s.held = {};
  s.to_compute = s.request.prompt_tokens + s.made;
  s.computed = 0;
  sums_.uncomputed_tokens += s.left();
  put_in_front(slot);
}

void SequenceBook::mark_reported(Slot slot) {
  table_[slot].reported = true;
  sums_.awaited -= table_[slot].request.awaited ? 1 : 0;
  while (!give_ups_.empty() && stale(give_ups_.top())) give_ups_.pop();
}

void SequenceBook::forget(Slot slot) {
  const Sequence& s = table_[slot];
  if (s.state == SequenceState::waiting) queue_.erase(slot, s.request);
  compute(slot, s.left());  // it never will
  enter(slot, SequenceState::forgotten);
}

void SequenceBook::remove(Slot slot) {
  forget(slot);
  counted(SequenceState::forgotten) -= 1;
  table_.remove(slot);
}

void SequenceBook::clear() {
  table_ = {};
  give_ups_ = {};
  sums_ = {};
}

}  // namespace servecast
