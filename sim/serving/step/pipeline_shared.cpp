// Stages that share: the SMs with the other side's, the links to host memory with other flows.
#include <algorithm>

#include "sim/serving/step/pipeline.h"

namespace servecast {

StageTime Pipeline::on_share(const FilledBatch& batch, std::size_t stage, const StageTime& full) {
  const StepRun& run = batch.run;
  if (stage == 0)
    sides_->prompts_started(static_cast<std::int64_t>(batch.prompts.size()),
                            run.side == Side::prefill ? seconds(batch.work) : 0);
  return sides_->start(stage, run.side, full, other_side_runs(batch, stage), run.stages[stage].begin_s);
}

bool Pipeline::other_side_runs(const FilledBatch& batch, std::size_t stage) const {
  const double now_s = batch.run.stages[stage].begin_s;
  return std::ranges::any_of(flight_, [&](const FilledBatch* other) {
    return other->run.side != batch.run.side && stage < other->run.stages.size() &&
           other->run.stages[stage].begin_s <= now_s && now_s < other->run.stages[stage].end_s;
  });
}

/// Both sides' loads share the links, so neither knows in advance when its own arrive.
void Pipeline::begin_experts(FilledBatch& batch, std::size_t stage, double stretch) {
  const StageRun& stage_run = batch.run.stages[stage];
  const bool own_links = !sides_ && !links_->contended(OwnTraffic::experts);
  const auto end_s =
      setup_.experts->begin(*batch.run.experts, stage, stage_run.begin_s + batch.wait_s, stretch, own_links);
  batch.run.stages[stage].experts_open = true;
  if (end_s) experts_done(batch, stage, *end_s);
}

void Pipeline::experts_done(FilledBatch& batch, std::size_t stage, double end_s) {
  StageRun& stage_run = batch.run.stages[stage];
  stage_run.experts_open = false;
  stage_run.alone_end_s = end_s;
  stage_run.alone.seconds = end_s - (stage_run.begin_s + batch.wait_s);
  count(batch, stage);
}

void Pipeline::arrived(const ExpertLoad& load, double now_s) {
  const auto batch = std::ranges::find_if(
      flight_, [&](const FilledBatch* b) { return b->run.experts && b->run.experts->number == load.step; });
  setup_.experts->arrived(batch == flight_.end() ? nullptr : &*(*batch)->run.experts, load, now_s);
  go_on(now_s);
}

void Pipeline::play_experts(double now_s) {
  for (FilledBatch* batch : flight_) {
    if (batch->run.stages.empty() || !batch->run.stages.back().experts_open) continue;
    const std::size_t stage = batch->run.stages.size() - 1;
    for (const ExpertLoad& load : setup_.experts->go_on(*batch->run.experts, stage, now_s))
      links_->start(load, now_s, load);
    const auto end_s = setup_.experts->take_end(*batch->run.experts, stage);
    if (!end_s) continue;
    experts_done(*batch, stage, *end_s);
    settle(*batch, stage, now_s);
  }
}

void Pipeline::share_expert_links(double now_s) {
  for (FilledBatch* batch : flight_) {
    if (batch->run.stages.empty()) continue;
    const std::size_t stage = batch->run.stages.size() - 1;
    std::vector<ExpertLoad> under_way;
    if (!setup_.experts->on(stage) || !setup_.experts->share_links(*batch->run.experts, stage, now_s, under_way))
      continue;
    for (const ExpertLoad& load : under_way) links_->start(load, now_s, load);
    batch->run.stages[stage].experts_open = true;
    settle(*batch, stage, now_s);
  }
  for (std::size_t stage = 0; stage < count(); ++stage) setup_.experts->clear_links(stage);
}

void Pipeline::abandon() {
  for (const FilledBatch* batch : flight_)
    for (std::size_t stage = 0; batch->run.experts && stage < batch->run.stages.size(); ++stage)
      setup_.experts->cut(*batch->run.experts, stage, 0);
}

}  // namespace servecast
