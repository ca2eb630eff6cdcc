// How the steps that were planned go: in closed form over links of one's own, load by load over links that others
// use.
#include <algorithm>

#include "sim/serving/resources/expert_offload.h"

namespace servecast {

std::optional<double> ExpertOffload::begin(ExpertStep& step, std::size_t stage, double now_s, double stretch,
                                           bool own_links) {
  StageState& at = stages_[stage];
  ExpertStep::Stage& play_of = step.stages[stage];
  for (OwnLinks& group : at.links) {
    while (group.next_s() <= now_s) group.move_to(group.next_s());
    group.move_to(std::max(now_s, group.now_s()));
  }
  play_of.links_before = at.links;
  play_of.begin_s = now_s;
  play_of.stretch = stretch;
  play_of.shared = !own_links;
  restart(step, stage);
  if (!own_links) return std::nullopt;
  finish(step, stage, *play(play_of.timeline, at.links, step.number, ExpertTimeline::infinity));
  return play_of.end_s;
}

void ExpertOffload::restart(ExpertStep& step, std::size_t stage) const {
  const LayerRange& range = stages_[stage].layers;
  const auto first = static_cast<std::size_t>(range.first);
  const std::span work =
      std::span<const ExpertLayerWork>(step.work).subspan(first, static_cast<std::size_t>(range.size()));
  step.stages[stage].timeline.start(work, step.stages[stage].begin_s, first, step.stages[stage].stretch);
}

void ExpertOffload::undo(const ExpertStep& step, std::size_t stage) {
  cut(step, stage, 0);
  stages_[stage].links = step.stages[stage].links_before;
}

bool ExpertOffload::share_links(ExpertStep& step, std::size_t stage, double now_s,
                                std::vector<ExpertLoad>& under_way) {
  ExpertStep::Stage& at = step.stages[stage];
  StageState& here = stages_[stage];
  if (at.shared || now_s >= at.end_s) {
    clear_links(stage);
    return false;
  }
  undo(step, stage);
  at.counted_s = at.counted_stall_s = 0;
  restart(step, stage);
  play(at.timeline, here.links, step.number, std::max(now_s, at.begin_s));
  for (OwnLinks& group : here.links)
    for (const ExpertLoad& load : group.hand_over()) under_way.push_back(load);
  for (const ExpertLoad& load : under_way) here.streams_used[load.group] += 1;
  at.shared = true;
  return true;
}

std::vector<ExpertLoad> ExpertOffload::go_on(ExpertStep& step, std::size_t stage, double now_s) {
  ExpertTimeline& timeline = step.stages[stage].timeline;
  if (timeline.next_s() <= now_s) timeline.go_on(now_s);
  std::vector<std::int64_t>& used = stages_[stage].streams_used;
  std::vector<ExpertLoad> wanted;
  while (const auto next = timeline.take_wanted([&](std::size_t g) { return used[g] < setup_.links.streams; })) {
    used[next->group] += 1;
    wanted.push_back(*next);
  }
  return wanted;
}

void ExpertOffload::arrived(ExpertStep* step, const ExpertLoad& load, double now_s) {
  stages_[load.stage].streams_used[load.group] -= 1;
  if (step && step->stages[load.stage].shared) step->stages[load.stage].timeline.arrived(load, now_s);
}

std::optional<double> ExpertOffload::take_end(ExpertStep& step, std::size_t stage) {
  ExpertStep::Stage& at = step.stages[stage];
  if (!at.shared || !at.timeline.done()) return std::nullopt;
  at.shared = false;
  finish(step, stage, at.timeline.end_s());
  return at.end_s;
}

void ExpertOffload::cut(const ExpertStep& step, std::size_t stage, double done_fraction) {
  const ExpertStep::Stage& at = step.stages[stage];
  totals_.step_s -= at.counted_s * (1 - done_fraction);
  totals_.stall_s -= at.counted_stall_s * (1 - done_fraction);
}

void ExpertOffload::finish(ExpertStep& step, std::size_t stage, double end_s) {
  ExpertStep::Stage& at = step.stages[stage];
  double least_s = 0;
  for (std::int64_t layer = stages_[stage].layers.first; layer < stages_[stage].layers.last; ++layer)
    least_s += step.work[static_cast<std::size_t>(layer)].least_s(at.stretch);
  at.end_s = end_s;
  at.counted_s = end_s - at.begin_s;
  at.counted_stall_s = std::max(0.0, at.counted_s - least_s);
  totals_.step_s += at.counted_s;
  totals_.stall_s += at.counted_stall_s;
}

}  // namespace servecast
