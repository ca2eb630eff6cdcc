// Requests that the gateway has made jobs.
#include "sim/engine/gateway/gateway.h"

namespace servecast {

void Gateway::await_workers(Journey& j, std::size_t stage, const GatewayStep& step, double now_s) {
  j.job = step.job;
  j.record.job = JobRecord{.refused = step.job->refused};
  if (step.job->refused) return conclude(j, RequestStatus::shed, now_s);
  stages_[stage].facts.prompt_tokens_out += j.of.request.prompt_tokens;
  j.record.job->acknowledged_s = now_s - j.as_it_came.arrival_s + step.job->acknowledged_s;
  charge(j, stage, 0, step.usd, now_s, "accepted");
  j.has_place = true;
  j.queued_at = stage;
  j.job_since_s = now_s;
  j.as_it_came.give_up_s = j.of.request.give_up_s;  // whoever has an acknowledgement does not wait
  if (j.as_it_came.give_up_s < forever) push(j, What::give_up, j.as_it_came.give_up_s);
  start_jobs(stage, now_s);
}

void Gateway::start_jobs(std::size_t stage, double now_s) {
  if (closing_) return;
  while (const auto id = stages_[stage].jobs->start()) {
    Journey& j = journeys_.at(*id);
    j.record.job->waited_s = now_s - j.job_since_s;
    charge(j, stage, now_s - j.job_since_s, 0, j.job_since_s, "stage");
    j.job_since_s = j.dispatched_from_s = now_s;
    push(j, What::stage, now_s);
  }
}

/// Its workers, or its place in the queue, are free.
void Gateway::job_over(Journey& j, double now_s) {
  j.has_place = false;
  if (j.record.job->waited_s)
    j.record.job->worker_s = static_cast<double>(j.job->parts) * (now_s - j.job_since_s);
  else
    charge(j, j.queued_at, now_s - j.job_since_s, 0, j.job_since_s, "stage");
  stages_[j.queued_at].jobs->over(j.as_it_came.id);
  start_jobs(j.queued_at, now_s);
}

void Gateway::judge_deadline(Journey& j, const RequestRecord& told, double now_s) {
  if (!j.job || !j.job->due_s) return;
  j.record.job->dropped = told.status == RequestStatus::timed_out;
  const bool open = told.status == RequestStatus::unfinished && now_s < *j.job->due_s;
  if (!open) j.record.job->kept = told.finish_s && *told.finish_s <= *j.job->due_s;
}

}  // namespace servecast
