#include "sim/serving/decode_set.h"

#include <algorithm>
#include <cassert>
#include <limits>

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
  const std::int64_t width = s.request.width();
  sequences_ += width;
  kv_tokens_ += width * std::min(tokens, attended_tokens_);
  if (tokens < attended_tokens_) {
    growing_ += width;
    stop_at(steps_ + (attended_tokens_ - tokens), width);
  }
  if (width > 1)
    wide_.push_back(slot);
  else if (!due_.empty())
    ++due_[due_phase(steps_, tokens, growth())];
  heap_.push_back({.finish = steps_ + left, .admission = s.admission, .slot = slot});
  std::ranges::push_heap(heap_, later);
}

void DecodeSet::forget(Slot slot, const Sequence& s) {
  const std::int64_t width = s.request.width();
  sequences_ -= width;
  kv_tokens_ -= width * std::min(tokens(s), attended_tokens_);
  if (tokens(s) < attended_tokens_) {
    growing_ -= width;
    stop_at(s.joined_step + (attended_tokens_ - s.joined_tokens), -width);
  }
  if (width > 1)
    std::erase(wide_, slot);
  else if (!due_.empty())
    --due_[due_phase(s.joined_step, s.joined_tokens, growth())];
}

void DecodeSet::stop_at(std::int64_t step, std::int64_t sequences) {
  if (attended_tokens_ == std::numeric_limits<std::int64_t>::max()) return;
  const auto stop = stops_.try_emplace(step, 0).first;
  stop->second += sequences;
  if (stop->second == 0) stops_.erase(stop);
}

std::int64_t DecodeSet::blocks_due(const Sequence& s) const {
  if (due_.empty()) return 0;
  if (s.request.width() == 1) return tokens(s) % growth() == 0 ? 1 : 0;
  return cache_->blocks_for(s.request, tokens(s) + 1) - cache_->blocks_for(s.request, tokens(s));
}

std::int64_t DecodeSet::wide_blocks_due(const SequenceTable& table) const {
  std::int64_t blocks = 0;
  for (Slot slot : wide_) blocks += blocks_due(table[slot]);
  return blocks;
}

Slot DecodeSet::take_finished(const SequenceTable& table) {
  assert(has_finished());
  std::ranges::pop_heap(heap_, later);
  const Slot slot = heap_.back().slot;
  heap_.pop_back();
  forget(slot, table[slot]);
  return slot;
}

std::vector<Slot> DecodeSet::members(const SequenceTable& table) const {
  std::vector<Slot> slots;
  for (const Entry& entry : heap_) slots.push_back(entry.slot);
  std::ranges::sort(slots, {}, [&](Slot slot) { return table[slot].admission; });
  return slots;
}

void DecodeSet::remove(Slot slot, const SequenceTable& table) {
  forget(slot, table[slot]);
  std::erase_if(heap_, [&](const Entry& entry) { return entry.slot == slot; });
  std::ranges::make_heap(heap_, later);
}

}  // namespace servecast
