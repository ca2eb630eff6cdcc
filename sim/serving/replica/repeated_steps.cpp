#include "sim/serving/replica/repeated_steps.h"

#include <algorithm>

namespace servecast {
namespace {

bool is_simple(const ReplicaCore& core) {
  const ReplicaSetup& setup = core.setup;
  return core.lanes.all().size() == 1 && core.pipeline.one_after_the_other() && !setup.tiers && !setup.speculator &&
         !setup.early_exits && !setup.queue->counts_service();
}

/// It holds decodes and nothing else, all of which were in the step before and will be in the next one.
bool only_goes_on(const FilledBatch& batch) {
  return batch.only_decodes_on() && batch.fresh.empty() && batch.members.empty() && batch.wait_s == 0;
}

}  // namespace

RepeatedSteps::RepeatedSteps(ReplicaCore& core, const Imports& imports, StepEnds& ends, BatchResults& results)
    : core_(core),
      imports_(imports),
      ends_(ends),
      results_(results),
      lane_(core.lanes[0]),
      simple_(is_simple(core)) {}

bool RepeatedSteps::same_sequences() const {
  return lane_.batches.size() == core_.lanes.depth() && lane_.joining.empty() && lane_.received.empty() &&
         lane_.cancelled.empty() && lane_.swapped.empty() && lane_.finished.empty() && lane_.fresh.empty() &&
         !imports_.want_room() && !core_.pipeline.in_time() && core_.pipeline.next_s() == StepRun::infinity &&
         ends_.may_begin(lane_);
}

void RepeatedSteps::play_some(double until_s, ReplicaListener& listener) {
  if (!same_sequences()) return;
  const double before_s = std::min(until_s, core_.book.next_give_up().at_s);
  // As long as no sequence makes its last token in the next step, and the step finds the blocks that it wants.
  while (lane_.decodes.steps_left() > 1) {
    const FilledBatch& ending = lane_.batches[0];
    if (ending.end_s >= before_s || !only_goes_on(ending)) break;
    const std::int64_t blocks_due = lane_.decodes.blocks_due(core_.book.table());
    if (lane_.decodes.chunk_ends() || blocks_due + lane_.spare_blocks > core_.cache().free_blocks()) break;
    if (listener.wants_members(std::max(ending.end_s, core_.pipeline.next_free_s(lane_.side)))) break;
    core_.clock.reach(ending.end_s);
    ends_.ended(ending);
    results_.report_step(lane_, ending, listener);
    launch(blocks_due);
  }
  core_.lanes.find_next_end();
}

void RepeatedSteps::launch(std::int64_t blocks_due) {
  FilledBatch& batch = lane_.batches.turn();
  batch.clear();
  core_.blocks.set_clock(core_.clock.now_s);
  core_.cache().grow(blocks_due);
  lane_.decodes.step();
  batch.decode(lane_.decodes, lane_.decodes.sequences());
  if (const AdapterSlots* slots = core_.adapters.slots()) batch.work.adapters = slots->in_use();
  core_.blocks.account(core_.clock.now_s);
  batch.used_blocks = core_.blocks.held();
  batch.start_s = std::max(core_.clock.now_s, core_.pipeline.next_free_s(lane_.side));
  ends_.begin_again(lane_, batch);
}

}  // namespace servecast
