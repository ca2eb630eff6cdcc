#include "sim/serving/step/pipeline.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace servecast {

constexpr double infinity = StepRun::infinity;

Pipeline::Pipeline(PipelineSetup setup, OpenTransfers& links)
    : setup_(std::move(setup)), links_(&links), count_(setup_.latency->stages()) {
  if (setup_.partition) sides_.emplace(std::move(setup_.partition), count());
  const bool sends = setup_.sends != std::array<bool, 2>{};
  may_wait_ = setup_.fetched_layers > 0 || setup_.experts || sends || (sides_ && count_ > 1);
  free_s_.assign(2 * count(), 0);
  if (setup_.power_cap_w < setup_.power.prefill_w) clock_fraction_ = clock_fraction(setup_.power, setup_.power_cap_w);
}

StageTime Pipeline::time(const StepWork& work, std::size_t stage) const {
  StageTime time = setup_.latency->stage(work, static_cast<std::int64_t>(stage));
  const double clock = std::min(clock_fraction_, pace_.clock_fraction);
  if (clock < 1) time = at_clock(time, clock);
  return pace_.step_time_factor > 1 ? slowed(time, pace_.step_time_factor) : time;
}

double Pipeline::seconds(const StepWork& work) const {
  double seconds = 0;
  for (std::size_t stage = 0; stage < count(); ++stage) seconds += time(work, stage).seconds;
  return seconds;
}

double Pipeline::first_free_s(Side side) const {
  const auto not_in = [&](const FilledBatch* b) { return b->run.side == side && b->run.stages.empty(); };
  if (!flight_.empty() && std::ranges::any_of(flight_, not_in)) return infinity;
  return free_s_[static_cast<std::size_t>(side) * count()];
}

bool Pipeline::in_time() const {
  if (!may_wait_) return false;
  return (sides_ && (count_ > 1 || setup_.experts)) || links_->any_contended();
}

void Pipeline::launch(FilledBatch& batch, double ready_s, std::span<const TokenRun> tokens, double now_s) {
  StepRun& run = batch.run;
  run.number = ++launched_;
  run.ready_s = ready_s;
  if (ready_s < infinity) run.expected_ready_s = ready_s;
  flight_.push_back(&batch);
  if (setup_.experts) {
    std::vector<StageTime> full;
    for (std::size_t stage = 0; stage < count(); ++stage) full.push_back(time(batch.work, stage));
    run.experts = setup_.experts->plan(full, tokens);
  }
  enter(batch, now_s);
  if (may_wait_) find_next();
}

void Pipeline::launch_next(FilledBatch& batch) {
  StepRun& run = batch.run;
  run.number = ++launched_;
  run.ready_s = run.expected_ready_s = batch.start_s;
  flight_.push_back(&batch);
  StageRun& stage_run = run.stages.emplace_back();
  stage_run.begin_s = batch.start_s;
  stage_run.alone = time(batch.work, 0);
  stage_run.alone_end_s = batch.start_s + batch.wait_s + stage_run.alone.seconds;
  count(batch, 0);
  stage_run.end_s = free_s(run.side, 0) = stage_run.alone_end_s;
}

void Pipeline::ready(FilledBatch& batch, double now_s) {
  batch.run.ready_s = now_s;
  enter_all(now_s);
}

void Pipeline::fetched(FilledBatch& batch, double begun_s, double now_s) {
  StepRun& run = batch.run;
  run.first_layer_s = std::max(run.first_layer_s, begun_s + (now_s - begun_s) / stage_layers());
  run.last_layer_s = std::max(run.last_layer_s, now_s);
  run.fetches -= 1;
  if (!run.stages.empty()) settle(batch, 0, now_s);
  enter_all(now_s);
}

void Pipeline::sent(const Sent& sent, double now_s) {
  const auto batch = std::ranges::find(flight_, sent.batch, [](const FilledBatch* b) { return b->run.number; });
  assert(batch != flight_.end());
  StageRun& stage_run = (*batch)->run.stages[sent.stage];
  stage_run.sent_s = std::max(stage_run.sent_s, now_s + sent.after_s);
  stage_run.sending -= 1;
  settle(**batch, sent.stage, now_s);
  enter_all(now_s);
}

void Pipeline::go_on(double now_s) {
  play_experts(now_s);
  enter_all(now_s);
}

/// Stages not entered yet are forgotten, and done again when their time has come. A batch in a stage goes on over the
/// links as they are now.
void Pipeline::contended(OwnTraffic traffic, double now_s) {
  forget_ahead(now_s);
  if (traffic == OwnTraffic::experts) share_expert_links(now_s);
  if (traffic != OwnTraffic::experts)
    for (FilledBatch* batch : flight_)
      if (!batch->run.stages.empty()) settle(*batch, batch->run.stages.size() - 1, now_s);
  go_on(now_s);
}

void Pipeline::enter_all(double now_s) {
  for (FilledBatch* batch : flight_) enter(*batch, now_s);
  find_next();
}

/// Stage after stage, as far as it is known when.
void Pipeline::enter(FilledBatch& batch, double now_s) {
  StepRun& run = batch.run;
  run.due_s = infinity;
  while (run.stages.size() < count()) {
    const double through_s = run.stages.empty() ? run.ready_s : run.stages.back().end_s;
    const double begin_s = std::max(through_s, free_s(run.side, run.stages.size()));
    if (begin_s == infinity) return;
    if (begin_s > now_s && in_time()) {
      run.due_s = begin_s;
      return;
    }
    begin(batch, begin_s, now_s);
  }
}

void Pipeline::begin(FilledBatch& batch, double begin_s, double now_s) {
  const std::size_t stage = batch.run.stages.size();
  const StageTime full = time(batch.work, stage);
  StageRun& stage_run = batch.run.stages.emplace_back();
  stage_run.begin_s = begin_s;
  stage_run.alone = sides_ ? on_share(batch, stage, full) : full;
  stage_run.alone_end_s = begin_s + batch.wait_s + stage_run.alone.seconds;
  if (setup_.experts && setup_.experts->on(stage))
    begin_experts(batch, stage, stage_run.alone.seconds / full.seconds);
  else
    count(batch, stage);
  settle(batch, stage, now_s);
}

/// What the stage takes until it has computed. On shares of the SMs, work above idle costs the energy that it costs
/// alone; idle power is counted once for both sides.
void Pipeline::count(FilledBatch& batch, std::size_t stage) {
  StageRun& stage_run = batch.run.stages[stage];
  const auto gpus = static_cast<double>(setup_.gpus);
  stage_run.counted_end_s = stage_run.alone_end_s;
  stage_run.busy_s = stage_run.alone.seconds;
  if (sides_) {
    const double beside_until_s = sides_->beside_until_s(stage, stage_run.alone_end_s);
    if (count_ == 1) batch.run.beside_until_s = beside_until_s;
    stage_run.busy_s = std::max(0.0, stage_run.alone_end_s - std::max(stage_run.begin_s, beside_until_s));
    const StageTime full = time(batch.work, stage);
    stage_run.energy_j =
        gpus * ((power_w(full) - setup_.power.idle_w) * full.seconds + setup_.power.idle_w * stage_run.busy_s);
  } else {
    stage_run.energy_j = gpus * stage_run.alone.seconds * power_w(stage_run.alone);
  }
  stage_run.extrapolated_s = stage_run.alone.extrapolated ? stage_run.busy_s : 0;
}

/// GPUs that wait draw what they do while memory bounds.
void Pipeline::count_wait(StageRun& stage_run, std::size_t stage, double end_s) {
  const double from_s =
      sides_ ? std::max(stage_run.counted_end_s, sides_->beside_until_s(stage, end_s)) : stage_run.counted_end_s;
  const double waited_s = std::max(0.0, end_s - from_s);
  stage_run.counted_end_s = end_s;
  stage_run.busy_s += waited_s;
  stage_run.energy_j += static_cast<double>(setup_.gpus) * waited_s * power_w({.seconds = 1});
}

/// Something that it waits for has come, or others use its links now. Fetched layers are computed on from
/// when they come, as in Mooncake (arXiv 2407.00079, section 5.2: each layer waits for its own KV; the GPUs of all
/// stages fetch theirs at the same time); what it sends leaves when these times are known.
void Pipeline::settle(FilledBatch& batch, std::size_t stage, double now_s) {
  StepRun& run = batch.run;
  StageRun& stage_run = run.stages[stage];
  double& free_s = this->free_s(run.side, stage);
  const bool fetches = stage == 0 && setup_.fetched_layers > 0;
  stage_run.end_s = free_s = infinity;
  if (stage_run.sending > 0 || stage_run.experts_open || (fetches && run.fetches > 0)) return;
  double end_s = std::max(stage_run.alone_end_s, stage_run.sent_s);
  if (fetches) {
    const double step_s = stage_run.alone_end_s - stage_run.begin_s;
    end_s = std::max({end_s, run.first_layer_s + step_s, run.last_layer_s + step_s / stage_layers()});
  }
  if (end_s > stage_run.counted_end_s) count_wait(stage_run, stage, end_s);
  stage_run.end_s = free_s = end_s;
  if (send_contended(batch, stage, now_s)) stage_run.end_s = free_s = infinity;
}

/// Whether it has to wait for that.
bool Pipeline::send_contended(FilledBatch& batch, std::size_t stage, double now_s) {
  bool waits = false;
  for (const Reach reach : all_reaches)
    if (links_->contended(own_traffic(reach))) waits |= send(batch, stage, reach, now_s);
  return waits;
}

/// What it has not sent yet. All layers' collectives together: arithmetic that cannot hide them comes first, so that
/// the stage takes as long as ever while its links are free. False: all is sent, or on its way.
bool Pipeline::send(FilledBatch& batch, std::size_t stage, Reach reach, double now_s) {
  StageRun& stage_run = batch.run.stages[stage];
  if (std::exchange(stage_run.sends[static_cast<std::size_t>(reach)], true)) return false;
  const SendTime all = setup_.latency->sends(batch.work, static_cast<std::int64_t>(stage)).over(reach);
  const double done_s = stage_run.end_s - all.after_s;
  const double begin_s = std::max(stage_run.begin_s, done_s - all.seconds - all.slack_s);
  const double left_s = std::min(all.seconds, done_s - begin_s) - std::max(0.0, now_s - begin_s);
  if (left_s <= 0) return false;
  stage_run.sending += 1;
  links_->start(StepTraffic{stage, reach, left_s}, std::max(begin_s, now_s),
                Sent{batch.run.number, stage, all.after_s});
  return true;
}

double Pipeline::end_s(const FilledBatch& batch) const {
  return batch.run.stages.size() == count() ? batch.run.stages.back().end_s : infinity;
}

double Pipeline::end_s(std::uint64_t batch) const {
  const auto found = std::ranges::find(flight_, batch, [](const FilledBatch* b) { return b->run.number; });
  return found == flight_.end() ? 0 : end_s(**found);
}

double Pipeline::alone_end_s(const FilledBatch& batch) const {
  const StepRun& run = batch.run;
  double at_s = run.stages.empty() ? run.expected_ready_s : run.stages.back().alone_end_s;
  for (std::size_t stage = run.stages.size(); stage < count(); ++stage) {
    const double free_s = free_s_[static_cast<std::size_t>(run.side) * count() + stage];
    at_s = std::max(at_s, free_s < infinity ? free_s : 0) + batch.wait_s + time(batch.work, stage).seconds;
  }
  return at_s;
}

/// Passes that lie ahead are as if they had not been worked out yet.
void Pipeline::forget_ahead(double now_s) {
  for (auto batch = flight_.rbegin(); batch != flight_.rend(); ++batch) {
    StepRun& run = (*batch)->run;
    for (; !run.stages.empty() && run.stages.back().begin_s > now_s; run.stages.pop_back())
      if (run.experts && setup_.experts->on(run.stages.size() - 1))
        setup_.experts->undo(*run.experts, run.stages.size() - 1);
  }
  std::ranges::fill(free_s_, 0);  // a batch in no stage any more has left it by now
  for (const FilledBatch* batch : flight_)
    for (std::size_t stage = 0; stage < batch->run.stages.size(); ++stage)
      free_s(batch->run.side, stage) = batch->run.stages[stage].end_s;
}

void Pipeline::find_next() {
  next_s_ = infinity;
  for (const FilledBatch* batch : flight_) {
    const StepRun& run = batch->run;
    next_s_ = std::min(next_s_, run.due_s);
    if (!run.stages.empty() && run.stages.back().experts_open)
      next_s_ = std::min(next_s_, run.experts->stages[run.stages.size() - 1].timeline.next_s());
  }
}

Pipeline::Taken Pipeline::cut(const FilledBatch& batch, double now_s) {
  Taken taken;
  for (std::size_t stage = 0; stage < batch.run.stages.size(); ++stage) {
    const StageRun& stage_run = batch.run.stages[stage];
    const double passed_s = std::max(0.0, std::min(now_s, stage_run.end_s) - stage_run.begin_s);
    const bool open = stage_run.end_s == infinity;
    const double done = open ? 1 : passed_s / (stage_run.end_s - stage_run.begin_s);
    if (batch.run.experts) setup_.experts->cut(*batch.run.experts, stage, done);
    taken.busy_s += open ? passed_s : done * stage_run.busy_s;
    taken.energy_j +=
        open ? static_cast<double>(setup_.gpus) * passed_s * power_w({.seconds = 1}) : done * stage_run.energy_j;
  }
  return taken;
}

}  // namespace servecast
