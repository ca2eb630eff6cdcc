#include "sim/report/record/request_totals.h"

#include <algorithm>

#include "sim/report/record/latency.h"

namespace servecast {
namespace {

std::int64_t& count_of(RequestCounts& counts, RequestStatus status) {
  switch (status) {
    case RequestStatus::completed:
      return counts.completed;
    case RequestStatus::rejected:
      return counts.rejected;
    case RequestStatus::shed:
      return counts.shed;
    case RequestStatus::timed_out:
      return counts.timed_out;
    case RequestStatus::lost:
      return counts.lost;
    case RequestStatus::unfinished:
      break;
  }
  return counts.unfinished;
}

}  // namespace

void RequestTotals::add(const RequestRecord& r, const SloBounds& slo) {
  requests.arrived += 1;
  count_of(requests, r.status) += 1;
  left_queue += r.status == RequestStatus::timed_out && !r.scheduled_s;
  if (r.first_token_s) prompt_tokens += r.prompt_tokens;
  output_tokens += r.output_tokens * r.samples;
  first_arrival_s = std::min(first_arrival_s.value_or(r.arrival_s), r.arrival_s);
  if (r.status == RequestStatus::completed && r.finish_s) {
    answered_tokens += r.output_tokens * r.samples;
    last_finish_s = std::max(last_finish_s, *r.finish_s);
  }
  const std::optional<double> ttft = servecast::ttft_s(r);
  const std::optional<double> tpot = servecast::tpot_s(r);
  const std::optional<double> e2e = servecast::e2e_s(r);
  const bool ttft_kept = keeps(r, slo.ttft_s, ttft);
  const bool tpot_kept = keeps(r, slo.tpot_s, tpot);
  const bool e2e_kept = keeps(r, slo.e2e_s, e2e);
  keeping_ttft += ttft_kept;
  keeping_tpot += tpot_kept;
  keeping_e2e += e2e_kept;
  attaining += ttft_kept && tpot_kept && e2e_kept;
  (r.first_use ? held_up_ttft_s : ttft_s).add(ttft);
  tpot_s.add(tpot);
  e2e_s.add(e2e);
  queue_s.add(servecast::queue_s(r));
}

RequestTotals& RequestTotals::operator+=(const RequestTotals& next) {
  requests += next.requests;
  prompt_tokens += next.prompt_tokens;
  output_tokens += next.output_tokens;
  answered_tokens += next.answered_tokens;
  if (next.first_arrival_s)
    first_arrival_s = std::min(first_arrival_s.value_or(*next.first_arrival_s), *next.first_arrival_s);
  last_finish_s = std::max(last_finish_s, next.last_finish_s);
  attaining += next.attaining;
  left_queue += next.left_queue;
  keeping_ttft += next.keeping_ttft;
  keeping_tpot += next.keeping_tpot;
  keeping_e2e += next.keeping_e2e;
  ttft_s += next.ttft_s;
  held_up_ttft_s += next.held_up_ttft_s;
  tpot_s += next.tpot_s;
  e2e_s += next.e2e_s;
  queue_s += next.queue_s;
  return *this;
}

std::optional<double> RequestTotals::output_tokens_per_s() const {
  if (answered_tokens == 0 || last_finish_s <= *first_arrival_s) return std::nullopt;
  return static_cast<double>(answered_tokens) / (last_finish_s - *first_arrival_s);
}

void RequestTotals::coarsen() {
  for (Spread* latency : {&ttft_s, &held_up_ttft_s, &tpot_s, &e2e_s, &queue_s}) latency->coarsen();
}

}  // namespace servecast
