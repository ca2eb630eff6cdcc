#include "sim/engine/flow/request_ends.h"

#include <algorithm>
#include <utility>

#include "sim/engine/flow/arrivals.h"
#include "sim/engine/scaling/scaling.h"
#include "sim/engine/time/run_clock.h"
#include "sim/engine/transfers/hand_overs.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"

namespace servecast {
namespace {

/// What the error of first tokens is of: all of a closed loop's time, whose queue is bounded by its clients. Of an
/// open load, that without the queue, which the steps' error moves.
double of_first_token_s(const RequestRecord& record, const Pool& pool) {
  const double ttft_s = *record.first_token_s - record.arrival_s;
  if (pool.load == "closed" || !record.scheduled_s) return ttft_s;
  return std::min(ttft_s, *record.first_token_s - *record.scheduled_s + pool.inbound_s(record.prompt_tokens));
}

/// With what a draw of the calibration's error adds to the time until the first token, or takes from it. All tokens
/// come as much later. Only what is recorded moves: clients of a closed loop go on as forecast.
RequestRecord with_error(RequestRecord record, const Scenario& scenario) {
  if (record.off_pools || !record.first_token_s) return record;
  const Pool& pool = scenario.pools[index(record.pool)];
  const CalibrationDraw& draw = pool.draw;
  if (!draw.moves_first_tokens()) return record;
  const auto seed = static_cast<std::uint64_t>(scenario.spec.calibration_draw);
  const double later_s = of_first_token_s(record, pool) * (first_token_factor(draw, seed, index(record.id)) - 1);
  *record.first_token_s += later_s;
  if (record.finish_s) *record.finish_s += later_s;
  return record;
}

/// What clients know at `until_s`: tokens may still be on their way to them.
RequestRecord as_seen_by(RequestRecord record, double until_s) {
  if (record.first_token_s > until_s) record.first_token_s.reset();
  if (record.finish_s > until_s) {
    record.finish_s.reset();
    record.status = RequestStatus::unfinished;
  }
  return record;
}

}  // namespace

RequestEnds::RequestEnds(Scenario& scenario, Recorder& recorder, RunClock& clock, Arrivals& arrivals,
                         const FlowParts& parts)
    : scenario_(scenario), recorder_(recorder), clock_(clock), arrivals_(arrivals), parts_(parts) {}

// Where it was turned away or lost, that is at this very instant. Copies that warm a cache and passes whose answer
// no client waits for any more count as well: until their end things go on failing and being paid for.
void RequestEnds::done(const Request& request, const RequestRecord& made) {
  --in_pools_;
  const bool gave_up = made.status == RequestStatus::timed_out;
  const RequestRecord record = gave_up ? as_seen_by(made, request.give_up_s) : made;  // its client has left by then
  clock_.lasts_until(gave_up ? request.give_up_s : record.finish_s.value_or(clock_.now_s()));
  clock_.gets_on();
  if (parts_.scaling) {
    if (parts_.scaling->copy_ended(request.id)) return;
    parts_.scaling->finished(record);
  }
  const std::optional<Request> original =
      parts_.hand_overs ? parts_.hand_overs->request_done(request.id) : std::nullopt;
  if (parts_.gateway) return parts_.gateway->call_done(original.value_or(request), record, clock_.now_s());
  finish(record);
  follow_up(original.value_or(request), record, 0);
}

void RequestEnds::turn_away(const Request& request, RequestStatus status) {
  clock_.lasts_until(clock_.now_s());
  done(request, {.id = request.id,
                 .arrival_s = request.arrival_s,
                 .prompt_tokens = request.prompt_tokens,
                 .pool = request.pool,
                 .request_class = request.request_class,
                 .samples = static_cast<std::uint16_t>(request.samples),
                 .status = status});
  ask_next();
}

void RequestEnds::abandon(const Request& request) {
  if (parts_.gateway) return;  // it knows what is on its way
  recorder_.request({.id = request.id,
                     .arrival_s = request.arrival_s,
                     .prompt_tokens = request.prompt_tokens,
                     .pool = request.pool,
                     .request_class = request.request_class});
}

void RequestEnds::send_call(const Request& call) { arrivals_.send_to_pool(call); }

void RequestEnds::answered(const Request& original, const RequestRecord& record, const GatewayRecord& gateway,
                           double now_s) {
  GatewayRecord seen = gateway;
  seen.completed = seen.completed && record.finish_s.value_or(now_s) <= clock_.until_s();
  clock_.request_came();
  clock_.lasts_until(now_s);
  finish(record);
  recorder_.gateway(seen);
  follow_up(original, record, now_s);
}

void RequestEnds::finish(const RequestRecord& record) {
  recorder_.request(as_seen_by(with_error(record, scenario_), clock_.until_s()));
  clock_.request_ended();
}

/// The client has known of its answer since `earliest_s` at the earliest.
void RequestEnds::follow_up(const Request& request, const RequestRecord& record, double earliest_s) {
  if (!request.awaited || record.status == RequestStatus::unfinished) return;
  const bool gave_up = record.status == RequestStatus::timed_out;  // a rejection is an answer, too
  const double known_s = gave_up ? request.give_up_s : record.finish_s.value_or(clock_.now_s());
  known_.push_back({.at_s = std::max(earliest_s, known_s), .request = request});
}

// What asks again may be turned away by the gateway at once.
void RequestEnds::ask_all() {
  while (!known_.empty()) {
    std::vector<Known> due = std::exchange(known_, {});
    std::ranges::sort(due, {}, [](const Known& k) { return std::pair(k.at_s, k.request.id); });
    for (const Known& known : due) {
      const auto next = scenario_.workload->follow_up(known.request, known.at_s);
      if (next) arrivals_.send(*next);
      arrivals_.ask_again();
    }
  }
}

}  // namespace servecast
