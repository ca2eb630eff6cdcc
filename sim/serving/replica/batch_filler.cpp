#include "sim/serving/replica/batch_filler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/serving/replica/batch_builder.h"

namespace servecast {

// A lane may let a sequence go and start nothing: one without a block is preempted, one whose client gave up leaves.
// Then a lane that had its turn before has room perhaps. Each such round leaves fewer that run, so the last one
// starts a batch or has nothing to start.
void BatchFiller::start(ReplicaListener& listener) {
  const auto held = [this] {
    const SequenceSums& sums = core_.book.sums();
    return std::tuple(sums.running, sums.of(SequenceState::swapped), core_.cache().free_blocks());
  };
  auto before = held();
  fill_lanes(listener);
  while (std::ranges::none_of(core_.lanes, &Lane::busy) && held() != before) {
    before = held();
    fill_lanes(listener);
  }
  if (imports_.want_room()) imports_.find_room(listener);
  core_.blocks.account(core_.clock.now_s);  // where nothing could start, a sequence may have left all the same
}

// A lane with nothing under way can be filled at any time, one that works only when a batch has just ended: an engine
// that waits for a batch looks at nothing else.
void BatchFiller::fill_lanes(ReplicaListener& listener) {
  // Where prompts go from lane to lane, the last may pass one on to the first.
  for (int round = 0; round < (core_.setup.chunked_pipeline ? 2 : 1); ++round)
    for (Lane& lane : core_.lanes) {
      if (lane.busy() && !std::exchange(lane.ended, false)) continue;
      while (lane.batches.size() < core_.lanes.depth() && ends_.may_begin(lane) && fill(lane, listener))
        launch(lane, listener);
    }
}

bool BatchFiller::fill(Lane& lane, ReplicaListener& listener) {
  lane.batch().clear();
  core_.blocks.set_clock(core_.clock.now_s);
  if (!lane.cancelled.empty()) {
    removals_.drop_cancelled(lane);
    results_.release_finished(lane, listener);  // the others may have waited for these alone
  }
  if (!lane.joining.empty()) join_decodes(lane);
  if (!lane.received.empty()) imports_.join(lane, listener);
  core_.lanes.report_service();
  choose(lane, listener);
  if (lane.batch().work.tokens() > 0) return true;
  // Memory may have run so short that of the batch only finished sequences are left.
  return results_.release_finished(lane, listener) && fill(lane, listener);
}

void BatchFiller::choose(Lane& lane, ReplicaListener& listener) {
  Batcher& batcher = *core_.setup.batcher;
  BatchBuilder builder(core_, lane, {fetches_, swapping_, removals_}, listener);
  if (lane.repeat && lane.decodes.size() > 0 && !lane.decodes.chunk_ends() &&
      lane.decodes.blocks_due(core_.book.table()) + lane.spare_blocks <= core_.cache().free_blocks()) {
    builder.decode_all({.spare_block = lane.spare_blocks > 0});
    return;
  }
  batcher.fill(builder);
  const FilledBatch& batch = lane.batch();
  const bool only_decodes = batch.decoded && batch.chunks.empty() && lane.prefilling.empty() &&
                            batch.preempted == 0 && batch.wait_s == 0 && core_.adapters.wanted(lane) == 0;
  lane.repeat = !core_.setup.ask_every_step && only_decodes && may_repeat(lane) && batcher.repeatable(builder);
}

// Beams may give blocks back, and a queue that counts service may change its mind: then a request may fit that did
// not. What others may take depends on the drafts, and these on the load. Tiers change while others wait for room to
// fetch from them.
bool BatchFiller::may_repeat(const Lane& lane) const {
  const bool beams = lane.decodes.sequences() > lane.decodes.size();
  const bool moody = core_.setup.queue->counts_service() && core_.book.sums().of(SequenceState::waiting) > 0;
  return !core_.setup.speculator && !beams && !moody && !fetches_.any_unprobed() && !may_want_less();
}

// A request that waits for blocks wants those that it finds cached besides those of its first chunk: it wants fewer
// when decodes have evicted these.
bool BatchFiller::may_want_less() const {
  if (!core_.book.admits()) return false;
  const Sequence& first = core_.book[core_.setup.queue->front()];
  return core_.book.has_place(first) && core_.cache().cached_tokens(first.request) > 0;
}

// Sequences whose prompt the batch before finishes decode from now on.
void BatchFiller::join_decodes(Lane& lane) {
  std::int64_t count = 0;
  for (Slot slot : lane.joining) {
    Sequence& s = core_.book[slot];
    core_.book.enter(slot, SequenceState::decoding);
    lane.decodes.join(s, slot, s.computed, s.request.output_tokens - s.made);
    s.last_token_s = lane.last_seen_s;
    count += s.request.width();
  }
  lane.fresh.push_back({.token_s = lane.last_seen_s, .count = count});
  lane.joining.clear();
}

void BatchFiller::launch(Lane& lane, ReplicaListener& listener) {
  FilledBatch& batch = lane.batch();
  describe(lane);
  batch.wait_s += core_.first_uses.wait_s(batch, core_.book.sums().of(SequenceState::waiting) > 0);
  if (listener.wants_members(batch.start_s)) list_members(lane);
  ends_.begin(lane, core_.adapters.load(lane), listener);
  if (batch.decoded) std::swap(batch.fresh, lane.fresh);
  move_on(lane);
  if (core_.setup.chunked_pipeline) pass_on_prompts(lane);
  if (!batch.finishing.empty()) lane.repeat = false;
  lane.batches.push();
  core_.lanes.find_next_end();
  core_.blocks.account(core_.clock.now_s);
  fetches_.note(batch);
}

// What it computes is known, and when it can have the GPUs.
void BatchFiller::describe(Lane& lane) {
  FilledBatch& batch = lane.batch();
  batch.used_blocks = core_.blocks.used();
  if (const AdapterSlots* slots = core_.adapters.slots()) batch.work.adapters = slots->in_use();
  if (core_.setup.early_exits && batch.decoded) batch.work.decode_layers = core_.setup.early_exits->draw(batch.work);
  batch.run.lane = lane.number;
  batch.run.side = lane.side;
  batch.start_s = std::max(core_.clock.now_s, core_.pipeline.first_free_s(lane.side));
}

void BatchFiller::list_members(Lane& lane) {
  FilledBatch& batch = lane.batch();
  if (batch.decoded)
    for (Slot slot : lane.decodes.members(core_.book.table())) {
      const Sequence& s = core_.book[slot];
      batch.members.push_back({.id = s.request.id, .tokens = lane.decodes.made_in_last(s, 1)});
    }
  for (const FilledBatch::Chunk& c : batch.chunks) batch.members.push_back({.id = c.request, .tokens = c.tokens});
}

// Lengths are known, so it is known which sequences make their last token in this batch.
void BatchFiller::move_on(Lane& lane) {
  FilledBatch& batch = lane.batch();
  while (lane.decodes.has_finished()) {
    const Slot slot = lane.decodes.take_finished(core_.book.table());
    core_.lanes.settle(core_.book[slot]);
    core_.book.enter(slot, SequenceState::ending);
    batch.finishing.push_back(slot);
  }
  for (Slot slot : batch.prompts) {
    Sequence& s = core_.book[slot];
    std::erase(lane.prefilling, slot);
    const bool goes_on = ++s.made < s.request.output_tokens;
    core_.book.enter(slot, goes_on ? SequenceState::joining : SequenceState::ending);
    if (goes_on) lane.joining.push_back(slot);
  }
}

// Chunked pipeline parallelism: while this lane's batch goes through the stages, the next lane, whose batch enters
// the first stage behind it, takes the next chunk of every prompt that is not finished. Batches leave in the order in
// which they came, so a prompt's last chunk comes out last.
void BatchFiller::pass_on_prompts(Lane& lane) {
  Lane& next = core_.lanes.behind(lane);
  if (&next == &lane) return;
  for (Slot slot : lane.prefilling) {
    Sequence& s = core_.book[slot];
    s.lane = static_cast<std::uint16_t>(next.number);
    const auto age = [this](Slot other) { return core_.book[other].admission; };
    next.prefilling.insert(std::ranges::upper_bound(next.prefilling, s.admission, {}, age), slot);
  }
  lane.prefilling.clear();
}

}  // namespace servecast
