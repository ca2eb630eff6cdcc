// How a replica stops in the middle of its work, and how what it had begun goes on on another one.
#include <algorithm>

#include "sim/serving/replica/replica.h"

namespace servecast {
namespace {

/// Tokens of a prompt that batches under way were to compute.
std::int64_t chunks_under_way(std::span<const Lane> lanes, Slot slot) {
  std::int64_t tokens = 0;
  for (const Lane& lane : lanes)
    for (std::size_t i = 0; i < lane.batches.size(); ++i)
      for (const FilledBatch::Chunk& chunk : lane.batches[i].chunks) tokens += chunk.slot == slot ? chunk.tokens : 0;
  return tokens;
}

/// When its client last got a token.
double last_token_s(const Lane& lane, const Sequence& s) {
  const bool decoded = s.stage == Stage::decoding || s.stage == Stage::ending || s.stage == Stage::kept;
  const double before_s = std::max(s.last_token_s, s.record.first_token_s.value_or(0));
  return decoded ? std::max(before_s, lane.last_decode_s) : before_s;
}

}  // namespace

/// Tokens whose KV is computed, of each of its sequences. The last token made is not held.
std::int64_t Replica::tokens_held(Slot slot) const {
  const Sequence& s = sequences_[slot];
  if (s.stage == Stage::waiting) return 0;
  const std::int64_t made = tokens_made(slot);
  if (s.stage == Stage::prefilling || s.stage == Stage::joining || made == 0)
    return std::max<std::int64_t>(0, s.computed - chunks_under_way(lanes_, slot));
  return s.request.prompt_tokens + made - 1;
}

/// How far it has come.
MovingSequence Replica::stand_of(Slot slot) const {
  const Sequence& s = sequences_[slot];
  return {.request = s.request,
          .record = s.record,
          .tokens = tokens_held(slot),
          .made = std::min(tokens_made(slot), s.request.output_tokens - 1),
          .checks = s.checks,
          .last_token_s = last_token_s(lanes_[s.lane], s)};
}

std::vector<MovingSequence> Replica::fail(double now_s, ReplicaListener& listener) {
  now_s_ = std::max(now_s_, now_s);
  std::vector<MovingSequence> hit;
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Slot slot{static_cast<std::uint32_t>(i)};
    if (sequences_[slot].told) continue;
    tell_until(sequences_[slot], now_s, listener);
    hit.push_back(stand_of(slot));
  }
  std::ranges::sort(hit, {}, [](const MovingSequence& m) { return m.request.id; });
  for (const Lane& lane : lanes_)
    for (std::size_t i = 0; i < lane.batches.size(); ++i) count_cut_step(lane.batches[i], listener);
  account_blocks();
  sequences_ = {};
  give_ups_ = {};
  ready_ = false;
  next_end_s_ = infinity;
  return hit;
}

// What it took so far was taken; nothing came of it.
void Replica::count_cut_step(const FilledBatch& batch, ReplicaListener& listener) {
  const Stages::Taken taken = stages_.cut(batch, now_s_);
  if (now_s_ <= batch.start_s) return;
  totals_.busy_s += taken.busy_s / static_cast<double>(stages_.count());
  totals_.step_energy_j += taken.energy_j;
  listener.step_done({.replica = setup_.id,
                      .pool = setup_.pool,
                      .start_s = batch.start_s,
                      .end_s = now_s_,
                      .used_blocks = batch.used_blocks,
                      .energy_j = taken.energy_j,
                      .beside_until_s = batch.run.beside_until_s,
                      .busy_s = stages_.sides() ? std::optional(taken.busy_s) : std::nullopt},
                     {});
}

void Replica::resume(const MovingSequence& sequence, double now_s) {
  tell_service();
  Sequence s{.request = sequence.request,
             .record = sequence.record,
             .to_compute = sequence.request.prompt_tokens + sequence.made,
             .made = sequence.made,
             .arrival = ++arrivals_,
             .told_service = sequence.made,
             .preemption_rank = setup_.queue->preemption_rank(sequence.request),
             .since_s = now_s,
             .last_token_s = sequence.last_token_s,
             .checks = sequence.checks};
  s.record.replica = setup_.id;
  take_in(s, now_s);
}

}  // namespace servecast
