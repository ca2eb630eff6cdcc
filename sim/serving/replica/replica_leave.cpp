// How a sequence leaves its lane before its last token: preempted, to be recomputed or copied back later, or dropped
// because its client gave up.
#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/serving/replica/replica.h"

namespace servecast {

void Replica::preempt(Slot slot, bool cut_prompt, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  Lane& lane = lanes_[s.lane];
  const bool decoding = s.stage == Stage::decoding;
  take_out(slot);
  if (!decoding && cut_prompt) s.made = s.computed - s.request.prompt_tokens;
  listener.request_ran(setup_.pool, s.since_s, now_s_);
  s.since_s = now_s_;
  s.record.preemptions += 1;
  lane.batch().preempted += 1;
  totals_.preemptions += 1;
  if (decoding && swap_out(slot)) return;
  if (s.serve == Serve::streamed_prompt) listener.prompt_restarts(s.request.id);
  uncomputed_tokens_ += s.request.prompt_tokens + s.made - s.left();
  s.held = {};
  s.to_compute = s.request.prompt_tokens + s.made;
  s.computed = 0;
  s.stage = Stage::waiting;
  setup_.queue->push_front(slot, s.request);
  waiting_ += 1;
}

// Out of the lane's books and its memory free; `made` and `held` say what it had.
void Replica::take_out(Slot slot) {
  Sequence& s = sequences_[slot];
  Lane& lane = lanes_[s.lane];
  if (s.stage == Stage::decoding) take_out_of_decodes(slot);
  std::erase(lane.prefilling, slot);
  std::erase(lane.joining, slot);
  setup_.kv_cache->release(s.request, s.held);
  decide_again();
  running_ -= 1;
  running_sequences_ -= s.request.width();
  leave_adapter(s);
}

void Replica::take_out_of_decodes(Slot slot) {
  Sequence& s = sequences_[slot];
  Lane& lane = lanes_[s.lane];
  const std::int64_t tokens = settle(s);
  s.made += tokens - s.joined_tokens;
  tell_service(s, s.made);
  lane.decodes.remove(slot, sequences_);
  const auto fresh = std::ranges::find(lane.fresh, s.last_token_s, &FilledBatch::Fresh::token_s);
  if (tokens == s.joined_tokens && fresh != lane.fresh.end())
    fresh->count -= s.request.width();
  else
    s.last_token_s = lane.busy() ? lane.last_seen_s : lane.last_decode_s;  // it is in every batch under way
}

// What must be free for a sequence to come back: its blocks and those that it wants in the next step.
std::int64_t Replica::blocks_to_swap_in(const Lane& lane, const Sequence& s) const {
  return setup_.kv_cache->blocks_for(s.request, s.held.tokens + lane.decodes.tokens_wanted(s)) + lane.spare_blocks;
}

// The sequences admitted first come back first. Who needs more to come back than there ever is, is recomputed.
bool Replica::swap_out(Slot slot) {
  Sequence& s = sequences_[slot];
  Lane& lane = lanes_[s.lane];
  if (swapped_blocks_ + s.held.blocks > setup_.swap.blocks) return false;
  if (blocks_to_swap_in(lane, s) > setup_.kv_cache->admissible_blocks()) return false;
  const auto later = [&](Slot other) { return sequences_[other].admission > s.admission; };
  lane.swapped.insert(std::ranges::find_if(lane.swapped, later), slot);
  lane.batch().copy_s += static_cast<double>(s.held.blocks) * setup_.swap.out_s;
  swapped_blocks_ += s.held.blocks;
  swapped_ += 1;
  s.stage = Stage::swapped;
  return true;
}

// Whoever finds room, with the blocks that the next step takes, decodes in this step already.
void Replica::swap_in(Lane& lane) {
  KvCache& cache = *setup_.kv_cache;
  while (!lane.swapped.empty()) {
    const Slot slot = lane.swapped.front();
    Sequence& s = sequences_[slot];
    const std::int64_t watermark = cache.total_blocks() - cache.admissible_blocks();
    const std::int64_t needed =
        blocks_to_swap_in(lane, s) + lane.decodes.blocks_due(sequences_) + lane.spare_blocks * lane.decodes.size();
    if (running_sequences_ + s.request.width() > setup_.batcher->max_sequences()) return;
    if (!adapter_has_room(s)) return;
    KvHeld back{};
    if (cache.free_blocks() < needed + watermark || !cache.hold(s.request, back, s.held.tokens, true)) return;
    lane.swapped.erase(lane.swapped.begin());
    lane.batch().copy_s += static_cast<double>(s.held.blocks) * setup_.swap.in_s;
    swapped_blocks_ -= s.held.blocks;
    swapped_ -= 1;
    decide_again();
    running_ += 1;
    running_sequences_ += s.request.width();
    take_adapter(s, lane);
    s.held = back;
    s.stage = Stage::decoding;
    s.since_s = now_s_;
    lane.decodes.join(s, slot, s.held.tokens, s.request.output_tokens - s.made);
    lane.fresh.push_back({.token_s = s.last_token_s, .count = s.request.width()});
  }
}

// The client hears no more of it. Who waits leaves at once; who runs, when the next batch is filled.
void Replica::give_up(Slot slot, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  assert(!s.told);
  s.told = true;
  s.record.status = RequestStatus::timed_out;
  s.record.output_tokens = tokens_made(slot);
  awaited_ -= s.request.awaited ? 1 : 0;
  const bool queued = s.stage == Stage::waiting;
  if (queued || s.stage == Stage::swapped || s.stage == Stage::imported || s.stage == Stage::landed)
    listener.request_waited(setup_.pool, s.since_s, now_s_);
  else
    listener.request_ran(setup_.pool, s.since_s, now_s_);
  listener.request_done(s.request, s.record);
  if (queued && (s.fetching || s.aside || !s.looked_below || s.fetched_tokens > 0)) {
    forget_fetched(slot);
  } else if (queued) {
    setup_.queue->erase(slot, s.request);
    waiting_ -= 1;
    uncomputed_tokens_ -= s.left();
    streamed_ -= s.serve == Serve::streamed_prompt ? 1 : 0;
    sequences_.remove(slot);
    decide_again();
  } else if (s.stage == Stage::imported) {
    if (s.held.blocks == 0) drop_import(slot);  // else when its KV has landed
  } else {
    lanes_[s.lane].gone.push_back(slot);
  }
  forget_told();
}

void Replica::forget_told() {
  const auto stale = [this](const GiveUp& entry) {
    const Sequence& s = sequences_[entry.slot];
    return s.told || s.arrival != entry.arrival;
  };
  while (!give_ups_.empty() && stale(give_ups_.top())) give_ups_.pop();
}

// A batch under way goes on with them, but nobody looks at what it makes of them.
void Replica::drop_gone(Lane& lane) {
  for (Slot slot : std::exchange(lane.gone, {})) {
    Sequence& s = sequences_[slot];
    if (s.stage == Stage::ending || s.stage == Stage::kept) continue;  // about to leave by itself
    if (s.stage == Stage::landed) {
      std::erase(lane.landed, slot);
      drop_import(slot);
      continue;
    }
    if (s.stage == Stage::swapped) {
      std::erase(lane.swapped, slot);
      swapped_blocks_ -= s.held.blocks;
      swapped_ -= 1;
      decide_again();
    } else {
      uncomputed_tokens_ -= s.left();
      take_out(slot);
      lane.batches.forget(slot);
    }
    streamed_ -= s.serve == Serve::streamed_prompt ? 1 : 0;
    sequences_.remove(slot);
  }
}

}  // namespace servecast
