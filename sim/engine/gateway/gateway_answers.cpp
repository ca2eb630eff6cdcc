// What the gateway tells of a request that has its answer, or gets none, and of itself.
#include <algorithm>

#include "sim/engine/gateway/gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

/// As the client saw it: one request, whatever the gateway has made of it.
RequestRecord Gateway::put_together(const Journey& j, RequestStatus status, double now_s) const {
  RequestRecord r = j.answer ? j.answer_record : j.pass_record;
  if (j.record.passes == 0) r.pool = j.as_it_came.pool;
  r.off_pools = j.from_memory || r.off_pools || j.record.passes == 0;
  r.id = j.as_it_came.id;
  r.request_class = j.as_it_came.request_class;
  r.arrival_s = j.as_it_came.arrival_s;
  r.prompt_tokens = j.as_it_came.prompt_tokens;
  r.samples = static_cast<std::uint16_t>(j.as_it_came.samples);
  r.cached_tokens = std::min(r.cached_tokens, r.prompt_tokens);
  r.scheduled_s = j.scheduled_s;
  r.preemptions = j.preemptions;
  r.status = status;
  r.first_token_s = j.first_token_s;
  if (status != RequestStatus::completed) {
    if (j.answer && !j.answer_seen) r.output_tokens = 0;
    r.finish_s.reset();
  } else if (j.from_memory) {
    r.output_tokens = j.from_memory->output_tokens;
    r.first_token_s = r.finish_s = now_s;
  } else if (!j.answer_seen) {
    r.finish_s = now_s;
    if (!r.first_token_s) r.first_token_s = now_s;
  }
  return r;
}

void Gateway::conclude(Journey& j, RequestStatus status, double now_s) {
  j.record.completed = status == RequestStatus::completed;
  if (j.record.completed) {
    j.record.answered_by =
        j.from_memory ? GatewayRecord::memory : static_cast<std::uint16_t>(index(j.answer->target));
    j.record.score = j.from_memory ? j.from_memory->score : j.answer->score;
  }
  const RequestId id = j.as_it_came.id;
  const bool pass_goes_on = j.passing && !targets_[index(j.of.target)].api;
  const bool tasks_go_on = j.graph && j.graph->in_pools > 0;
  if (j.has_place) job_over(j, now_s);
  j.told = true;
  const RequestRecord told = put_together(j, status, now_s);
  judge_deadline(j, told, now_s);
  exits_.answered(j.as_it_came, told, j.record, now_s);
  if (!pass_goes_on && !tasks_go_on) journeys_.erase(id);
}

void Gateway::abandon(double end_s) {
  while (!journeys_.empty()) {
    Journey& j = journeys_.begin()->second;
    const bool came = j.as_it_came.arrival_s <= end_s;
    j.passing = false;
    if (j.graph) j.graph->in_pools = 0;
    if (came && !j.told)
      conclude(j, RequestStatus::unfinished, end_s);
    else
      journeys_.erase(journeys_.begin());
  }
}

GatewayFacts Gateway::facts() const {
  GatewayFacts facts{.scores_stated = !scenario_.quality.empty()};
  for (const Stage& stage : stages_) {
    facts.stages.push_back(stage.facts);
    for (const PolicyCount& count : stage.policy->counts())
      facts.stages.back().counts.push_back({count.name, count.value});
  }
  for (const Target& target : targets_) facts.targets.push_back(target.facts);
  facts.nodes = nodes_;
  for (const Stage& stage : stages_)
    if (stage.jobs) facts.job_workers = stage.jobs->workers();
  return facts;
}

}  // namespace servecast
