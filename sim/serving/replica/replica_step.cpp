// What a step does to the books of a replica: from the batch that is filled to the tokens it has made.
#include <algorithm>
#include <cassert>

#include "sim/serving/replica/batch_builder.h"

namespace servecast {

bool Replica::fill(Lane& lane, ReplicaListener& listener) {
  lane.batch().clear();
  set_clocks();
  if (!lane.gone.empty()) drop_gone(lane);
  join_decodes(lane);
  if (!lane.landed.empty()) join_landed(lane, listener);
  tell_service();
  BatchBuilder builder(*this, lane, listener);
  if (lane.repeat && lane.decodes.size() > 0 &&
      lane.decodes.blocks_due(sequences_) + lane.spare_blocks <= setup_.kv_cache->free_blocks()) {
    builder.decode_all({.spare_block = lane.spare_blocks > 0});
  } else {
    setup_.batcher->fill(builder);
    lane.repeat = !setup_.ask_every_step && lane.batch().decoded && lane.batch().chunks.empty() &&
                  lane.prefilling.empty() && lane.batch().preempted == 0 && lane.batch().copy_s == 0 &&
                  lane.adapter_loads == 0 && may_repeat(lane) && setup_.batcher->repeatable(builder);
  }
  if (lane.batch().work.tokens() > 0) return true;
  // Memory may have run so short that nobody of the batch is left but those who keep theirs.
  return release_kept(lane, listener) && fill(lane, listener);
}

// Beams may give blocks back, and a queue that counts service may change its mind: then somebody may fit who did not.
// What others may take depends on the drafts, and these on the load. Tiers change while others wait for room to fetch
// from them.
bool Replica::may_repeat(const Lane& lane) const {
  const bool beams = lane.decodes.sequences() > lane.decodes.size();
  return !setup_.speculator && !beams && !(setup_.queue->counts_service() && waiting_ > 0) && not_looked_below_ == 0;
}

// Whose prompt the batch before finishes decodes from now on.
void Replica::join_decodes(Lane& lane) {
  if (lane.joining.empty()) return;
  std::int64_t count = 0;
  for (Slot slot : lane.joining) {
    Sequence& s = sequences_[slot];
    s.stage = Stage::decoding;
    lane.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    s.last_token_s = lane.last_seen_s;
    count += s.request.width();
  }
  lane.fresh.push_back({.token_s = lane.last_seen_s, .count = count});
  lane.joining.clear();
}

void Replica::launch(Lane& lane, ReplicaListener& listener) {
  FilledBatch& batch = lane.batch();
  describe(lane);
  if (listener.wants_members(batch.start_s)) list_members(lane);
  begin_run(lane, batch, load_adapters(lane), listener);
  if (batch.decoded) std::swap(batch.fresh, lane.fresh);
  while (lane.decodes.has_finished()) {
    const Slot slot = lane.decodes.take_finished(sequences_);
    settle(sequences_[slot]);
    sequences_[slot].stage = Stage::ending;
    batch.finishing.push_back(slot);
  }
  for (Slot slot : batch.prompts) {
    Sequence& s = sequences_[slot];
    std::erase(lane.prefilling, slot);
    s.stage = ++s.made < s.request.output_tokens ? Stage::joining : Stage::ending;
    if (s.stage == Stage::joining) lane.joining.push_back(slot);
  }
  if (setup_.chunked_pipeline) pass_on_prompts(lane);
  if (!batch.finishing.empty()) lane.repeat = false;
  lane.batches.push();
  find_next_end();
  account_blocks();
  if (setup_.tiers) batch.computed = setup_.tiers->take_computed();
}

// What it computes is known, and when it can have the GPUs.
void Replica::describe(Lane& lane) {
  FilledBatch& batch = lane.batch();
  batch.used_blocks = setup_.kv_cache->used_blocks();
  if (adapters_) batch.work.adapters = adapters_->in_use();
  if (setup_.exits && batch.decoded) batch.work.decode_layers = setup_.exits->draw(batch.work);
  batch.run.lane = number(lane);
  batch.run.side = side(lane);
  batch.start_s = std::max(now_s_, stages_.first_free_s(batch.run.side));
}

void Replica::list_members(Lane& lane) {
  if (lane.batch().decoded)
    for (Slot slot : lane.decodes.members(sequences_))
      lane.batch().members.push_back(
          {.id = sequences_[slot].request.id, .tokens = lane.decodes.made_in_last(sequences_[slot], 1)});
  for (const FilledBatch::Chunk& c : lane.batch().chunks)
    lane.batch().members.push_back({.id = sequences_[c.slot].request.id, .tokens = c.tokens});
}

void Replica::end_batch(Lane& lane, ReplicaListener& listener) {
  const FilledBatch& batch = lane.batches[0];
  seen_s_ = seen_by_side_[static_cast<std::size_t>(batch.run.side)] = batch.seen_s;
  stages_.ended(batch);
  lane.batches.pop();
  lane.ended = true;
  find_next_end();
  report_step(batch, listener);
  if (batch.decoded) tell_gaps(lane, batch, listener);
  for (Slot slot : batch.finishing) {
    sequences_[slot].made = sequences_[slot].request.output_tokens;
    finish(slot, listener);
  }
  if (stages_.sides()) tell_sides(batch);
  for (Slot slot : batch.prompts) end_prompt(slot, listener);
  if (stages_.sides()) pass_to_decode_lane(lane);
  release_kept(lane, listener);
  account_blocks();
  if (setup_.tiers) tell_tiers(batch);
}

// What was computed may go into tiers, and so may what those who have finished leave behind.
void Replica::tell_tiers(const FilledBatch& batch) {
  setup_.tiers->set_clock(now_s_);
  setup_.tiers->write(batch.computed);
  setup_.tiers->write_computed();
}

// What a decoding sequence holds by now follows from the step counter; writes it down and returns its tokens.
std::int64_t Replica::settle(Sequence& s) const {
  s.held.tokens = lanes_[s.lane].decodes.tokens(s);
  s.held.blocks = lanes_[s.lane].decodes.blocks(s);
  return s.held.tokens;
}

void Replica::tell_gaps(Lane& lane, const FilledBatch& batch, ReplicaListener& listener) {
  // One that went on from another pool may have its answers sooner here than that pool's front end let out the last.
  std::int64_t others = batch.work.decode_sequences - batch.riding;
  for (const FilledBatch::Fresh& fresh : batch.fresh) {
    if (fresh.count > 0) listener.token_gap(setup_.pool, std::max(0.0, batch.seen_s - fresh.token_s), fresh.count);
    others -= fresh.count;
  }
  if (others > 0) listener.token_gap(setup_.pool, batch.seen_s - lane.last_decode_s, others);
  if (batch.bunched > 0) listener.token_gap(setup_.pool, 0, batch.bunched);  // seen together with the one before
  lane.last_decode_s = batch.seen_s;
}

// The last chunk of a prompt gives an output token: the first one, or after a preemption one more.
void Replica::end_prompt(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  if (!s.told) {  // nobody is interested any more where its client gave up
    if (s.record.first_token_s)
      listener.token_gap(setup_.pool, std::max(0.0, seen_s_ - s.last_token_s), s.request.width());
    else
      s.record.first_token_s = seen_s_;
  }
  if (s.made == s.request.output_tokens) finish(slot, listener);
}

void Replica::report_step(const FilledBatch& batch, ReplicaListener& listener) {
  const auto stages = static_cast<double>(stages_.count());
  const double energy_j = batch.run.sum(&StagePass::energy_j);
  const double busy_s = batch.run.sum(&StagePass::busy_s);
  totals_.steps += 1;
  totals_.busy_s += busy_s / stages;
  totals_.extrapolated_s += batch.run.sum(&StagePass::extrapolated_s) / stages;
  totals_.step_energy_j += energy_j;
  totals_.prompt_tokens += batch.work.prefill_tokens;
  totals_.output_tokens += batch.made_tokens();
  listener.step_done({.replica = setup_.id,
                      .pool = setup_.pool,
                      .start_s = batch.start_s,
                      .end_s = batch.end_s,
                      .decode_sequences = batch.work.decode_sequences,
                      .prefill_sequences = batch.work.prefill_sequences,
                      .prefill_tokens = batch.work.prefill_tokens,
                      .emitted_tokens = batch.made_tokens(),
                      .used_blocks = batch.used_blocks,
                      .energy_j = energy_j,
                      .beside_until_s = batch.run.beside_until_s,
                      .busy_s = stages_.sides() ? std::optional(busy_s) : std::nullopt},
                     batch.members);
}

void Replica::finish(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  tell_service(s, s.made);
  admissions_wait_ = false;
  running_ -= 1;
  running_sequences_ -= s.request.width();
  leave_adapter(s);
  if (s.serve != Serve::whole) return export_prompt(slot, listener);
  keep_for_next_turn(s);
  if (setup_.batcher->after_last() != AfterLast::waits) tell_finished(slot, listener);
  if (setup_.batcher->after_last() != AfterLast::leaves) {
    s.stage = Stage::kept;
    lanes_[s.lane].kept.push_back(slot);
    lanes_[s.lane].kept_kv_tokens += s.request.width() * std::min(s.held.tokens, setup_.kv_cache->attended_tokens());
    return;
  }
  setup_.kv_cache->release(s.request, s.held);
  remove(slot);
  decide_again();
}

// Nobody need take it out any more, and its slot may soon be another's.
void Replica::remove(Slot slot) {
  if (ExpertOffload* experts = stages_.experts()) experts->forget(sequences_[slot].request.id);
  std::erase(lanes_[sequences_[slot].lane].gone, slot);
  sequences_.remove(slot);
}

// All but its last token has been computed, and may be of use to the next turn of its session. Several sequences have
// said several things, and whose client has given up has no next turn: what its session had said is forgotten.
void Replica::keep_for_next_turn(Sequence& s) {
  if (s.told) return;
  set_clocks();
  if (s.request.width() == 1) setup_.kv_cache->computed(s.request, s.held, s.held.tokens);
}

// The client has its answer, or had given up waiting for it.
void Replica::tell_finished(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  if (s.told) return;
  s.told = true;
  awaited_ -= s.request.awaited ? 1 : 0;
  s.record.finish_s = seen_s_;
  s.record.output_tokens = s.made;
  s.record.status = RequestStatus::completed;
  if (stages_.sides()) tell_finished_to_sides(s);
  listener.request_ran(setup_.pool, s.since_s, now_s_);
  listener.request_done(s.request, s.record);
  forget_told();
}

// The whole batch is done: memory and places come free. Clients that waited for it get everything at once.
bool Replica::release_kept(Lane& lane, ReplicaListener& listener) {
  if (lane.kept.empty() || lane.busy() || lane.decodes.size() > 0 || !lane.joining.empty() ||
      !lane.prefilling.empty())
    return false;
  for (Slot slot : lane.kept) {
    Sequence& s = sequences_[slot];
    if (setup_.batcher->after_last() == AfterLast::waits) s.record.first_token_s = seen_s_;
    tell_finished(slot, listener);
    setup_.kv_cache->release(s.request, s.held);
    remove(slot);
  }
  lane.kept.clear();
  lane.kept_kv_tokens = 0;
  decide_again();
  return true;
}

// What the queue counts, before it is asked who is next.
void Replica::tell_service() {
  if (!setup_.queue->counts_service()) return;
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Slot slot{static_cast<std::uint32_t>(i)};
    Sequence& s = sequences_[slot];
    if (!s.told && s.stage == Stage::decoding)
      tell_service(s, s.made + lanes_[s.lane].decodes.tokens(s) - s.joined_tokens);
  }
}

void Replica::tell_service(Sequence& s, std::int64_t made) {
  if (made <= s.told_service) return;
  setup_.queue->served(s.request, 0, (made - s.told_service) * s.request.width());
  s.told_service = made;
}

}  // namespace servecast
