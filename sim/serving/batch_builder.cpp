#include "sim/serving/batch_builder.h"

#include <algorithm>
#include <cassert>

namespace servecast {

PrefillView BatchBuilder::view(Slot slot) const {
  const Sequence& s = replica_.sequences_[slot];
  return {.id = s.request.id, .arrival_s = s.record.arrival_s, .left_tokens = s.left()};
}

PrefillView BatchBuilder::prefill(std::int64_t i) const {
  return view(lane_.prefilling[static_cast<std::size_t>(i)]);
}
PrefillView BatchBuilder::waiting() const { return view(replica_.waiting_.front()); }

std::int64_t BatchBuilder::decode_all(const DecodeRules& rules) {
  assert(!lane_.batch().decoded && lane_.batch().chunks.empty());
  if (lane_.decodes.size() == 0) return 0;
  lane_.spare_blocks = rules.spare_block ? 1 : 0;
  if (lane_.decodes.blocks_due() + lane_.spare_blocks <= cache().free_blocks())
    cache().grow(lane_.decodes.blocks_due());
  else
    make_room(rules);
  const std::int64_t count = lane_.decodes.size();
  if (count == 0) return 0;
  lane_.decodes.step();
  lane_.batch().decoded = true;
  lane_.batch().work.decode_sequences = count;
  lane_.batch().work.decode_kv_tokens = lane_.decodes.kv_tokens();
  lane_.batch().work.emitted_tokens = count;
  return count;
}

// Blocks are short: sequence by sequence, in order of admission, preempting from the end of the lane until there is
// room. A sequence that finds nobody after it is preempted itself.
void BatchBuilder::make_room(const DecodeRules& rules) {
  std::vector<Slot> members = lane_.decodes.members(replica_.sequences_);
  std::vector<Slot> victims;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool due = lane_.decodes.is_due(replica_.sequences_[members[i]]);
    if (!due && !rules.spare_block) continue;
    while (cache().free_blocks() < 1 && i < members.size()) {
      const bool prefill_is_last =
          !lane_.prefilling.empty() &&
          replica_.sequences_[lane_.prefilling.back()].admission > replica_.sequences_[members.back()].admission;
      const Slot victim = prefill_is_last ? lane_.prefilling.back() : members.back();
      replica_.preempt(lane_, victim, {.decoding = !prefill_is_last, .cut_prompt = rules.cut_prompts}, listener_);
      if (prefill_is_last) continue;
      victims.push_back(victim);
      members.pop_back();
    }
    if (due && i < members.size()) cache().grow(1);
  }
  lane_.decodes.remove(victims, replica_.sequences_);
}

std::int64_t BatchBuilder::continue_prefill(std::int64_t i, std::int64_t tokens) {
  const Slot slot = lane_.prefilling[static_cast<std::size_t>(i)];
  Sequence& s = replica_.sequences_[slot];
  const std::int64_t count = std::min(tokens, s.left());
  assert(count > 0);
  while (!cache().hold(s.request, s.held, std::max(s.held.tokens, s.computed + count), false)) {
    const Slot victim = lane_.prefilling.back();
    replica_.preempt(lane_, victim, {.decoding = false}, listener_);
    if (victim == slot) return 0;
  }
  add_chunk(slot, count);
  return count;
}

std::optional<std::int64_t> BatchBuilder::admit(std::int64_t tokens, const AdmitRules& rules) {
  assert(tokens > 0);
  const Slot slot = replica_.waiting_.front();
  Sequence& s = replica_.sequences_[slot];
  // The last token is always computed: it gives the first output token.
  const std::int64_t cached = std::min(cache().cached_tokens(s.request), s.to_compute - 1);
  const std::int64_t count = std::min(tokens, s.to_compute - cached);
  if (!cache().hold(s.request, s.held, rules.whole_prompt ? s.to_compute : cached + count, true)) return std::nullopt;
  replica_.waiting_.pop_front();
  replica_.running_ += 1;
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
  lane_.batch().work.add_chunk(tokens, s.computed);
  lane_.batch().chunks.push_back({.slot = slot, .tokens = tokens});
  s.computed += tokens;
  replica_.uncomputed_tokens_ -= tokens;
  cache().computed(s.request, s.held, std::min(s.computed, s.request.prompt_tokens));
  if (s.left() > 0) return;
  lane_.batch().work.emitted_tokens += 1;
  lane_.batch().prompts.push_back(slot);
}

}  // namespace servecast
