// How a sequence that decodes leaves for another replica.
#include <algorithm>
#include <cassert>
#include <tuple>

#include "sim/serving/replica/replica.h"

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
bool Replica::may_depart(const Sequence& s) const {
  if (s.told || s.stage != Stage::decoding || s.request.width() > 1) return false;
  const Lane& lane = lanes_[s.lane];
  return lane.decodes.steps() - s.joined_step >=
         std::max<std::int64_t>(1, static_cast<std::int64_t>(lane.batches.size()));
}

std::optional<DecodingSequence> Replica::shortest_decoding() const {
  std::optional<DecodingSequence> shortest;
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Slot slot{static_cast<std::uint32_t>(i)};
    const Sequence& s = sequences_[slot];
    if (!may_depart(s)) continue;
    const Lane& lane = lanes_[s.lane];
    const std::int64_t tokens = computed_tokens(lane, s);
    if (shortest && std::tie(shortest->tokens, shortest->request.id) < std::tie(tokens, s.request.id)) continue;
    shortest = {.at = slot, .request = s.request, .preemptions = s.record.preemptions, .tokens = tokens};
  }
  return shortest;
}

std::optional<DecodeProgress> Replica::progress(const DecodingSequence& sequence) const {
  const Sequence& s = sequences_[sequence.at];
  if (s.told || s.stage != Stage::decoding || s.request.id != sequence.request.id ||
      s.record.preemptions != sequence.preemptions)
    return std::nullopt;
  const Lane& lane = lanes_[s.lane];
  const std::int64_t tokens = lane.decodes.tokens(s);
  return DecodeProgress{.computed_tokens = computed_tokens(lane, s), .tokens = tokens};
}

// Lengths are known, so what the batches under way will make of it is known when it leaves.
Departure Replica::depart(Slot slot, double now_s, ReplicaListener& listener) {
  Sequence& s = sequences_[slot];
  const Lane& lane = lanes_[s.lane];
  assert(s.stage == Stage::decoding && !s.told);
  changed(now_s);
  take_out_of_decodes(slot);
  running_ -= 1;
  running_sequences_ -= s.request.width();
  leave_adapter(s);
  double complete_s = now_s;
  double last_token_s = lane.last_decode_s;
  for (std::size_t i = 0; i < lane.batches.size(); ++i)
    if (lane.batches[i].decoded) {
      complete_s = std::min(lane.batches[i].end_s, stages_.alone_end_s(lane.batches[i]));
      last_token_s = lane.batches[i].seen_s;
    }
  export_sequence(slot, listener);
  return {.sequence = {.request = s.request,
                       .record = s.record,
                       .tokens = s.held.tokens,
                       .made = s.made,
                       .checks = s.checks,
                       .last_token_s = last_token_s},
          .complete_s = complete_s};
}

}  // namespace servecast
