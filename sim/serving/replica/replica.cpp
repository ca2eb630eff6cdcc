#include "sim/serving/replica/replica.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

namespace servecast {

Replica::Replica(ReplicaSetup setup)
    : setup_(std::move(setup)),
      links_(std::make_unique<OpenTransfers>(setup_.id)),
      stages_({.latency = setup_.latency,
               .experts = std::move(setup_.experts),
               .partition = std::move(setup_.partition),
               .gpus = setup_.stage_gpus,
               .sends = setup_.stage_sends,
               .fetched_layers = setup_.fetch.layers,
               .power = setup_.power,
               .power_cap_w = setup_.power_cap_w},
              *links_) {
  const std::int64_t depth = std::min(setup_.batcher->depth(), setup_.max_depth);
  const bool one_batch = stages_.count() > 1 || stages_.sides();  // other lanes' batches follow
  depth_ = one_batch ? 1 : static_cast<std::size_t>(depth);
  assert(depth_ <= BatchRing::most_under_way);
  for (std::size_t i = 0; i < (stages_.sides() ? 2 : 1) * stages_.count(); ++i)
    lanes_.emplace_back(*setup_.kv_cache, setup_.speculator.get());
  total_blocks_ = setup_.kv_cache->total_blocks();
  clocked_cache_ = setup_.kv_cache->reads_clock();
  if (setup_.adapters.slots > 0) adapters_.emplace(setup_.adapters.slots);
  if (setup_.tiers) setup_.kv_cache->tell(*setup_.tiers);
}

bool Replica::enqueue(const Request& request, double now_s, ReplicaListener& listener, Serve serve) {
  assert(now_s >= now_s_ || !ready_);
  Sequence s{.request = request,
             .to_compute = request.prompt_tokens,
             .arrival = ++arrivals_,
             .preemption_rank = setup_.queue->preemption_rank(request),
             .serve = serve,
             .since_s = now_s};
  s.record = {.id = request.id,
              .arrival_s = request.arrival_s,
              .prompt_tokens = request.prompt_tokens,
              .pool = setup_.pool,
              .replica = setup_.id,
              .request_class = request.request_class,
              .samples = static_cast<std::uint16_t>(request.samples)};
  if (!fits(request) || request.prompt_tokens > setup_.batcher->max_prompt_tokens()) {
    s.record.status = RequestStatus::rejected;
    listener.request_done(request, s.record);
    return false;
  }
  tell_service();
  take_in(s, now_s);
  return true;
}

void Replica::take_in(const Sequence& s, double now_s) {
  const Request& request = s.request;
  const bool was_empty = waiting_ == 0;
  const Ticket front = was_empty ? Ticket{} : setup_.queue->front();
  const Slot slot = sequences_.add(s);
  setup_.queue->push(slot, request);
  waiting_ += 1;
  if (was_empty || setup_.queue->front() != front) decide_again();
  if (request.give_up_s < infinity) give_ups_.push({.at_s = request.give_up_s, .arrival = s.arrival, .slot = slot});
  uncomputed_tokens_ += s.to_compute;
  awaited_ += request.awaited ? 1 : 0;
  streamed_ += s.serve == Serve::streamed_prompt ? 1 : 0;
  now_s_ = std::max(now_s_, now_s);
  may_start_ = true;
  if (SmSides* sides = stages_.sides()) sides->arrived();
  if (setup_.tiers) {
    sequences_[slot].looked_below = false;
    not_looked_below_ += 1;
    if (setup_.fetch.on_arrival) look_below(slot);
  }
}

bool Replica::fits(const Request& request) const {
  const std::int64_t drafted = setup_.speculator ? setup_.speculator->slots(setup_.speculator->max_drafts()) : 0;
  const std::int64_t held = request.prompt_tokens + request.output_tokens - 1;  // the last one is never held
  const std::int64_t most_tokens =
      held + (setup_.kv_cache->growth_tokens() > 0 && request.width() == 1 ? drafted : 0);
  return setup_.kv_cache->most_blocks_for(request, most_tokens) <= setup_.kv_cache->admissible_blocks() &&
         request.width() <= setup_.batcher->max_sequences();
}

void Replica::adopt(const Request& request, std::int64_t tokens) {
  KvCache& cache = *setup_.kv_cache;
  KvHeld held;
  if (!cache.hold(request, held, tokens, true)) return;
  cache.computed(request, held, tokens);
  cache.release(request, held);
}

void Replica::set_ready(double now_s) {
  ready_ = true;
  now_s_ = std::max(now_s_, now_s);
  may_start_ = true;
}

void Replica::advance(double until_s, ReplicaListener& listener) {
  for (;;) {
    const double next_s = std::min({next_end_s_, next_give_up_s(), stages_.next_s()});
    if (may_start_ && ready_ && next_s > now_s_) {  // all that is due now is done
      if (now_s_ >= until_s) return;
      start(listener);
    } else if (next_s > until_s || next_s == infinity) {
      return;
    } else if (next_end_s_ == next_s) {
      now_s_ = next_end_s_;
      end_batch(lanes_[next_lane_], listener);
      may_start_ = running_ > 0 || swapped_ > 0 || waiting_ > 0 || importing_ > 0;
    } else if (stages_.next_s() == next_s) {
      now_s_ = std::max(now_s_, next_s);
      stages_.go_on(now_s_);
      take_ends(listener);
    } else {
      now_s_ = std::max(now_s_, next_s);
      give_up(give_ups_.top().slot, listener);
    }
  }
}

void Replica::start(ReplicaListener& listener) {
  if (!may_start_ || !ready_) return;
  // Who has given up before it came here is in no step, whether somebody looks at this instant or later.
  while (next_give_up_s() <= now_s_) give_up(give_ups_.top().slot, listener);
  may_start_ = false;
  start_batches(listener);
}

// A replica's state lies scattered, and most looks at it only want to know when it will be busy again: so this is
// kept beside its clock.
void Replica::find_next_end() {
  next_end_s_ = infinity;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].busy() || lanes_[i].batches[0].end_s >= next_end_s_) continue;
    next_end_s_ = lanes_[i].batches[0].end_s;
    next_lane_ = i;
  }
}

double Replica::next_due_s() const {
  if (may_start_ && ready_) return std::nextafter(now_s_, infinity);
  return std::min({next_end_s_, next_give_up_s(), stages_.next_s()});
}

// A lane that repeats pure decodes runs until its first sequence finishes or its blocks run short. Only the sums
// change, so that run can be played through without touching the books. Anything else: look after the next event.
double Replica::next_finish_s() const {
  const Lane& lane = lanes_.front();
  if (stages_.experts() || setup_.exits || lanes_.size() > 1 || lane.batches.size() != 1 || !lane.repeat ||
      !lane.gone.empty() || may_start_ || !lane.decodes.grows_steadily())
    return next_due_s();
  StepWork work = lane.batches[0].work;
  double at_s = next_end_s_;
  for (std::int64_t left = lane.decodes.steps_left(); left > 0; --left) {
    work.decode_kv_tokens += lane.decodes.growing();
    at_s += stages_.time(work, 0).seconds;
  }
  const std::int64_t most_blocks = lane.decodes.sequences() * (lane.decodes.steps_left() + 1);
  return most_blocks <= setup_.kv_cache->free_blocks() ? at_s : next_due_s();
}

// A lane may let somebody go and start nothing: whoever finds no block is preempted, and whose client gave up leaves.
// Then a lane that had its turn before has room perhaps. Each such round leaves fewer who run, so the last one starts
// a batch or has nobody to start.
void Replica::start_batches(ReplicaListener& listener) {
  const auto held = [this] { return std::tuple(running_, swapped_, setup_.kv_cache->free_blocks()); };
  auto before = held();
  fill_lanes(listener);
  while (std::ranges::none_of(lanes_, &Lane::busy) && held() != before) {
    before = held();
    fill_lanes(listener);
  }
  if (!wanting_room_.empty()) find_room_for_imports(listener);
  account_blocks();  // where nothing could start, somebody may have left all the same
}

// A lane with nothing under way can be filled at any time, one that works only when a batch has just ended: an engine
// that waits for a batch looks at nothing else.
void Replica::fill_lanes(ReplicaListener& listener) {
  // Where prompts go from lane to lane, the last may pass one on to the first.
  for (int round = 0; round < (setup_.chunked_pipeline ? 2 : 1); ++round)
    for (Lane& lane : lanes_) {
      if (lane.busy() && !std::exchange(lane.ended, false)) continue;
      while (lane.batches.size() < depth_ && may_fill(lane) && fill(lane, listener)) launch(lane, listener);
    }
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

void Replica::abandon(double now_s, ReplicaListener& listener) {
  stages_.abandon();
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Slot slot{static_cast<std::uint32_t>(i)};
    Sequence& s = sequences_[slot];
    if (s.told) continue;
    tell_until(s, now_s, listener);
    s.record.output_tokens = tokens_made(slot);
    listener.request_done(s.request, s.record);
  }
}

/// What it did until now, where it stops.
void Replica::tell_until(const Sequence& s, double now_s, ReplicaListener& listener) const {
  const bool waits = s.stage == Stage::waiting || s.stage == Stage::swapped || s.stage == Stage::imported ||
                     s.stage == Stage::landed;
  waits ? listener.request_waited(setup_.pool, s.since_s, now_s)
        : listener.request_ran(setup_.pool, s.since_s, now_s);
}

// Output tokens that are out. What batches under way will make has not been made yet: a token for each prompt, one
// for each step of a decode.
std::int64_t Replica::tokens_made(Slot slot) const {
  const Sequence& s = sequences_[slot];
  const Lane& lane = lanes_[s.lane];
  std::int64_t made = s.made;
  std::int64_t decoded = s.stage == Stage::decoding ? lane.decodes.tokens(s) - s.joined_tokens : 0;
  std::int64_t ahead = 0;
  for (std::size_t i = 0; i < lane.batches.size(); ++i) {
    const FilledBatch& batch = lane.batches[i];
    made -= std::ranges::count(batch.prompts, slot);
    ahead += batch.decoded ? 1 : 0;  // steps
    if (std::ranges::find(batch.finishing, slot) == batch.finishing.end()) continue;
    decoded = s.held.tokens - s.joined_tokens;
    break;
  }
  return std::max<std::int64_t>(0, made + std::max<std::int64_t>(0, decoded - lane.decodes.made_in_last(s, ahead)));
}

}  // namespace servecast
