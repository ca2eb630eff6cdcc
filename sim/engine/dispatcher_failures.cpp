// What becomes of requests when replicas fail, and while none serves.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/engine/dispatcher.h"
#include "sim/engine/replica_transfers.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"

namespace servecast {

void Dispatcher::crash(const ReplicaAt& at, double now_s) {
  lasts_until(now_s);
  std::ranges::move(stop(at, now_s), std::back_inserter(struck_));
}

/// Who was there. Nothing that it had begun goes on.
std::vector<MovingSequence> Dispatcher::stop(const ReplicaAt& at, double now_s) {
  std::vector<MovingSequence> struck = pools_[at.pool].fail(at.replica, now_s, *this);
  ++generations_[at.pool][at.replica];
  if (transfers_) transfers_->stop(at, now_s);
  if (hand_overs_) hand_overs_->stopped(at, struck, now_s);
  if (migrations_) migrations_->stopped(at, struck, now_s);
  for (const MovingSequence& s : struck) waiting_room_.forget_kv_of(s.request.id);
  return struck;
}

void Dispatcher::moved(const ReplicaAt& at, double now_s) {
  prefix_routes_->forget_routes();
  if (hand_overs_) hand_overs_->moved();
  if (migrations_) migrations_->moved();
  transfers_->moved(at, now_s);
  lose_memory(at, now_s);
}

void Dispatcher::serve(const ReplicaAt& at, double now_s) {
  make_ready(at, now_s);
  pools_[at.pool].set_serving(at.replica, true);
  for (const WaitingRoom::Guest& guest : waiting_room_.take(PoolId(at.pool))) {
    recorder_.waiting(guest.pool, guest.since_s, now_s);
    if (guest.has_kv)
      hand_overs_->go_on(guest.request.id);
    else
      guest.begun ? resume(*guest.begun, now_s) : enter_pool(guest.request, now_s);
  }
}

void Dispatcher::set_pace(const ReplicaAt& at, const StepPace& pace, double now_s) {
  pools_[at.pool].set_pace(at.replica, pace, now_s, *this);
  touch(at.pool, at.replica);
}

/// Whether anything can still happen to a request. Requires that replicas are as far as anybody knows them.
bool Dispatcher::requests_left() {
  read_ahead();
  const bool at_gateway = gateway_ && !gateway_->idle();
  return in_pools_ > 0 || next_ || !inbound_.empty() || at_gateway || until_s_ < Replica::infinity;
}

// Nothing breaks after the last request: how many failures there were must not depend on who looked when.
void Dispatcher::fail_due(double now_s) {
  if (!failures_) return;
  if (failures_->next_s() <= now_s) {
    for (ReplicaPool& pool : pools_) pool.advance_all(now_s, *this);  // weights may have come at this very instant
    if (requests_left()) {
      failures_->act_due(now_s);
      lifecycle_.settle(now_s);
      count_event(now_s);
    }
  }
  std::ranges::sort(struck_, {}, [](const MovingSequence& m) { return m.request.id; });
  for (MovingSequence& struck : std::exchange(struck_, {})) go_on_elsewhere(std::move(struck), now_s);
}

void Dispatcher::go_on_elsewhere(MovingSequence struck, double now_s) {
  FailureTotals& totals = failures_->totals(index(struck.request.pool));
  totals.lost_tokens += struck.tokens;
  const std::string& in_flight = scenario_.spec.failures->in_flight;
  if (in_flight == "lost") {
    ++totals.lost;
    struck.record.status = RequestStatus::lost;
    struck.record.output_tokens = struck.made;
    return request_done(struck.request, struck.record);
  }
  if (in_flight == "retry") {
    ++totals.retried;
    totals.reprefill_tokens += std::min(struck.tokens, struck.request.prompt_tokens);
    return enter_pool(struck.request, now_s);
  }
  ++totals.resumed;
  totals.reprefill_tokens += struck.tokens;
  struck.made > 0 ? resume(struck, now_s) : enter_replica(struck.request, now_s);
}

// The pool has taken the request on: its gate is not asked again. What it has got is computed where it decodes.
void Dispatcher::resume(const MovingSequence& begun, double now_s) {
  const std::size_t pool = hand_overs_ ? hand_overs_->decode_pool(begun.request) : index(begun.request.pool);
  if (!pools_[pool].anyone_serves())
    return wait_outside({.pool = PoolId(pool), .request = begun.request, .begun = begun, .since_s = now_s});
  const auto to = hand_overs_ ? hand_overs_->decoder(begun.request, now_s) : route(pool, begun.request, now_s);
  to ? compute_again(*to, begun, now_s) : turn_away(begun.request, RequestStatus::shed);
}

void Dispatcher::compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) {
  pools_[at.pool].resume(sequence, at.replica, now_s, *this);
  touch(at.pool, at.replica);
}

void Dispatcher::wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) {
  wait_outside(
      {.pool = PoolId(pool), .request = sequence.request, .begun = sequence, .has_kv = true, .since_s = now_s});
}

// A client may have stopped waiting while a prefix was copied for it.
void Dispatcher::wait_outside(const WaitingRoom::Guest& guest) {
  lifecycle_.knock(index(guest.pool), now_s_);
  guest.request.give_up_s > guest.since_s ? waiting_room_.enter(guest) : give_up(guest);
}

void Dispatcher::give_up(const WaitingRoom::Guest& guest) {
  lasts_until(now_s_);
  if (!guest.begun) return turn_away(guest.request, RequestStatus::timed_out);
  RequestRecord record = guest.record_so_far();
  record.status = RequestStatus::timed_out;
  request_done(guest.request, record);
}

void Dispatcher::give_up_waiting(double now_s) {
  for (const WaitingRoom::Guest& guest : waiting_room_.take_given_up(now_s)) {
    recorder_.waiting(guest.pool, guest.since_s, now_s);
    give_up(guest);
  }
}

}  // namespace servecast
