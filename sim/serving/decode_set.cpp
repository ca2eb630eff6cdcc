#include "sim/serving/decode_set.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

/// Phase of the step counter at which a sequence that joined at `step` with `tokens` tokens takes its next block:
/// at step k it holds tokens + k - step, which must be a multiple of the growth.
std::size_t due_phase(std::int64_t step, std::int64_t tokens, std::int64_t growth) {
  return static_cast<std::size_t>(((step - tokens) % growth + growth) % growth);
}

}  // namespace

void DecodeSet::join(Sequence& s, Slot slot, std::int64_t tokens, std::int64_t left) {
  assert(left > 0);
  s.joined_step = steps_;
  s.joined_tokens = tokens;
  kv_tokens_ += tokens;
  if (!due_.empty()) ++due_[due_phase(steps_, tokens, growth())];
  heap_.push_back({.finish = steps_ + left, .admission = s.admission, .slot = slot});
  std::ranges::push_heap(heap_, later);
}

void DecodeSet::forget(const Sequence& s) {
  kv_tokens_ -= tokens(s);
  if (!due_.empty()) --due_[due_phase(s.joined_step, s.joined_tokens, growth())];
}

Slot DecodeSet::take_finished(const SequenceTable& table) {
  assert(has_finished());
  std::ranges::pop_heap(heap_, later);
  const Slot slot = heap_.back().slot;
  heap_.pop_back();
  forget(table[slot]);
  return slot;
}

std::vector<Slot> DecodeSet::members(const SequenceTable& table) const {
  std::vector<Slot> slots;
  for (const Entry& entry : heap_) slots.push_back(entry.slot);
  std::ranges::sort(slots, {}, [&](Slot slot) { return table[slot].admission; });
  return slots;
}

void DecodeSet::remove(std::span<const Slot> slots, const SequenceTable& table) {
  for (Slot slot : slots) forget(table[slot]);
  std::erase_if(heap_, [&](const Entry& entry) { return std::ranges::find(slots, entry.slot) != slots.end(); });
  std::ranges::make_heap(heap_, later);
}

}  // namespace servecast
