#include "sim/serving/replica/batch_builder.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace servecast {

PrefillView BatchBuilder::view(Slot slot) const {
  const Sequence& s = book_[slot];
  return {.id = s.request.id,
          .arrival_s = s.record.arrival_s,
          .left_tokens = s.left(),
          .left_outputs = s.request.output_tokens - s.made};
}

PrefillView BatchBuilder::prefill(std::int64_t i) const {
  return view(lane_.prefilling[static_cast<std::size_t>(i)]);
}
PrefillView BatchBuilder::waiting() const { return view(core_.setup.queue->front()); }

std::int64_t BatchBuilder::waiting_tokens() const {
  std::int64_t tokens = book_.sums().uncomputed_tokens;
  for (const Lane& lane : core_.lanes.all())
    for (const Slot slot : lane.prefilling) tokens -= book_[slot].left();
  return tokens;
}

std::int64_t BatchBuilder::waiting_cached() const {
  const Sequence& s = book_[core_.setup.queue->front()];
  const std::int64_t found = s.fetched_tokens > 0 ? s.fetched_tokens : cache().cached_tokens(s.request);
  return std::min(found, s.to_compute - 1);
}

// Where a cache takes all blocks at admission, it decides by itself.
std::int64_t BatchBuilder::free_tokens() const {
  if (cache().growth_tokens() == 0) return std::numeric_limits<std::int64_t>::max();
  return cache().free_blocks() / cache().groups().groups * cache().growth_tokens();
}

std::int64_t BatchBuilder::decode_steps() const {
  std::int64_t steps = 0;
  for (const Lane& lane : core_.lanes.all()) steps += lane.decodes.steps();
  return steps;
}

OutputSums BatchBuilder::outputs(std::int64_t most) const {
  OutputSums sums;
  for (const Lane& lane : core_.lanes.all()) {
    lane.decodes.add_outputs(book_.table(), most, sums);
    for (const std::vector<Slot>* slots : {&lane.prefilling, &lane.joining})
      for (const Slot slot : *slots) {
        const Sequence& s = book_[slot];
        sums.add(s.request.width(), s.made, s.request.output_tokens, most);
      }
  }
  return sums;
}

std::int64_t BatchBuilder::decode_all(const DecodeRules& rules) {
  assert(!batch_.decoded && batch_.chunks.empty());
  lane_.spare_blocks =
      rules.spare_block && cache().growth_tokens() > 0 ? 1 : 0;  // a sequence that never grows wants none
  if (!lane_.swapped.empty()) parts_.swapping.in(lane_);
  if (lane_.decodes.size() == 0) return 0;
  if (speculator()) choose_drafts();
  const std::int64_t due = lane_.decodes.blocks_due(book_.table());
  if (due + lane_.spare_blocks <= cache().free_blocks() && !lane_.decodes.chunk_ends())
    cache().grow(due);
  else
    make_room(rules);
  const std::int64_t count = lane_.decodes.sequences();
  if (count == 0) return 0;
  if (speculator())
    check_drafts();
  else
    lane_.decodes.step();
  batch_.decode(lane_.decodes, count);
  if (core_.setup.batcher->after_last() == AfterLast::pads) add_padding();
  return count;
}

void BatchBuilder::choose_drafts() {
  DecodeSet& decodes = lane_.decodes;
  const std::int64_t held = decodes.held_tokens(book_.table());
  decodes.set_drafts(speculator()->choose(decodes.speculating(), held, *core_.setup.latency));
}

void BatchBuilder::check_drafts() {
  FilledBatch& batch = batch_;
  batch.work.draft_sequences = lane_.decodes.drafts() > 0 ? lane_.decodes.speculating() : 0;
  batch.work.draft_tokens = batch.work.draft_sequences * speculator()->rows(lane_.decodes.drafts());
  batch.accepted_drafts = lane_.decodes.step_with_drafts(book_.table()) - lane_.decodes.sequences();
  batch.rejected = batch.work.draft_tokens - batch.accepted_drafts;
}

// Padding: a finished sequence takes part as if it had one token more.
void BatchBuilder::add_padding() {
  for (Slot slot : lane_.finished) batch_.padding_sequences += book_[slot].request.width();
  if (cache().attended_tokens() == std::numeric_limits<std::int64_t>::max())
    lane_.padding_kv_tokens += batch_.padding_sequences;
  batch_.work.decode_sequences += batch_.padding_sequences;
  batch_.work.decode_kv_tokens += lane_.padding_kv_tokens;
  if (batch_.padding_sequences > 0) batch_.work.decode_chunk_tokens = 0;  // as many as the mean has
}

// Blocks are short, or some become free: sequence by sequence, in order of admission, preempting others until there
// is room: as a rule the last admitted. A sequence that finds itself next is preempted.
void BatchBuilder::make_room(const DecodeRules& rules) {
  std::vector<Slot> members = lane_.decodes.members(book_.table());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Slot slot = members[i];
    const std::int64_t due = lane_.decodes.blocks_due(book_[slot]);
    const std::int64_t wanted = std::max(due, lane_.spare_blocks);
    bool out = false;
    while (!out && cache().free_blocks() < wanted) {
      if (parts_.fetches.give_up_blocks(slot)) continue;
      const Slot victim = first_to_preempt(members, rules.fewest_outputs);
      const auto found = std::ranges::find(members, victim);
      if (found != members.end()) {
        const auto place = static_cast<std::size_t>(found - members.begin());
        // It had its turn; what it gave back then is no longer its own.
        if (place < i) cache().grow(-std::max<std::int64_t>(lane_.decodes.blocks_due(book_[victim]), 0));
        members.erase(found);
        if (place <= i) --i;
      }
      parts_.removals.preempt(victim, rules.cut_prompts, listener_);
      book_[victim].given_back = 0;
      out = victim == slot;
    }
    if (out) continue;
    cache().grow(due);
    book_[slot].given_back = std::max<std::int64_t>(-due, 0);
  }
  for (const Slot slot : members) book_[slot].given_back = 0;
}

Slot BatchBuilder::first_to_preempt(const std::vector<Slot>& decoding, bool fewest_outputs) const {
  const auto made = [&](const Sequence& s) {
    return fewest_outputs ? lane_.decodes.tokens(s) - s.joined_tokens + s.made : 0;
  };
  const auto later = [&](Slot a, Slot b) {
    const Sequence& x = book_[a];
    const Sequence& y = book_[b];
    if (x.preemption_rank == y.preemption_rank && made(x) != made(y)) return made(x) > made(y);
    return std::tie(x.preemption_rank, x.admission) < std::tie(y.preemption_rank, y.admission);
  };
  const auto last = std::ranges::max_element(decoding, later);
  const auto last_prefill = std::ranges::max_element(lane_.prefilling, {}, [&](Slot slot) {
    const Sequence& s = book_[slot];
    return std::tie(s.preemption_rank, s.admission);
  });
  if (last == decoding.end()) return *last_prefill;
  const auto age = [&](Slot slot) { return std::tie(book_[slot].preemption_rank, book_[slot].admission); };
  return last_prefill != lane_.prefilling.end() && age(*last) < age(*last_prefill) ? *last_prefill : *last;
}

std::int64_t BatchBuilder::continue_prefill(std::int64_t i, std::int64_t tokens) {
  const Slot slot = lane_.prefilling[static_cast<std::size_t>(i)];
  Sequence& s = book_[slot];
  const std::int64_t count = std::min(tokens, s.left());
  assert(count > 0);
  while (!cache().hold(s.request, s.held, std::max(s.held.tokens, s.computed + count), false)) {
    if (parts_.fetches.give_up_blocks(slot)) continue;
    const Slot victim = first_to_preempt({});
    parts_.removals.preempt(victim, false, listener_);
    if (victim != slot) continue;
    if (lanes() > 1) book_.hold_admissions();
    return 0;
  }
  add_chunk(slot, count);
  return count;
}

std::optional<std::int64_t> BatchBuilder::admit(std::int64_t tokens, const AdmitRules& rules) {
  assert(tokens > 0);
  const Slot slot = core_.setup.queue->front();
  Sequence& s = book_[slot];
  if (!book_.has_place(s)) return std::nullopt;
  // The last token is always computed: it gives the first output token.
  const bool fetched = s.fetched_tokens > 0;  // it has blocks already
  const std::int64_t found = fetched ? s.fetched_tokens : cache().cached_tokens(s.request);
  const std::int64_t cached = std::min(found, s.to_compute - 1);
  const std::int64_t count = std::min(tokens, s.to_compute - cached);
  const std::int64_t held = std::max(s.held.tokens, rules.whole_prompt ? s.to_compute : cached + count);
  const bool more_to_fit = rules.whole_prompt_fits && held < s.to_compute;
  while ((more_to_fit && !cache().has_room(s.request, s.held, s.to_compute, !fetched)) ||
         !cache().hold(s.request, s.held, held, !fetched))
    if (!parts_.fetches.give_up_blocks(slot)) return std::nullopt;
  if (fetched) parts_.fetches.admitted(slot);
  core_.totals.found_tokens += fetched ? s.fetched_behind : cached;
  run(slot, cached, rules.arrival_order);
  add_chunk(slot, count);
  return count;
}

void BatchBuilder::run(Slot slot, std::int64_t cached_tokens, bool arrival_order) {
  Sequence& s = book_[slot];
  const double now_s = core_.clock.now_s;
  book_.admit(slot, lane_.number, cached_tokens, arrival_order);
  core_.lanes.decide_again();  // what waits behind it may fit into other lanes' batches where this one did not
  listener_.request_waited(core_.pool(), s.since_s, now_s);
  s.since_s = now_s;
  if (!s.record.scheduled_s) s.record.scheduled_s = now_s;
  const auto age = [this](Slot other) { return book_[other].admission; };
  lane_.prefilling.insert(std::ranges::upper_bound(lane_.prefilling, s.admission, {}, age), slot);
}

void BatchBuilder::add_chunk(Slot slot, std::int64_t tokens) {
  Sequence& s = book_[slot];
  add_work(s, tokens);
  book_.compute(slot, tokens);
  batch_.chunks.push_back({slot, s.request.id, tokens, s.computed});
  batch_.streams |= s.serve == Serve::streamed_prompt;
  cache().computed(s.request, s.held, std::min(s.computed, s.request.prompt_tokens));
  if (s.left() > 0) return;
  batch_.work.emitted_tokens += s.request.width();
  batch_.prompts.push_back(slot);
}

void BatchBuilder::add_work(const Sequence& s, std::int64_t tokens) {
  // After a preemption, the outputs made so far are computed side by side.
  const std::int64_t past_prompt = std::max<std::int64_t>(0, s.computed + tokens - s.request.prompt_tokens);
  const std::int64_t outputs = std::min(tokens, past_prompt);
  const StepLatency& latency = *core_.setup.latency;
  const auto add = [&](std::int64_t count, std::int64_t before) {
    const std::int64_t attended = std::min(before, cache().attended_tokens());
    batch_.work.add_chunk(count, attended, latency.chunk_s(count, attended));
  };
  add(tokens, s.computed);
  const std::int64_t images = s.request.images_begun(s.computed + tokens) - s.request.images_begun(s.computed);
  batch_.work.images += images;
  batch_.work.image_tokens += images * s.request.image_tokens;
  for (std::int64_t i = 1; i < s.request.width() && outputs > 0; ++i) add(outputs, s.computed + tokens - outputs);
}

void BatchBuilder::pad_prompts() {
  std::int64_t longest = 0;
  for (const FilledBatch::Chunk& c : batch_.chunks) longest = std::max(longest, c.tokens);
  const std::int64_t emitted = batch_.work.emitted_tokens;
  batch_.work = {.emitted_tokens = emitted};
  for (std::size_t i = 0; i < batch_.chunks.size(); ++i) batch_.work.add_chunk(longest, 0);
}

}  // namespace servecast
