#include "sim/serving/state/lanes.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

/// What batches of its lane make of a sequence that decodes.
TokensUnderWay under_way(const Lane& lane, const Sequence& s) {
  TokensUnderWay tokens;
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < lane.batches.size(); ++i) {
    if (!lane.batches[i].decoded) continue;
    ++steps;
    tokens.until_s = lane.batches[i].end_s;
  }
  const std::int64_t since = lane.decodes.steps() - s.joined_step;
  tokens.count = lane.decodes.made_in_last(s, std::min(steps, since));
  return tokens;
}

}  // namespace

Lanes::Lanes(const ReplicaSetup& setup, std::size_t stages, bool sides, SequenceBook& book)
    : book_(book), queue_(*setup.queue), sides_(sides), counts_service_(queue_.counts_service()) {
  const bool one_batch = stages > 1 || sides;  // other lanes' batches follow
  depth_ = one_batch ? 1 : static_cast<std::size_t>(std::min(setup.batcher->depth(), setup.max_depth));
  assert(depth_ <= BatchRing::most_under_way);
  for (std::size_t i = 0; i < (sides ? 2 : 1) * stages; ++i)
    lanes_.emplace_back(i, static_cast<Side>(i / stages), *setup.kv_cache, setup.speculator.get(),
                        setup.attention_chunk);
}

Lane& Lanes::least_decoding() {
  const auto held = [](const Lane& l) { return l.decodes.size() + static_cast<std::int64_t>(l.received.size()); };
  const auto end = std::ranges::find(lanes_, Side::prefill, &Lane::side);
  return *std::ranges::min_element(lanes_.begin(), end, {}, held);
}

// A replica's state lies scattered, and most looks at it only want to know when it will be busy again.
void Lanes::find_next_end() {
  next_end_s_ = StepRun::infinity;
  for (const Lane& lane : lanes_) {
    if (!lane.busy() || lane.batches[0].end_s >= next_end_s_) continue;
    next_end_s_ = lane.batches[0].end_s;
    next_to_end_ = lane.number;
  }
}

std::int64_t Lanes::settle(Sequence& s) const {
  s.held.tokens = of(s).decodes.tokens(s);
  s.held.blocks = of(s).decodes.blocks(s);
  return s.held.tokens;
}

void Lanes::take_out_of_decodes(Slot slot) {
  Sequence& s = book_[slot];
  Lane& lane = of(s);
  const std::int64_t tokens = settle(s);
  s.made += tokens - s.joined_tokens;
  s.under_way = under_way(lane, s);
  report_service(s, s.made);
  lane.decodes.remove(slot, book_.table());
  const auto fresh = std::ranges::find(lane.fresh, s.last_token_s, &FilledBatch::Fresh::token_s);
  if (tokens == s.joined_tokens && fresh != lane.fresh.end())
    fresh->count -= s.request.width();
  else
    s.last_token_s = lane.busy() ? lane.last_seen_s : lane.last_decode_s;  // it is in every batch under way
}

// Batches under way make a token for each prompt, and one for each step of a decode.
std::int64_t Lanes::tokens_made(Slot slot, double now_s) const {
  const Sequence& s = book_[slot];
  const Lane& lane = of(s);
  std::int64_t made = s.made - (now_s < s.under_way.until_s ? s.under_way.count : 0);
  std::int64_t decoded = s.state == SequenceState::decoding ? lane.decodes.tokens(s) - s.joined_tokens : 0;
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

void Lanes::report_service() {
  if (!counts_service_) return;
  for (std::size_t i = 0; i < book_.table().size(); ++i) {
    Sequence& s = book_[Slot(i)];
    if (!s.reported && s.state == SequenceState::decoding)
      report_service(s, s.made + of(s).decodes.tokens(s) - s.joined_tokens);
  }
}

void Lanes::report_service(Sequence& s, std::int64_t made) {
  if (made <= s.reported_service) return;
  queue_.served(s.request, 0, (made - s.reported_service) * s.request.width());
  s.reported_service = made;
}

}  // namespace servecast
