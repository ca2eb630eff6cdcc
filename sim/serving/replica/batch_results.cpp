#include "sim/serving/replica/batch_results.h"

#include <algorithm>

namespace servecast {

void BatchResults::end(Lane& lane, ReplicaListener& listener) {
  const FilledBatch& batch = lane.batches[0];
  ends_.ended(batch);
  lane.batches.pop();
  lane.ended = true;
  core_.lanes.find_next_end();
  report_step(lane, batch, listener);
  for (Slot slot : batch.finishing) {
    core_.book[slot].made = core_.book[slot].request.output_tokens;
    finish(slot, listener);
  }
  const bool sides = core_.pipeline.sides() != nullptr;
  if (sides) report_sides(batch);
  for (Slot slot : batch.prompts) end_prompt(slot, listener);
  if (sides) pass_to_decode_lane(lane);
  release_finished(lane, listener);
  core_.blocks.account(core_.clock.now_s);
  fetches_.write(batch);
}

void BatchResults::report(const FilledBatch& batch, ReplicaListener& listener) {
  const auto stages = static_cast<double>(core_.pipeline.count());
  const double energy_j = batch.run.sum(&StageRun::energy_j);
  const double busy_s = batch.run.sum(&StageRun::busy_s);
  ReplicaTotals& totals = core_.totals;
  totals.steps += 1;
  totals.busy_s += busy_s / stages;
  totals.extrapolated_s += batch.run.sum(&StageRun::extrapolated_s) / stages;
  totals.step_energy_j += energy_j;
  totals.prompt_tokens += batch.work.prefill_tokens;
  totals.output_tokens += batch.made_tokens();
  totals.front_end_s += core_.setup.answers.busy_s(batch.first_tokens(), batch.decodes());
  listener.step_done({.replica = core_.id(),
                      .pool = core_.pool(),
                      .start_s = batch.start_s,
                      .end_s = batch.end_s,
                      .decode_sequences = batch.work.decode_sequences,
                      .prefill_sequences = batch.work.prefill_sequences,
                      .prefill_tokens = batch.work.prefill_tokens,
                      .emitted_tokens = batch.made_tokens(),
                      .used_blocks = batch.used_blocks,
                      .energy_j = energy_j,
                      .beside_until_s = batch.run.beside_until_s,
                      .busy_s = core_.pipeline.sides() ? std::optional(busy_s) : std::nullopt},
                     batch.members);
}

void BatchResults::cut(const FilledBatch& batch, ReplicaListener& listener) {
  const double now_s = core_.clock.now_s;
  const Pipeline::Taken taken = core_.pipeline.cut(batch, now_s);
  if (now_s <= batch.start_s) return;
  core_.totals.busy_s += taken.busy_s / static_cast<double>(core_.pipeline.count());
  core_.totals.step_energy_j += taken.energy_j;
  listener.step_done({.replica = core_.id(),
                      .pool = core_.pool(),
                      .start_s = batch.start_s,
                      .end_s = now_s,
                      .used_blocks = batch.used_blocks,
                      .energy_j = taken.energy_j,
                      .beside_until_s = batch.run.beside_until_s,
                      .busy_s = core_.pipeline.sides() ? std::optional(taken.busy_s) : std::nullopt},
                     {});
}

void BatchResults::report_gaps(Lane& lane, const FilledBatch& batch, ReplicaListener& listener) {
  const PoolId pool = core_.pool();
  // One that went on from another pool may have its answers sooner here than that pool's front end let out the last.
  std::int64_t others = batch.decodes();
  for (const FilledBatch::Fresh& fresh : batch.fresh) {
    if (fresh.count > 0) listener.token_gap(pool, std::max(0.0, batch.seen_s - fresh.token_s), fresh.count);
    others -= fresh.count;
  }
  if (others > 0) listener.token_gap(pool, batch.seen_s - lane.last_decode_s, others);
  if (batch.accepted_drafts > 0)
    listener.token_gap(pool, 0, batch.accepted_drafts);  // seen together with the one before
  lane.last_decode_s = batch.seen_s;
}

// The last chunk of a prompt gives an output token: the first one, or after a preemption one more.
void BatchResults::end_prompt(Slot slot, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  if (!s.reported) {  // not where its client gave up
    s.record.first_use |= core_.first_uses.held_up(s.record);
    if (s.serve != Serve::whole) s.record.prompt_end_s = ends_.seen_s();
    if (s.record.first_token_s)
      listener.token_gap(core_.pool(), std::max(0.0, ends_.seen_s() - s.last_token_s), s.request.width());
    else if (s.serve == Serve::whole || !core_.setup.decode_answers)
      s.record.first_token_s = ends_.seen_s();
  }
  if (s.made == s.request.output_tokens) finish(slot, listener);
}

void BatchResults::finish(Slot slot, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  core_.lanes.report_service(s, s.made);
  core_.book.enter(slot, SequenceState::finished);
  if (s.serve == Serve::whole) return finish_here(slot, listener);
  if (!s.reported) return exports_.prompt_done(slot, ends_.seen_s(), listener);
  remove(slot);  // its client gave up meanwhile: no replica goes on with it
  core_.lanes.decide_again();
}

void BatchResults::finish_here(Slot slot, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  const AfterLast after = core_.setup.batcher->after_last();
  keep_for_next_turn(s);
  if (after != AfterLast::pads) report_done(slot, listener);
  if (after != AfterLast::frees) {
    Lane& lane = core_.lanes.of(s);
    lane.finished.push_back(slot);
    lane.padding_kv_tokens += s.request.width() * std::min(s.held.tokens, core_.cache().attended_tokens());
    return;
  }
  remove(slot);
  core_.lanes.decide_again();
}

// Nothing need take it out any more, and its slot may soon be another's.
void BatchResults::remove(Slot slot) {
  const Sequence& s = core_.book[slot];
  core_.cache().release(s.request, s.held);
  if (ExpertOffload* experts = core_.pipeline.experts()) experts->forget(s.request.id);
  std::erase(core_.lanes.of(s).cancelled, slot);
  core_.book.remove(slot);
}

// All but its last token has been computed, and may be of use to the next turn of its session. Several sequences have
// said several things, and whose client has given up has no next turn: what its session had said is forgotten.
void BatchResults::keep_for_next_turn(Sequence& s) {
  if (s.reported) return;
  core_.blocks.set_clock(core_.clock.now_s);
  if (s.request.width() == 1) core_.cache().computed(s.request, s.held, s.held.tokens);
}

// The client has its answer, or had given up waiting for it.
void BatchResults::report_done(Slot slot, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  if (s.reported) return;
  core_.book.mark_reported(slot);
  s.record.finish_s = ends_.seen_s();
  s.record.output_tokens = s.made;
  s.record.status = RequestStatus::completed;
  if (SmSides* sides = core_.pipeline.sides(); sides && s.made > 1)
    sides->finished((*s.record.finish_s - *s.record.first_token_s) / static_cast<double>(s.made - 1));
  listener.request_ran(core_.pool(), s.since_s, core_.clock.now_s);
  listener.request_done(s.request, s.record);
}

bool BatchResults::release_finished(Lane& lane, ReplicaListener& listener) {
  if (lane.finished.empty() || lane.busy() || lane.decodes.size() > 0 || !lane.joining.empty() ||
      !lane.prefilling.empty())
    return false;
  for (Slot slot : lane.finished) {
    if (core_.setup.batcher->after_last() == AfterLast::pads) core_.book[slot].record.first_token_s = ends_.seen_s();
    report_done(slot, listener);
    remove(slot);
  }
  lane.finished.clear();
  lane.padding_kv_tokens = 0;
  core_.lanes.decide_again();
  return true;
}

void BatchResults::report_sides(const FilledBatch& batch) {
  SmSides& sides = *core_.pipeline.sides();
  for (Slot slot : batch.prompts) {
    const RequestRecord& record = core_.book[slot].record;
    if (record.preemptions == 0) sides.first_token(ends_.seen_s() - record.arrival_s);
  }
  sides.ended(core_.clock.now_s);
}

// A sequence whose prompt is done decodes from the next decode step on.
void BatchResults::pass_to_decode_lane(Lane& from) {
  for (Slot slot : from.joining) {
    Sequence& s = core_.book[slot];
    Lane& to = core_.lanes.least_decoding();
    s.lane = static_cast<std::uint16_t>(to.number);
    s.last_token_s = ends_.seen_s();
    core_.book.enter(slot, SequenceState::decoding);
    to.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    if (to.fresh.empty() || to.fresh.back().token_s != s.last_token_s)
      to.fresh.push_back({.token_s = s.last_token_s});
    to.fresh.back().count += s.request.width();
    if (std::erase(from.cancelled, slot) > 0) to.cancelled.push_back(slot);
  }
  from.joining.clear();
}

}  // namespace servecast
