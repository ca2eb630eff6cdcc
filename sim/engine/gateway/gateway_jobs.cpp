// Requests that the gateway has made jobs.
#include "sim/engine/gateway/gateway.h"

namespace servecast {

void Gateway::await_workers(RequestContext& context, std::size_t stage, const StageAction& step, double now_s) {
  context.job = step.job;
  context.record.job = JobRecord{.refused = step.job->refused};
  if (step.job->refused) return conclude(context, RequestStatus::shed, now_s);
  stages_[stage].facts.prompt_tokens_out += context.outgoing.request.prompt_tokens;
  context.record.job->acknowledged_s = now_s - context.original.arrival_s + step.job->acknowledged_s;
  charge(context, stage, 0, step.usd, now_s, "accepted");
  context.has_place = true;
  context.queued_at = stage;
  context.job_since_s = now_s;
  context.original.give_up_s = context.outgoing.request.give_up_s;  // a client with an acknowledgement does not wait
  if (context.original.give_up_s < forever) push(context, EventKind::give_up, context.original.give_up_s);
  start_jobs(stage, now_s);
}

void Gateway::start_jobs(std::size_t stage, double now_s) {
  if (closing_) return;
  while (const auto id = stages_[stage].jobs->start()) {
    RequestContext& context = contexts_.at(*id);
    context.record.job->waited_s = now_s - context.job_since_s;
    charge(context, stage, now_s - context.job_since_s, 0, context.job_since_s, "stage");
    context.job_since_s = context.dispatched_from_s = now_s;
    push(context, EventKind::stage, now_s);
  }
}

/// Its workers, or its place in the queue, are free.
void Gateway::job_over(RequestContext& context, double now_s) {
  context.has_place = false;
  if (context.record.job->waited_s)
    context.record.job->worker_s = static_cast<double>(context.job->parts) * (now_s - context.job_since_s);
  else
    charge(context, context.queued_at, now_s - context.job_since_s, 0, context.job_since_s, "stage");
  stages_[context.queued_at].jobs->over(context.original.id);
  start_jobs(context.queued_at, now_s);
}

void Gateway::judge_deadline(RequestContext& context, const RequestRecord& answer, double now_s) {
  if (!context.job || !context.job->due_s) return;
  context.record.job->dropped = answer.status == RequestStatus::timed_out;
  const bool open = answer.status == RequestStatus::unfinished && now_s < *context.job->due_s;
  if (!open) context.record.job->kept = answer.finish_s && *answer.finish_s <= *context.job->due_s;
}

}  // namespace servecast
