// What the gateway reports of a request that has its answer, or gets none, and of itself.
#include <algorithm>

#include "sim/engine/gateway/gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

/// As the client saw it: one request, whatever calls the gateway has made.
RequestRecord Gateway::put_together(const RequestContext& context, RequestStatus status, double now_s) const {
  RequestRecord r = context.answer ? context.answer_record : context.call_record;
  if (context.record.llm_calls == 0) r.pool = context.original.pool;
  r.off_pools = context.from_memory || r.off_pools || context.record.llm_calls == 0;
  r.id = context.original.id;
  r.request_class = context.original.request_class;
  r.arrival_s = context.original.arrival_s;
  r.prompt_tokens = context.original.prompt_tokens;
  r.samples = static_cast<std::uint16_t>(context.original.samples);
  r.cached_tokens = std::min(r.cached_tokens, r.prompt_tokens);
  r.scheduled_s = context.scheduled_s;
  r.preemptions = context.preemptions;
  r.status = status;
  r.first_token_s = context.first_token_s;
  if (status != RequestStatus::completed) {
    if (context.answer && !context.answer_seen) r.output_tokens = 0;
    r.finish_s.reset();
  } else if (context.from_memory) {
    r.output_tokens = context.from_memory->output_tokens;
    r.first_token_s = r.finish_s = now_s;
  } else if (!context.answer_seen) {
    r.finish_s = now_s;
    if (!r.first_token_s) r.first_token_s = now_s;
  }
  return r;
}

void Gateway::conclude(RequestContext& context, RequestStatus status, double now_s) {
  context.record.completed = status == RequestStatus::completed;
  if (context.record.completed) {
    context.record.answered_by =
        context.from_memory ? GatewayRecord::memory : static_cast<std::uint16_t>(index(context.answer->target));
    context.record.score = context.from_memory ? context.from_memory->score : context.answer->score;
  }
  const RequestId id = context.original.id;
  const bool tasks_go_on = context.graph && context.graph->in_pools > 0;
  if (context.has_place) job_over(context, now_s);
  context.reported = true;
  const RequestRecord answer = put_together(context, status, now_s);
  judge_deadline(context, answer, now_s);
  callbacks_.answered(context.original, answer, context.record, now_s);
  if (!context.in_pool && !tasks_go_on) contexts_.erase(id);
}

void Gateway::abandon(double end_s) {
  while (!contexts_.empty()) {
    RequestContext& context = contexts_.begin()->second;
    const bool came = context.original.arrival_s <= end_s;
    context.in_pool = false;
    if (context.graph) context.graph->in_pools = 0;
    if (came && !context.reported)
      conclude(context, RequestStatus::unfinished, end_s);
    else
      contexts_.erase(contexts_.begin());
  }
}

GatewayFacts Gateway::facts(double duration_s) const {
  GatewayFacts facts{.scores_stated = !scenario_.quality.empty()};
  for (const Stage& stage : stages_) {
    facts.stages.push_back(stage.facts);
    for (const PolicyCount& count : stage.policy->counts())
      facts.stages.back().counts.push_back({count.name, count.value});
  }
  constexpr double hour_s = 3600;
  for (const Target& target : targets_) {
    facts.targets.push_back(target.facts);
    if (target.api) facts.targets.back().usd += target.api->usd_per_hour() * duration_s / hour_s;
  }
  facts.nodes = nodes_;
  for (const Stage& stage : stages_)
    if (stage.jobs) facts.job_workers = stage.jobs->workers();
  return facts;
}

}  // namespace servecast
