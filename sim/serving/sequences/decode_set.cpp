#include "sim/serving/sequences/decode_set.h"

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
  s.progress = 0;
  s.last_steps = {};
  const std::int64_t width = s.request.width();
  sequences_ += width;
  if (width > 1) wide_.push_back(slot);
  heap_.push_back({.finish = steps_ + left, .admission = s.admission, .slot = slot});
  if (speculator_) return;
  count_chunks(s, tokens, 1);
  kv_tokens_ += width * std::min(tokens, attended_tokens_);
  if (tokens < attended_tokens_) {
    growing_ += width;
    stop_growing(steps_, tokens, width);
  }
  if (width == 1 && !due_.empty()) {
    due_[due_phase(steps_, tokens, growth())] += growth_blocks(tokens);
    narrow_later(steps_, tokens, 1);
  }
  std::ranges::push_heap(heap_, later);
}

void DecodeSet::forget(Slot slot, const Sequence& s) {
  const std::int64_t width = s.request.width();
  sequences_ -= width;
  if (width > 1) std::erase(wide_, slot);
  if (speculator_) return;
  count_chunks(s, tokens(s), -1);
  kv_tokens_ -= width * std::min(tokens(s), attended_tokens_);
  if (tokens(s) < attended_tokens_) {
    growing_ -= width;
    stop_growing(s.joined_step, s.joined_tokens, -width);
  }
  if (width == 1 && !due_.empty()) {
    due_[due_phase(s.joined_step, s.joined_tokens, growth())] -= growth_blocks(tokens(s));
    if (tokens(s) < narrow_tokens_) narrow_later(s.joined_step, s.joined_tokens, -1);
  }
}

void DecodeSet::count_chunks(const Sequence& s, std::int64_t tokens, std::int64_t sign) {
  const std::int64_t width = s.request.width();
  chunk_tokens_.add(tokens, sign * width);
  if (chunk_tokens_.counts()) chunk_sum_ += sign * width * ((tokens - 1) % chunk_tokens_.period() + 1);
  if (width == 1) chunk_blocks_.add(tokens, sign);
}

std::int64_t DecodeSet::growth_blocks(std::int64_t tokens) const {
  const KvGroups& groups = cache_->groups();
  return tokens < narrow_tokens_ ? groups.groups : groups.groups - groups.windowed;
}

void DecodeSet::narrow_later(std::int64_t joined_step, std::int64_t joined_tokens, std::int64_t sequences) {
  if (joined_tokens >= narrow_tokens_ || narrow_tokens_ == KvGroups::never) return;
  const auto at = narrows_.try_emplace(joined_step + (narrow_tokens_ - joined_tokens), 0).first;
  at->second += sequences;
  if (at->second == 0) narrows_.erase(at);
}

// They hold a whole number of blocks now, so this is the phase of them all.
void DecodeSet::narrow() {
  due_[phase_] -= narrows_.begin()->second * cache_->groups().windowed;
  narrows_.erase(narrows_.begin());
}

void DecodeSet::stop_growing(std::int64_t joined_step, std::int64_t joined_tokens, std::int64_t sequences) {
  if (attended_tokens_ == std::numeric_limits<std::int64_t>::max()) return;  // they never do
  const auto stop = stops_.try_emplace(joined_step + (attended_tokens_ - joined_tokens), 0).first;
  stop->second += sequences;
  if (stop->second == 0) stops_.erase(stop);
}

std::int64_t DecodeSet::blocks_due(const Sequence& s) const {
  if (due_.empty()) return 0;
  if (speculator_ && s.request.width() == 1) return blocks_with_drafts(s) - s.held.blocks;
  if (s.request.width() == 1 && tokens(s) % growth() != 0) return 0;
  if (s.request.width() == 1 && !cache_->groups().chunked) return growth_blocks(tokens(s));
  return cache_->blocks_for(s.request, tokens(s) + 1) - cache_->blocks_for(s.request, tokens(s));
}

/// Slots of drafts that were rejected stay taken, until a chunk ends and what was kept of it goes.
std::int64_t DecodeSet::blocks_with_drafts(const Sequence& s) const {
  const std::int64_t wanted = cache_->blocks_for(s.request, tokens(s) + tokens_wanted(s));
  return cache_->groups().chunked ? wanted : std::max(wanted, s.held.blocks);
}

std::int64_t DecodeSet::wide_blocks_due(const SequenceTable& table) const {
  std::int64_t blocks = 0;
  for (Slot slot : wide_) blocks += blocks_due(table[slot]);
  return blocks;
}

std::int64_t DecodeSet::all_blocks_due(const SequenceTable& table) const {
  std::int64_t blocks = 0;
  for (const Entry& entry : heap_) blocks += blocks_due(table[entry.slot]);
  return blocks;
}

std::int64_t DecodeSet::blocks(const Sequence& s) const {
  const bool written_down = speculator_ && s.request.width() == 1 && !due_.empty();
  return (written_down ? s.held.blocks : cache_->blocks_for(s.request, tokens(s))) - s.given_back;
}

std::int64_t DecodeSet::held_tokens(const SequenceTable& table) const {
  std::int64_t held = 0;
  for (const Entry& entry : heap_)
    held += table[entry.slot].request.width() * std::min(tokens(table[entry.slot]), attended_tokens_);
  return held;
}

std::int64_t DecodeSet::made_in_last(const Sequence& s, std::int64_t steps) const {
  if (!speculator_) return steps;
  return steps == 0 ? 0 : s.last_steps[0] + (steps > 1 ? s.last_steps[1] : 0);
}

std::int64_t DecodeSet::tokens_wanted(const Sequence& s) const {
  return 1 + (speculator_ && s.request.width() == 1 ? speculator_->slots(drafts_) : 0);
}

std::int64_t DecodeSet::make_tokens(Sequence& s) {
  if (s.request.width() > 1) return 1;
  const std::int64_t made = s.made + s.progress;
  s.checks += drafts_ > 0 ? 1 : 0;
  return speculator_->made({.request = s.request.id, .made = made, .steps = s.checks, .count = drafts_},
                           s.request.output_tokens - made);
}

std::int64_t DecodeSet::step_with_drafts(SequenceTable& table) {
  count_step();
  kv_tokens_ = chunk_sum_ = 0;
  std::int64_t all = 0;
  for (const Entry& entry : heap_) {
    Sequence& s = table[entry.slot];
    const std::int64_t width = s.request.width();
    const std::int64_t computed = 1 + (width == 1 ? speculator_->rows(drafts_) : 0);
    kv_tokens_ += width * std::min(tokens(s) + computed, attended_tokens_);
    if (chunk_tokens_.counts()) chunk_sum_ += width * ((tokens(s) + computed - 1) % chunk_tokens_.period() + 1);
    if (!due_.empty() && width == 1) s.held.blocks = blocks_with_drafts(s);
    const std::int64_t made = make_tokens(s);
    s.progress += made;
    s.last_steps = {made, s.last_steps[0]};
    all += width * made;
    if (s.made + s.progress == s.request.output_tokens) finished_.push_back(entry);
  }
  std::ranges::sort(finished_, std::ranges::greater{}, &Entry::admission);
  for (const Entry& done : finished_) std::erase_if(heap_, [&](const Entry& e) { return e.slot == done.slot; });
  return all;
}

void DecodeSet::add_outputs(const SequenceTable& table, std::int64_t most, OutputSums& sums) const {
  for (const Entry& entry : heap_) {
    const Sequence& s = table[entry.slot];
    const std::int64_t made = s.made + tokens(s) - s.joined_tokens;
    sums.add(s.request.width(), made, s.request.output_tokens, most);
  }
}

Slot DecodeSet::take_finished(const SequenceTable& table) {
  assert(has_finished());
  if (speculator_) {
    const Slot slot = finished_.back().slot;
    finished_.pop_back();
    forget(slot, table[slot]);
    return slot;
  }
  std::ranges::pop_heap(heap_, later);
  const Slot slot = heap_.back().slot;
  heap_.pop_back();
  forget(slot, table[slot]);
  return slot;
}

std::vector<Slot> DecodeSet::members(const SequenceTable& table) const {
  std::vector<Slot> slots;
  for (const Entry& entry : heap_) slots.push_back(entry.slot);
  for (const Entry& entry : finished_) slots.push_back(entry.slot);  // where sequences speculate
  std::ranges::sort(slots, {}, [&](Slot slot) { return table[slot].admission; });
  return slots;
}

void DecodeSet::remove(Slot slot, const SequenceTable& table) {
  forget(slot, table[slot]);
  std::erase_if(heap_, [&](const Entry& entry) { return entry.slot == slot; });
  if (!speculator_) std::ranges::make_heap(heap_, later);
}

}  // namespace servecast
