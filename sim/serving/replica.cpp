#include "sim/serving/replica.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/serving/batch_builder.h"

namespace servecast {

Replica::Replica(ReplicaSetup setup) : setup_(std::move(setup)) {
  const std::int64_t stages = setup_.latency->stages();
  for (std::int64_t i = 0; i < stages; ++i) lanes_.emplace_back(setup_.kv_cache->growth_tokens());
  stage_free_s_.assign(static_cast<std::size_t>(stages), 0);
  if (setup_.power_cap_w < setup_.power.prefill_w) clock_fraction_ = clock_fraction(setup_.power, setup_.power_cap_w);
}

bool Replica::enqueue(const Request& request, double now_s, ReplicaListener& listener) {
  assert(now_s >= now_s_ || !ready_);
  Sequence s{.request = request, .to_compute = request.prompt_tokens, .arrival = ++arrivals_, .since_s = now_s};
  s.record = {.id = request.id,
              .arrival_s = request.arrival_s,
              .prompt_tokens = request.prompt_tokens,
              .pool = setup_.pool,
              .replica = setup_.id,
              .request_class = request.request_class};
  const std::int64_t most_tokens = request.prompt_tokens + request.output_tokens - 1;  // the last one is never held
  if (setup_.kv_cache->blocks_for(most_tokens) > setup_.kv_cache->admissible_blocks()) {
    s.record.status = RequestStatus::rejected;
    listener.request_done(request, s.record);
    return false;
  }
  if (waiting_.empty()) decide_again();
  waiting_.push_back(sequences_.add(s));
  uncomputed_tokens_ += request.prompt_tokens;
  awaited_ += request.awaited ? 1 : 0;
  now_s_ = std::max(now_s_, now_s);
  may_start_ = true;
  return true;
}

void Replica::set_ready(double now_s) {
  ready_ = true;
  now_s_ = std::max(now_s_, now_s);
  may_start_ = true;
}

void Replica::advance(double until_s, ReplicaListener& listener) {
  for (;;) {
    Lane* ending = next_to_end();
    if (may_start_ && !(ending && ending->end_s <= now_s_)) {  // all that end now have ended
      if (!ready_ || now_s_ >= until_s) return;
      start(listener);
      continue;
    }
    if (!ending || ending->end_s > until_s) return;
    now_s_ = ending->end_s;
    end_batch(*ending, listener);
    may_start_ = running_ > 0 || !waiting_.empty();
  }
}

void Replica::start(ReplicaListener& listener) {
  if (!may_start_ || !ready_) return;
  may_start_ = false;
  start_batches(listener);
}

Lane* Replica::next_to_end() {
  Lane* first = nullptr;
  for (Lane& lane : lanes_)
    if (lane.busy && (!first || lane.end_s < first->end_s)) first = &lane;
  return first;
}

double Replica::next_due_s() const {
  if (may_start_) return ready_ ? std::nextafter(now_s_, infinity) : infinity;
  const Lane* ending = next_to_end();
  return ending ? ending->end_s : infinity;
}

// A lane that repeats pure decodes runs until its first sequence finishes or its blocks run short. Only the sums
// change, so that run can be played through without touching the books. Anything else: look after the next event.
double Replica::next_finish_s() const {
  const Lane& lane = lanes_.front();
  if (lanes_.size() > 1 || !lane.busy || !lane.repeat || may_start_) return next_due_s();
  StepWork work = lane.work;
  double end_s = lane.end_s;
  for (std::int64_t left = lane.decodes.steps_left(); left > 0; --left) {
    work.decode_kv_tokens += work.decode_sequences;
    end_s += stage_time(work, 0).seconds;
  }
  const std::int64_t most_blocks = lane.decodes.size() * (lane.decodes.steps_left() + 1);
  return most_blocks <= setup_.kv_cache->free_blocks() ? end_s : next_due_s();
}

StageTime Replica::stage_time(const StepWork& work, std::size_t stage) const {
  const StageTime time = setup_.latency->stage(work, static_cast<std::int64_t>(stage));
  return clock_fraction_ < 1 ? at_clock(time, clock_fraction_) : time;
}

void Replica::start_batches(ReplicaListener& listener) {
  for (Lane& lane : lanes_) {
    if (lane.busy) continue;
    if (fill(lane, listener)) launch(lane);
  }
}

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

void Replica::account_blocks() {
  totals_.kv_block_s += static_cast<double>(held_blocks_) * (now_s_ - held_since_s_);
  held_since_s_ = now_s_;
  held_blocks_ = setup_.kv_cache->used_blocks();
  totals_.kv_blocks_max = std::max(totals_.kv_blocks_max, held_blocks_);
}

// Blocks or a place came free, or the queue changed: whatever a lane was about to repeat must be decided again.
void Replica::decide_again() {
  for (Lane& lane : lanes_) lane.repeat = false;
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

void Replica::abandon(double now_s, ReplicaListener& listener) {
  const auto tell = [&](Slot slot, bool running, std::int64_t made) {
    Sequence& s = sequences_[slot];
    if (running)
      listener.request_ran(setup_.pool, s.since_s, now_s);
    else
      listener.request_waited(setup_.pool, s.since_s, now_s);
    s.record.output_tokens = made;
    listener.request_done(s.request, s.record);
  };
  for (Lane& lane : lanes_) {
    for (Slot slot : lane.decodes.members(sequences_)) {
      const Sequence& s = sequences_[slot];  // a step under way has not made its token yet
      const std::int64_t steps = lane.decodes.tokens(s) - s.joined_tokens - (lane.busy && lane.decoded ? 1 : 0);
      tell(slot, true, s.made + steps);
    }
    for (Slot slot : lane.prefilling) tell(slot, true, sequences_[slot].made);
  }
  for (Slot slot : waiting_) tell(slot, false, sequences_[slot].made);
}

ReplicaView Replica::view() const {
  return {.id = setup_.id,
          .waiting_requests = static_cast<std::int64_t>(waiting_.size()),
          .waiting_tokens = uncomputed_tokens_,
          .running_requests = running_,
          .used_blocks = setup_.kv_cache->used_blocks(),
          .total_blocks = setup_.kv_cache->total_blocks()};
}

}  // namespace servecast
