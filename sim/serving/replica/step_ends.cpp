#include "sim/serving/replica/step_ends.h"

#include <utility>

namespace servecast {
namespace {

// Of the models that share the experts' slots, by the adapter that the request names. Every sample or beam of a
// request is a token of its own, and so is every draft, wherever in a tree. Decodes go together to the deepest of
// their exits, as the step's time has it.
std::vector<TokenRun> token_runs(const ReplicaCore& core, const Lane& lane) {
  std::vector<TokenRun> runs;
  const FilledBatch& batch = lane.batches.filling();
  const auto model_of = [&](const Request& r) { return index(r.adapter) % core.pipeline.experts()->models(); };
  const std::int64_t drafts =
      batch.work.draft_sequences > 0 ? batch.work.draft_tokens / batch.work.draft_sequences : 0;
  if (batch.decoded)
    for (const Slot slot : lane.decodes.members(core.book.table())) {
      const Sequence& s = core.book[slot];
      runs.push_back({.request = s.request.id,
                      .first = lane.decodes.tokens(s),
                      .tokens = s.request.width() + (s.request.width() == 1 ? drafts : 0),
                      .model = model_of(s.request),
                      .layers = batch.work.decode_layers});
    }
  for (const FilledBatch::Chunk& c : batch.chunks) {
    const Sequence& s = core.book[c.slot];
    runs.push_back(
        {.request = c.request, .first = c.computed - c.tokens, .tokens = c.tokens, .model = model_of(s.request)});
  }
  return runs;
}

}  // namespace

void StepEnds::begin(Lane& lane, double ready_s, ReplicaListener& listener) {
  FilledBatch& batch = lane.batch();
  fetches_.await_layers(batch);
  std::vector<TokenRun> tokens;
  if (core_.pipeline.experts()) tokens = token_runs(core_, lane);
  core_.pipeline.launch(batch, ready_s, tokens, core_.clock.now_s);
  take(batch, core_.pipeline.end_s(batch), listener);
}

void StepEnds::go_on(ReplicaListener& listener) {
  core_.pipeline.go_on(core_.clock.now_s);
  take_all(listener);
}

void StepEnds::contended(OwnTraffic traffic, ReplicaListener& listener) {
  core_.pipeline.contended(traffic, core_.clock.now_s);
  take_all(listener);
}

bool StepEnds::arrived(const FetchFor& fetch, ReplicaListener& listener) {
  const double begun_s = core_.book[fetch.slot].fetch_begun_s;
  const auto lane = fetches_.ended(fetch.slot);
  if (!lane) return true;
  core_.pipeline.fetched(core_.lanes[*lane].batches.last(), begun_s, core_.clock.now_s);
  take_all(listener);
  return true;
}

bool StepEnds::arrived(const ExpertLoad& load, ReplicaListener& listener) {
  core_.pipeline.arrived(load, core_.clock.now_s);
  take_all(listener);
  return false;
}

bool StepEnds::arrived(const AdaptersFor& adapters, ReplicaListener& listener) {
  FilledBatch& batch = core_.lanes[adapters.lane].batches.last();
  core_.adapters.loaded(batch, core_.clock.now_s);
  core_.pipeline.ready(batch, core_.clock.now_s);
  take_all(listener);
  return false;
}

bool StepEnds::arrived(const Sent& sent, ReplicaListener& listener) {
  core_.pipeline.sent(sent, core_.clock.now_s);
  take_all(listener);
  return false;
}

/// Something came, or others use the links now: ends may be known that were not, or be others. Behind a batch that is
/// through the first stage another batch can be filled.
void StepEnds::take_all(ReplicaListener& listener) {
  bool changed = false;
  for (FilledBatch* batch : core_.pipeline.in_flight()) {
    const double end_s = core_.pipeline.end_s(*batch);
    changed |= end_s != batch->end_s;
    if (!changed) continue;
    core_.lanes[batch->run.lane].ended |= batch->end_s == StepRun::infinity && end_s < StepRun::infinity;
    take(*batch, end_s, listener);
  }
  core_.clock.may_start = true;
  core_.lanes.find_next_end();
}

/// Its tokens are with the clients some time after its end: as it seems now, while that is not known.
void StepEnds::take(FilledBatch& batch, double end_s, ReplicaListener& listener) {
  batch.end_s = end_s;
  double before_s = seen_by_side_[static_cast<std::size_t>(batch.run.side)];
  for (const FilledBatch* other : core_.pipeline.in_flight()) {
    if (other == &batch) break;
    if (other->run.side == batch.run.side) before_s = other->seen_s;
  }
  const bool known = end_s < StepRun::infinity;
  batch.seen_s = seen_s(batch, known ? end_s : core_.pipeline.alone_end_s(batch), before_s);
  core_.lanes[batch.run.lane].last_seen_s = batch.seen_s;
  if (batch.streams && known && !std::exchange(batch.run.reported, true)) exports_.report_chunks(batch, listener);
}

}  // namespace servecast
