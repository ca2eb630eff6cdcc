// How a sequence comes to a replica from another one, and how it leaves for one when its prompt is computed.
#include <algorithm>
#include <cassert>

#include "sim/serving/replica/replica.h"

namespace servecast {

// Something came free, or somebody came, from outside.
void Replica::changed(double now_s) {
  assert(now_s >= now_s_ || !ready_);
  now_s_ = std::max(now_s_, now_s);
  decide_again();
  account_blocks();
  may_start_ = true;
}

void Replica::export_prompt(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  streamed_ -= s.serve == Serve::streamed_prompt ? 1 : 0;
  if (s.told) {  // its client gave up meanwhile: nobody goes on with it
    setup_.kv_cache->release(s.request, s.held);
    remove(slot);
    return decide_again();
  }
  export_sequence(slot, listener);
  listener.prompt_done(
      setup_.id, slot,
      {.request = s.request, .record = s.record, .tokens = s.to_compute, .made = s.made, .last_token_s = seen_s_});
}

// It is another replica's from now on; only its blocks are still here.
void Replica::export_sequence(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  s.stage = Stage::exported;
  s.told = true;
  exported_ += 1;
  awaited_ -= s.request.awaited ? 1 : 0;
  listener.request_ran(setup_.pool, s.since_s, now_s_);
  forget_told();
}

void Replica::release_exported(Slot slot, double now_s) {
  Sequence& s = sequences_[slot];
  assert(s.stage == Stage::exported);
  setup_.kv_cache->release(s.request, s.held);
  sequences_.remove(slot);
  exported_ -= 1;
  changed(now_s);
}

void Replica::tell_chunks(const FilledBatch& batch, ReplicaListener& listener) const {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    const Sequence& s = sequences_[chunk.slot];
    if (s.serve == Serve::streamed_prompt && !s.told)
      listener.chunk_launched({.request = s.request.id,
                               .tokens = chunk.tokens,
                               .computed_tokens = s.computed,
                               .start_s = batch.start_s,
                               .end_s = batch.end_s});
  }
}

// Chunked pipeline parallelism: while this lane's batch goes through the stages, the next lane, whose batch enters
// the first stage behind it, takes the next chunk of every prompt that is not finished. Batches leave in the order in
// which they came, so a prompt's last chunk comes out last.
void Replica::pass_on_prompts(Lane& lane) {
  const auto at = static_cast<std::size_t>(&lane - lanes_.data());
  const std::size_t next = (at + 1) % lanes_.size();
  if (next == at) return;
  for (Slot slot : lane.prefilling) {
    Sequence& s = sequences_[slot];
    s.lane = static_cast<std::uint16_t>(next);
    const auto age = [this](Slot other) { return sequences_[other].admission; };
    auto& there = lanes_[next].prefilling;
    there.insert(std::ranges::upper_bound(there, s.admission, {}, age), slot);
  }
  lane.prefilling.clear();
}

// Who was preempted here goes before who comes from elsewhere.
bool Replica::someone_comes_back() const {
  return swapped_ > 0 || (waiting_ > 0 && sequences_[setup_.queue->front()].record.preemptions > 0);
}

bool Replica::hold_import(Sequence& s) {
  const double most_waiting = setup_.waiting_blocks_fraction * static_cast<double>(total_blocks_);
  if (someone_comes_back() || static_cast<double>(importing_blocks_) > most_waiting) return false;
  const std::int64_t cached = std::min(setup_.kv_cache->cached_tokens(s.request), s.to_compute - 1);
  if (!setup_.kv_cache->hold(s.request, s.held, s.to_compute, true)) return false;
  importing_blocks_ += s.held.blocks;
  s.imported_cached_tokens = cached;
  return true;
}

std::optional<Slot> Replica::reserve(const Request& request, std::int64_t tokens, double now_s) {
  if (!wanting_room_.empty()) return std::nullopt;
  Sequence s{.request = request, .to_compute = tokens, .computed = tokens, .stage = Stage::imported, .told = true};
  if (!hold_import(s)) return std::nullopt;
  changed(now_s);
  return sequences_.add(s);
}

Slot Replica::import(const MovingSequence& sequence, std::optional<Slot> place, double now_s) {
  const Request& request = sequence.request;
  const Slot slot = place ? *place : sequences_.add({});
  Sequence& s = sequences_[slot];
  s.request = request;
  s.record = sequence.record;
  s.record.decode_replica = setup_.id;
  s.to_compute = s.computed = sequence.tokens;
  s.made = s.told_service = sequence.made;
  s.checks = sequence.checks;
  s.arrival = ++arrivals_;
  s.preemption_rank = setup_.queue->preemption_rank(request);
  s.stage = Stage::imported;
  s.told = false;
  s.since_s = now_s;
  s.last_token_s = sequence.last_token_s;
  if (request.give_up_s < infinity) give_ups_.push({.at_s = request.give_up_s, .arrival = s.arrival, .slot = slot});
  awaited_ += request.awaited ? 1 : 0;
  if (!place) wanting_room_.push_back(slot);
  changed(now_s);
  return slot;
}

void Replica::find_room_for_imports(ReplicaListener& listener) {
  while (!wanting_room_.empty()) {
    const Slot slot = wanting_room_.front();
    Sequence& s = sequences_[slot];
    if (!hold_import(s)) return;
    wanting_room_.erase(wanting_room_.begin());
    listener.import_has_room(s.request.id, slot, s.imported_cached_tokens);
  }
}

bool Replica::extend_import(Slot slot, std::int64_t tokens, double now_s) {
  Sequence& s = sequences_[slot];
  assert(s.stage == Stage::imported && s.held.blocks > 0);
  const std::int64_t before = s.held.blocks;
  if (tokens > s.held.tokens && !setup_.kv_cache->hold(s.request, s.held, tokens, false)) return false;
  importing_blocks_ += s.held.blocks - before;
  changed(now_s);
  return true;
}

void Replica::landed(Slot slot, std::optional<double> hand_over_s, double now_s) {
  Sequence& s = sequences_[slot];
  assert(s.stage == Stage::imported && s.held.blocks > 0);
  changed(now_s);
  if (s.told) return drop_import(slot);  // its client gave up meanwhile
  setup_.kv_cache->computed(s.request, s.held, std::min(s.computed, s.request.prompt_tokens));
  if (hand_over_s) s.record.hand_over_s = hand_over_s;
  s.stage = Stage::landed;
  Lane& lane = least_decoding();
  s.lane = static_cast<std::uint16_t>(number(lane));
  lane.landed.push_back(slot);
}

void Replica::cancel_import(std::optional<Slot> place, double now_s) {
  changed(now_s);
  if (place)
    drop_import(*place);
  else
    importing_ -= 1;
}

std::optional<MovingSequence> Replica::recall_import(Slot slot, double now_s, ReplicaListener& listener) {
  changed(now_s);
  const Sequence& s = sequences_[slot];
  assert(s.stage == Stage::imported);
  std::optional<MovingSequence> lost;
  if (!s.told) {
    tell_until(s, now_s, listener);
    lost = stand_of(slot);
    awaited_ -= s.request.awaited ? 1 : 0;
  }
  drop_import(slot);
  return lost;
}

void Replica::drop_import(Slot slot) {
  Sequence& s = sequences_[slot];
  importing_ -= 1;
  importing_blocks_ -= s.held.blocks;
  if (s.held.blocks > 0) setup_.kv_cache->release(s.request, s.held);
  std::erase(wanting_room_, slot);
  sequences_.remove(slot);
  decide_again();
}

// As many as may run. The others wait for somebody to finish.
void Replica::join_landed(Lane& lane, ReplicaListener& listener) {
  std::size_t joined = 0;
  for (; joined < lane.landed.size(); ++joined) {
    const Slot slot = lane.landed[joined];
    Sequence& s = sequences_[slot];
    const std::int64_t width = s.request.width();
    if (running_sequences_ + width > setup_.batcher->max_sequences() || !adapter_has_room(s)) break;
    take_adapter(s, lane);
    importing_ -= 1;
    importing_blocks_ -= s.held.blocks;
    running_ += 1;
    running_sequences_ += width;
    s.admission = ++admissions_;
    s.stage = Stage::decoding;
    listener.request_waited(setup_.pool, s.since_s, now_s_);
    s.since_s = now_s_;
    lane.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    lane.fresh.push_back({.token_s = s.last_token_s, .count = width});
  }
  lane.landed.erase(lane.landed.begin(), lane.landed.begin() + static_cast<std::ptrdiff_t>(joined));
  if (joined > 0) lane.repeat = false;
}

}  // namespace servecast
