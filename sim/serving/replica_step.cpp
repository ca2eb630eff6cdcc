// What a step does to the books of a replica: from the batch that is filled to the tokens it has made.
#include <algorithm>
#include <cassert>

#include "sim/serving/batch_builder.h"

namespace servecast {

bool Replica::fill(Lane& lane, ReplicaListener& listener) {
  lane.decoded = false;
  lane.chunks.clear();
  lane.preempted = 0;
  lane.work = {};
  BatchBuilder batch(*this, lane, listener);
  if (lane.repeat && lane.decodes.size() > 0 &&
      lane.decodes.blocks_due() + lane.spare_blocks <= setup_.kv_cache->free_blocks()) {
    batch.decode_all({.spare_block = lane.spare_blocks > 0});
    return true;
  }
  setup_.batcher->fill(batch);
  lane.repeat = !setup_.ask_every_step && lane.decoded && lane.chunks.empty() && lane.prefilling.empty() &&
                lane.preempted == 0 && setup_.batcher->repeatable(batch);
  return lane.work.tokens() > 0;
}

void Replica::launch(Lane& lane) {
  lane.busy = true;
  lane.start_s = now_s_;
  lane.used_blocks = setup_.kv_cache->used_blocks();
  lane.stages_s = lane.extrapolated_s = lane.energy_j = 0;
  double at_s = now_s_;
  for (std::size_t i = 0; i < stage_free_s_.size(); ++i) {
    const StageTime time = stage_time(lane.work, i);
    at_s = std::max(at_s, stage_free_s_[i]) + time.seconds;
    stage_free_s_[i] = at_s;
    lane.stages_s += time.seconds;
    if (time.extrapolated) lane.extrapolated_s += time.seconds;
    lane.energy_j += static_cast<double>(setup_.tensor_parallel) * time.seconds *
                     step_power_w(setup_.power, time, setup_.power_cap_w);
  }
  lane.end_s = at_s;
  account_blocks();
}

void Replica::end_batch(Lane& lane, ReplicaListener& listener) {
  lane.busy = false;
  report_step(lane, listener);
  if (lane.decoded) end_decodes(lane, listener);
  for (const Lane::Chunk& chunk : lane.chunks) end_chunk(lane, chunk, listener);
  account_blocks();
}

void Replica::end_decodes(Lane& lane, ReplicaListener& listener) {
  tell_gaps(lane, listener);
  lane.last_decode_s = now_s_;
  while (lane.decodes.has_finished()) {
    const Slot slot = lane.decodes.take_finished(sequences_);
    Sequence& s = sequences_[slot];
    s.made = s.request.output_tokens;
    settle(lane, s);
    finish(slot, listener);
  }
}

// What a decoding sequence holds by now follows from the step counter; writes it down and returns its tokens.
std::int64_t Replica::settle(const Lane& lane, Sequence& s) const {
  s.held.tokens = lane.decodes.tokens(s);
  s.held.blocks = setup_.kv_cache->blocks_for(s.held.tokens);
  return s.held.tokens;
}

void Replica::tell_gaps(Lane& lane, ReplicaListener& listener) {
  std::int64_t others = lane.work.decode_sequences;
  for (const Lane::Fresh& fresh : lane.fresh) {
    if (fresh.count > 0) listener.token_gap(setup_.pool, now_s_ - fresh.token_s, fresh.count);
    others -= fresh.count;
  }
  lane.fresh.clear();
  if (others > 0) listener.token_gap(setup_.pool, now_s_ - lane.last_decode_s, others);
}

// A prompt is done when all of it is computed; its last chunk gives an output token.
void Replica::end_chunk(Lane& lane, const Lane::Chunk& chunk, ReplicaListener& listener) {
  Sequence& s = sequences_[chunk.slot];
  if (s.left() > 0) return;
  std::erase(lane.prefilling, chunk.slot);
  if (s.record.first_token_s)
    listener.token_gap(setup_.pool, now_s_ - s.last_token_s, 1);
  else
    s.record.first_token_s = now_s_;
  s.made += 1;
  if (s.made == s.request.output_tokens) return finish(chunk.slot, listener);
  lane.decodes.join(s, chunk.slot, s.computed, s.request.output_tokens - s.made);
  if (lane.fresh.empty() || lane.fresh.back().token_s != now_s_) lane.fresh.push_back({.token_s = now_s_});
  lane.fresh.back().count += 1;
  s.last_token_s = now_s_;
}

void Replica::report_step(const Lane& lane, ReplicaListener& listener) {
  const double stages = static_cast<double>(stage_free_s_.size());
  totals_.steps += 1;
  totals_.busy_s += lane.stages_s / stages;
  totals_.extrapolated_s += lane.extrapolated_s / stages;
  totals_.step_energy_j += lane.energy_j;
  totals_.prompt_tokens += lane.work.prefill_tokens;
  totals_.output_tokens += lane.work.emitted_tokens;
  members_.clear();
  if (listener.wants_members(lane.start_s)) {
    for (Slot slot : lane.decoded ? lane.decodes.members(sequences_) : std::vector<Slot>{})
      members_.push_back({.id = sequences_[slot].request.id, .tokens = 1});
    for (const Lane::Chunk& c : lane.chunks)
      members_.push_back({.id = sequences_[c.slot].request.id, .tokens = c.tokens});
  }
  listener.step_done({.replica = setup_.id,
                      .pool = setup_.pool,
                      .start_s = lane.start_s,
                      .end_s = lane.end_s,
                      .decode_sequences = lane.work.decode_sequences,
                      .prefill_sequences = lane.work.prefill_sequences,
                      .prefill_tokens = lane.work.prefill_tokens,
                      .emitted_tokens = lane.work.emitted_tokens,
                      .used_blocks = lane.used_blocks,
                      .energy_j = lane.energy_j},
                     members_);
}

void Replica::finish(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  setup_.kv_cache->release(s.request, s.held);
  decide_again();
  running_ -= 1;
  awaited_ -= s.request.awaited ? 1 : 0;
  s.record.finish_s = now_s_;
  s.record.output_tokens = s.made;
  s.record.status = RequestStatus::completed;
  listener.request_ran(setup_.pool, s.since_s, now_s_);
  listener.request_done(s.request, s.record);
  sequences_.remove(slot);
}

void Replica::preempt(Lane& lane, Slot slot, const Preempted& how, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  if (how.decoding) {
    const std::int64_t tokens = settle(lane, s);
    s.made += tokens - s.joined_tokens;
    const auto fresh = std::ranges::find(lane.fresh, s.last_token_s, &Lane::Fresh::token_s);
    if (tokens == s.joined_tokens && fresh != lane.fresh.end())
      fresh->count -= 1;
    else
      s.last_token_s = lane.last_decode_s;
  } else {
    std::erase(lane.prefilling, slot);
    if (how.cut_prompt) s.made = s.computed - s.request.prompt_tokens;
  }
  setup_.kv_cache->release(s.request, s.held);
  uncomputed_tokens_ += s.request.prompt_tokens + s.made - s.left();
  s.held = {};
  s.to_compute = s.request.prompt_tokens + s.made;
  s.computed = 0;
  s.record.preemptions += 1;
  listener.request_ran(setup_.pool, s.since_s, now_s_);
  s.since_s = now_s_;
  waiting_.push_front(slot);
  decide_again();
  running_ -= 1;
  lane.preempted += 1;
  totals_.preemptions += 1;
}

}  // namespace servecast
