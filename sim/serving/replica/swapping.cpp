#include "sim/serving/replica/swapping.h"

#include <algorithm>

namespace servecast {

// Its blocks and those that it wants in the next step.
std::int64_t Swapping::blocks_to_come_back(const Lane& lane, const Sequence& s) const {
  return core_.cache().blocks_for(s.request, s.held.tokens + lane.decodes.tokens_wanted(s)) + lane.spare_blocks;
}

bool Swapping::out(Slot slot) {
  const Sequence& s = core_.book[slot];
  Lane& lane = core_.lanes.of(s);
  if (blocks_ + s.held.blocks > space_.blocks) return false;
  if (blocks_to_come_back(lane, s) > core_.cache().admissible_blocks()) return false;
  const auto later = [&](Slot other) { return core_.book[other].admission > s.admission; };
  lane.swapped.insert(std::ranges::find_if(lane.swapped, later), slot);
  lane.batch().wait_s += space_.out_s(s.held.blocks);
  core_.totals.swaps += 1;
  core_.totals.swapped_bytes += static_cast<double>(s.held.blocks) * space_.block.bytes;
  blocks_ += s.held.blocks;
  core_.book.enter(slot, SequenceState::swapped);
  return true;
}

void Swapping::in(Lane& lane) {
  while (!lane.swapped.empty() && comes_back(lane, lane.swapped.front())) lane.swapped.erase(lane.swapped.begin());
}

bool Swapping::comes_back(Lane& lane, Slot slot) {
  Sequence& s = core_.book[slot];
  KvCache& cache = core_.cache();
  const std::int64_t watermark = cache.total_blocks() - cache.admissible_blocks();
  const std::int64_t needed = blocks_to_come_back(lane, s) + lane.decodes.blocks_due(core_.book.table()) +
                              lane.spare_blocks * lane.decodes.size();
  if (!core_.book.has_place(s)) return false;
  KvHeld back{};
  if (cache.free_blocks() < needed + watermark || !cache.hold(s.request, back, s.held.tokens, true)) return false;
  lane.batch().wait_s += space_.in_s(s.held.blocks);
  core_.totals.swaps += 1;
  core_.totals.swapped_bytes += static_cast<double>(s.held.blocks) * space_.block.bytes;
  blocks_ -= s.held.blocks;
  s.held = back;
  s.since_s = core_.clock.now_s;
  core_.lanes.decide_again();
  core_.book.enter(slot, SequenceState::decoding);
  lane.decodes.join(s, slot, s.held.tokens, s.request.output_tokens - s.made);
  lane.fresh.push_back({.token_s = s.last_token_s, .count = s.request.width()});
  return true;
}

void Swapping::drop(Lane& lane, Slot slot) {
  std::erase(lane.swapped, slot);
  blocks_ -= core_.book[slot].held.blocks;
  core_.lanes.decide_again();
  core_.book.remove(slot);
}

}  // namespace servecast
