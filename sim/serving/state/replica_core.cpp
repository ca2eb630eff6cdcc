#include "sim/serving/state/replica_core.h"

#include <utility>

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

/// Tokens whose KV is computed, of each of its sequences. The last token made is not held.
std::int64_t tokens_held(const ReplicaCore& core, Slot slot) {
  const Sequence& s = core.book[slot];
  if (queued(s.state)) return 0;
  const std::int64_t made = core.lanes.tokens_made(slot, core.clock.now_s);
  if (s.state == SequenceState::prefilling || s.state == SequenceState::joining || made == 0)
    return std::max<std::int64_t>(0, s.computed - chunks_under_way(core.lanes.all(), slot));
  return s.request.prompt_tokens + made - 1;
}

/// When its client last got a token.
double last_token_s(const Lane& lane, const Sequence& s) {
  const bool decoded =
      s.state == SequenceState::decoding || s.state == SequenceState::ending || s.state == SequenceState::finished;
  const double before_s = std::max(s.last_token_s, s.record.first_token_s.value_or(0));
  return decoded ? std::max(before_s, lane.last_decode_s) : before_s;
}

PipelineSetup pipeline_setup(ReplicaSetup& setup) {
  return {.latency = setup.latency,
          .experts = std::move(setup.experts),
          .partition = std::move(setup.partition),
          .gpus = setup.stage_gpus,
          .sends = setup.stage_sends,
          .fetched_layers = setup.fetch.layers,
          .power = setup.power,
          .power_cap_w = setup.power_cap_w};
}

}  // namespace

ReplicaCore::ReplicaCore(ReplicaSetup settings)
    : setup(std::move(settings)),
      links(setup.id),
      pipeline(pipeline_setup(setup), links),
      adapters(setup.adapters, links, totals),
      first_uses(setup.first_uses, totals),
      book(*setup.queue, adapters, setup.batcher->max_sequences()),
      lanes(setup, pipeline.count(), pipeline.sides() != nullptr, book),
      blocks(*setup.kv_cache, setup.tiers.get(), totals) {}

void ReplicaCore::changed(double at_s) {
  clock.wake(at_s);
  lanes.decide_again();
  blocks.account(clock.now_s);
}

void report_until(const ReplicaCore& core, const Sequence& s, double now_s, ReplicaListener& listener) {
  waits(s.state) ? listener.request_waited(core.pool(), s.since_s, now_s)
                 : listener.request_ran(core.pool(), s.since_s, now_s);
}

MovingSequence stand_of(const ReplicaCore& core, Slot slot) {
  const Sequence& s = core.book[slot];
  return {.request = s.request,
          .record = s.record,
          .tokens = tokens_held(core, slot),
          .made = std::min(core.lanes.tokens_made(slot, core.clock.now_s), s.request.output_tokens - 1),
          .checks = s.checks,
          .last_token_s = last_token_s(core.lanes.of(s), s)};
}

}  // namespace servecast
