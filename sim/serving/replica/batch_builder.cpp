#include "sim/serving/replica/batch_builder.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace servecast {

PrefillView BatchBuilder::view(Slot slot) const {
  const Sequence& s = replica_.sequences_[slot];
  return {.id = s.request.id, .arrival_s = s.record.arrival_s, .left_tokens = s.left()};
}

PrefillView BatchBuilder::prefill(std::int64_t i) const {
  return view(lane_.prefilling[static_cast<std::size_t>(i)]);
}
PrefillView BatchBuilder::waiting() const { return view(replica_.setup_.queue->front()); }

std::int64_t BatchBuilder::decode_all(const DecodeRules& rules) {
  assert(!lane_.batch().decoded && lane_.batch().chunks.empty());
  lane_.spare_blocks = rules.spare_block && cache().growth_tokens() > 0 ? 1 : 0;  // who never grows wants none
  if (!lane_.swapped.empty()) replica_.swap_in(lane_);
  if (lane_.decodes.size() == 0) return 0;
  if (replica_.setup_.speculator) choose_drafts();
  const std::int64_t due = lane_.decodes.blocks_due(replica_.sequences_);
  if (due + lane_.spare_blocks <= cache().free_blocks())
    cache().grow(due);
  else
    make_room(rules);
  const std::int64_t count = lane_.decodes.sequences();
  if (count == 0) return 0;
  if (replica_.setup_.speculator)
    check_drafts();
  else
    lane_.decodes.step();
  lane_.batch().decoded = true;
  lane_.batch().work.decode_sequences = count;
  lane_.batch().work.decode_kv_tokens = lane_.decodes.kv_tokens();
  lane_.batch().work.emitted_tokens += count + lane_.batch().work.draft_tokens;
  if (replica_.setup_.batcher->after_last() == AfterLast::waits) compute_along();
  return count;
}

void BatchBuilder::choose_drafts() {
  const DecodeSet& decodes = lane_.decodes;
  const Speculator& speculator = *replica_.setup_.speculator;
  lane_.decodes.set_drafts(
      speculator.choose(decodes.speculating(), decodes.held_tokens(replica_.sequences_), *replica_.setup_.latency));
}

void BatchBuilder::check_drafts() {
  FilledBatch& batch = lane_.batch();
  batch.work.draft_sequences = lane_.decodes.drafts() > 0 ? lane_.decodes.speculating() : 0;
  batch.work.draft_tokens = batch.work.draft_sequences * replica_.setup_.speculator->rows(lane_.decodes.drafts());
  batch.bunched = lane_.decodes.step_with_drafts(replica_.sequences_) - lane_.decodes.sequences();
  batch.rejected = batch.work.draft_tokens - batch.bunched;
}

// Padding: whoever is done already takes part as if it had one token more.
void BatchBuilder::compute_along() {
  for (Slot slot : lane_.kept) lane_.batch().riding += replica_.sequences_[slot].request.width();
  if (cache().attended_tokens() == std::numeric_limits<std::int64_t>::max())
    lane_.kept_kv_tokens += lane_.batch().riding;
  lane_.batch().work.decode_sequences += lane_.batch().riding;
  lane_.batch().work.decode_kv_tokens += lane_.kept_kv_tokens;
}

// Blocks are short: sequence by sequence, in order of admission, preempting others until there is room: as a rule the
// last admitted. A sequence that finds itself next is preempted.
void BatchBuilder::make_room(const DecodeRules& rules) {
  std::vector<Slot> members = lane_.decodes.members(replica_.sequences_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Slot slot = members[i];
    const std::int64_t due = lane_.decodes.blocks_due(replica_.sequences_[slot]);
    const std::int64_t wanted = std::max(due, lane_.spare_blocks);
    bool out = false;
    while (!out && cache().free_blocks() < wanted) {
      if (replica_.give_up_fetched_blocks(slot)) continue;
      const Slot victim = first_to_preempt(members);
      const auto found = std::ranges::find(members, victim);
      if (found != members.end()) {
        const auto place = static_cast<std::size_t>(found - members.begin());
        if (place < i) cache().grow(-lane_.decodes.blocks_due(replica_.sequences_[victim]));  // it had its turn
        members.erase(found);
        if (place <= i) --i;
      }
      replica_.preempt(victim, rules.cut_prompts, listener_);
      out = victim == slot;
    }
    if (!out) cache().grow(due);
  }
}

Slot BatchBuilder::first_to_preempt(const std::vector<Slot>& decoding) const {
  const auto later = [this](Slot a, Slot b) {
    const Sequence& x = replica_.sequences_[a];
    const Sequence& y = replica_.sequences_[b];
    return std::tie(x.preemption_rank, x.admission) < std::tie(y.preemption_rank, y.admission);
  };
  const auto last = std::ranges::max_element(decoding, later);
  const auto last_prefill = std::ranges::max_element(lane_.prefilling, later);
  if (last == decoding.end()) return *last_prefill;
  return last_prefill != lane_.prefilling.end() && later(*last, *last_prefill) ? *last_prefill : *last;
}

std::int64_t BatchBuilder::continue_prefill(std::int64_t i, std::int64_t tokens) {
  const Slot slot = lane_.prefilling[static_cast<std::size_t>(i)];
  Sequence& s = replica_.sequences_[slot];
  const std::int64_t count = std::min(tokens, s.left());
  assert(count > 0);
  while (!cache().hold(s.request, s.held, std::max(s.held.tokens, s.computed + count), false)) {
    if (replica_.give_up_fetched_blocks(slot)) continue;
    const Slot victim = first_to_preempt({});
    replica_.preempt(victim, false, listener_);
    if (victim != slot) continue;
    replica_.admissions_wait_ = lanes() > 1;
    return 0;
  }
  add_chunk(slot, count);
  return count;
}

std::optional<std::int64_t> BatchBuilder::admit(std::int64_t tokens, const AdmitRules& rules) {
  assert(tokens > 0);
  const Slot slot = replica_.setup_.queue->front();
  Sequence& s = replica_.sequences_[slot];
  if (replica_.running_sequences_ + s.request.width() > replica_.setup_.batcher->max_sequences()) return std::nullopt;
  if (!replica_.adapter_has_room(s)) return std::nullopt;
  // The last token is always computed: it gives the first output token.
  const bool fetched = s.fetched_tokens > 0;  // it has blocks already
  const std::int64_t found = fetched ? s.fetched_tokens : cache().cached_tokens(s.request);
  const std::int64_t cached = std::min(found, s.to_compute - 1);
  const std::int64_t count = std::min(tokens, s.to_compute - cached);
  const std::int64_t held = std::max(s.held.tokens, rules.whole_prompt ? s.to_compute : cached + count);
  while (!cache().hold(s.request, s.held, held, !fetched))
    if (!replica_.give_up_fetched_blocks(slot)) return std::nullopt;
  if (fetched) std::erase(replica_.fetched_, slot);
  s.fetched_tokens = 0;
  replica_.totals_.found_tokens += fetched ? s.fetched_behind : cached;
  replica_.take_adapter(s, lane_);
  replica_.setup_.queue->erase(slot, s.request);
  replica_.waiting_ -= 1;
  if (s.record.preemptions == 0) replica_.setup_.queue->served(s.request, s.request.prompt_tokens, 0);
  s.stage = Stage::prefilling;
  s.lane = static_cast<std::uint16_t>(index());
  replica_.running_ += 1;
  replica_.running_sequences_ += s.request.width();
  replica_.uncomputed_tokens_ -= cached;
  s.computed = cached;
  s.record.cached_tokens = cached;
  s.admission = rules.arrival_order ? s.arrival : ++replica_.admissions_;
  listener_.request_waited(replica_.pool(), s.since_s, replica_.now_s_);
  s.since_s = replica_.now_s_;
  if (!s.record.scheduled_s) s.record.scheduled_s = replica_.now_s_;
  const auto age = [this](Slot other) { return replica_.sequences_[other].admission; };
  lane_.prefilling.insert(std::ranges::upper_bound(lane_.prefilling, s.admission, {}, age), slot);
  add_chunk(slot, count);
  return count;
}

void BatchBuilder::add_chunk(Slot slot, std::int64_t tokens) {
  Sequence& s = replica_.sequences_[slot];
  // After a preemption, the outputs made so far are computed side by side.
  const std::int64_t past_prompt = std::max<std::int64_t>(0, s.computed + tokens - s.request.prompt_tokens);
  const std::int64_t outputs = std::min(tokens, past_prompt);
  const StepLatency& latency = *replica_.setup_.latency;
  const auto add = [&](std::int64_t count, std::int64_t before) {
    const std::int64_t attended = std::min(before, cache().attended_tokens());
    lane_.batch().work.add_chunk(count, attended, latency.chunk_s(count, attended));
  };
  add(tokens, s.computed);
  for (std::int64_t i = 1; i < s.request.width() && outputs > 0; ++i) add(outputs, s.computed + tokens - outputs);
  lane_.batch().chunks.push_back({.slot = slot, .tokens = tokens});
  s.computed += tokens;
  replica_.uncomputed_tokens_ -= tokens;
  cache().computed(s.request, s.held, std::min(s.computed, s.request.prompt_tokens));
  if (s.left() > 0) return;
  lane_.batch().work.emitted_tokens += s.request.width();
  lane_.batch().prompts.push_back(slot);
}

void BatchBuilder::pad_prompts() {
  std::int64_t longest = 0;
  for (const FilledBatch::Chunk& c : lane_.batch().chunks) longest = std::max(longest, c.tokens);
  const std::int64_t emitted = lane_.batch().work.emitted_tokens;
  lane_.batch().work = {.emitted_tokens = emitted};
  for (std::size_t i = 0; i < lane_.batch().chunks.size(); ++i) lane_.batch().work.add_chunk(longest, 0);
}

}  // namespace servecast
