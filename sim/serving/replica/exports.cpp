#include "sim/serving/replica/exports.h"

#include <algorithm>
#include <tuple>

namespace servecast {
namespace {

std::int64_t decodes_under_way(const Lane& lane) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lane.batches.size(); ++i) count += lane.batches[i].decoded ? 1 : 0;
  return count;
}

/// Tokens that its KV holds when those are not counted that batches under way will make.
std::int64_t computed_tokens(const Lane& lane, const Sequence& s) {
  return lane.decodes.tokens(s) - lane.decodes.made_in_last(s, decodes_under_way(lane));
}

}  // namespace

// Once it has made a token here, and no batch under way may still be computing what it held when it joined.
bool Exports::may_detach(const Sequence& s) const {
  if (s.reported || s.state != SequenceState::decoding || s.request.width() > 1) return false;
  const Lane& lane = core_.lanes.of(s);
  return lane.decodes.steps() - s.joined_step >=
         std::max<std::int64_t>(1, static_cast<std::int64_t>(lane.batches.size()));
}

std::optional<DecodingSequence> Exports::shortest_decoding() const {
  std::optional<DecodingSequence> shortest;
  for (std::size_t i = 0; i < core_.book.table().size(); ++i) {
    const Slot slot{static_cast<std::uint32_t>(i)};
    const Sequence& s = core_.book[slot];
    if (!may_detach(s)) continue;
    const std::int64_t tokens = computed_tokens(core_.lanes.of(s), s);
    if (shortest && std::tie(shortest->tokens, shortest->request.id) < std::tie(tokens, s.request.id)) continue;
    shortest = {.slot = slot, .request = s.request, .preemptions = s.record.preemptions, .tokens = tokens};
  }
  return shortest;
}

std::optional<DecodeProgress> Exports::progress(const DecodingSequence& sequence) const {
  const Sequence& s = core_.book[sequence.slot];
  if (s.reported || s.state != SequenceState::decoding || s.request.id != sequence.request.id ||
      s.record.preemptions != sequence.preemptions)
    return std::nullopt;
  const Lane& lane = core_.lanes.of(s);
  return DecodeProgress{.computed_tokens = computed_tokens(lane, s), .tokens = lane.decodes.tokens(s)};
}

// Lengths are known, so what it is after the batches under way is known when it leaves.
DetachedSequence Exports::detach(Slot slot, double now_s, ReplicaListener& listener) {
  Sequence& s = core_.book[slot];
  const Lane& lane = core_.lanes.of(s);
  assert(s.state == SequenceState::decoding && !s.reported);
  core_.changed(now_s);
  core_.lanes.take_out_of_decodes(slot);
  std::uint64_t last_batch = 0;
  double last_token_s = lane.last_decode_s;
  for (std::size_t i = 0; i < lane.batches.size(); ++i)
    if (lane.batches[i].decoded) {
      last_batch = lane.batches[i].run.number;
      last_token_s = lane.batches[i].seen_s;
    }
  hand_on(slot, listener);
  return {.sequence = {.request = s.request,
                       .record = s.record,
                       .tokens = s.held.tokens,
                       .made = s.made,
                       .under_way = s.under_way,
                       .checks = s.checks,
                       .last_token_s = last_token_s},
          .last_batch = last_batch};
}

/// It is another replica's from now on; only its blocks are still here.
void Exports::hand_on(Slot slot, ReplicaListener& listener) {
  const Sequence& s = core_.book[slot];
  core_.book.enter(slot, SequenceState::exported);
  core_.book.mark_reported(slot);
  listener.request_ran(core_.pool(), s.since_s, core_.clock.now_s);
}

void Exports::prompt_done(Slot slot, double seen_s, ReplicaListener& listener) {
  hand_on(slot, listener);
  const Sequence& s = core_.book[slot];
  listener.prompt_done(
      core_.id(), slot,
      {.request = s.request, .record = s.record, .tokens = s.to_compute, .made = s.made, .last_token_s = seen_s});
}

void Exports::release(Slot slot, double now_s) {
  const Sequence& s = core_.book[slot];
  assert(s.state == SequenceState::exported);
  core_.cache().release(s.request, s.held);
  core_.book.remove(slot);
  core_.changed(now_s);
}

void Exports::report_chunks(const FilledBatch& batch, ReplicaListener& listener) const {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    const Sequence& s = core_.book[chunk.slot];
    if (s.request.id == chunk.request && s.serve == Serve::streamed_prompt && !s.reported)
      listener.chunk_launched({.request = chunk.request,
                               .tokens = chunk.tokens,
                               .computed_tokens = chunk.computed,
                               .start_s = batch.start_s,
                               .end_s = batch.end_s});
  }
}

}  // namespace servecast
