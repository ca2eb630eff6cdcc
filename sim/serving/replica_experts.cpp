// A step of a replica whose experts are partly elsewhere.
#include <algorithm>

#include "sim/serving/replica.h"

namespace servecast {

// Of those that share the slots, by the adapter that the request names.
std::size_t Replica::model_of(const Request& request) const {
  return index(request.adapter) % setup_.experts->models();
}

// Every sample or beam of a request is a token of its own, and so is every draft, wherever in a tree.
std::vector<TokenRun> Replica::token_runs(const Lane& lane) const {
  std::vector<TokenRun> runs;
  const FilledBatch& batch = lane.batches.filling();
  if (batch.decoded)
    for (const Slot slot : lane.decodes.members(sequences_)) {
      const Sequence& s = sequences_[slot];
      const std::int64_t drafts = batch.work.draft_sequences > 0 && s.request.width() == 1
                                      ? batch.work.draft_tokens / batch.work.draft_sequences
                                      : 0;
      runs.push_back({.request = s.request.id,
                      .first = lane.decodes.tokens(s),
                      .tokens = s.request.width() + drafts,
                      .model = model_of(s.request)});
    }
  for (const FilledBatch::Chunk& c : batch.chunks) {
    const Sequence& s = sequences_[c.slot];
    runs.push_back({.request = s.request.id,
                    .first = std::max<std::int64_t>(0, s.computed - c.tokens),
                    .tokens = c.tokens,
                    .model = model_of(s.request)});
  }
  return runs;
}

void Replica::time_experts(FilledBatch& batch, double ready_s) {
  full_step_ = stage_time(batch.work, 0);
  batch.start_s = ready_s + batch.copy_s;
  const auto end_s = setup_.experts->start(full_step_, expert_runs_, batch.start_s, !contended(OwnTraffic::experts));
  stage_free_s_.front() = batch.end_s = end_s.value_or(infinity);
  if (end_s) close_step(batch);
}

// Its end is known: so is what it took.
void Replica::close_step(FilledBatch& batch) {
  StageTime time = full_step_;
  time.seconds = batch.end_s - batch.start_s;
  batch.stages_s = time.seconds;
  if (time.extrapolated) batch.extrapolated_s = time.seconds;
  batch.energy_j =
      static_cast<double>(setup_.stage_gpus) * time.seconds * step_power_w(setup_.power, time, setup_.power_cap_w);
}

void Replica::share_expert_links(ReplicaListener& listener) {
  std::vector<ExpertLoad> under_way;
  if (!setup_.experts->share_links(now_s_, under_way)) return;
  for (const ExpertLoad& load : under_way) start_transfer(load, now_s_, load);
  set_end(lanes_.front(), lanes_.front().batches.running(), infinity);
  go_on_with_experts(listener);
}

bool Replica::end(const ExpertLoad& load, ReplicaListener& listener) {
  setup_.experts->arrived(load, now_s_);
  go_on_with_experts(listener);
  return false;
}

void Replica::go_on_with_experts(ReplicaListener& listener) {
  if (!setup_.experts->waits()) return;
  for (const ExpertLoad& load : setup_.experts->go_on(now_s_)) start_transfer(load, now_s_, load);
  const auto end_s = setup_.experts->take_end();
  if (!end_s) return;
  Lane& lane = lanes_.front();
  FilledBatch& batch = lane.batches.running();
  stage_free_s_.front() = batch.end_s = *end_s;
  close_step(batch);
  batch.run.alone_end_s = batch.run.counted_end_s = *end_s;
  filled_seen_s_ = batch.seen_s = setup_.answers.seen_s(*end_s, batch.work.emitted_tokens, seen_s_);
  lane.last_seen_s = batch.seen_s;
  find_next_end();
  settle_run(lane, batch, listener);
}

}  // namespace servecast
