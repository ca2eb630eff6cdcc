// One instant: who is due when, and in which order everybody acts.
#include <algorithm>
#include <cassert>

#include "sim/engine/dispatcher.h"
#include "sim/engine/replica_transfers.h"
#include "sim/input/scenario.h"

namespace servecast {

// Steps end before anything arrives, and start when all that arrives has arrived: an arrival on a step's boundary
// joins the step that starts there. Parts break when what was on its way has come, autoscalers see what broke, and
// load is collected before somebody is routed by it. Flows begin last.
const Dispatcher::Part Dispatcher::parts_[] = {
    {"steps", &Dispatcher::next_step_s, &Dispatcher::end_steps},
    {"flows", &Dispatcher::next_flow_s, &Dispatcher::end_flows},
    {"hand-overs", &Dispatcher::next_hand_over_s, &Dispatcher::hand_over},
    {"looks at roles", &Dispatcher::next_role_check_s, &Dispatcher::check_roles, rides_along},
    {"looks for migrations", &Dispatcher::next_migration_check_s, &Dispatcher::migrate},
    {"failures", &Dispatcher::next_failure_s, &Dispatcher::fail_due},
    {"clients that give up outside", &Dispatcher::next_give_up_s, &Dispatcher::give_up_waiting},
    {"replicas that start and drain", &Dispatcher::next_scaling_s, &Dispatcher::scale_due},
    {"load that is collected", nullptr, &Dispatcher::collect_signals},  // see next_s()
    {"copies of prefixes", &Dispatcher::next_copy_due_s, &Dispatcher::deliver_copied},
    {"gateway", &Dispatcher::next_at_gateway_s, &Dispatcher::act_at_gateway},
    {"arrivals", &Dispatcher::next_inbound_s, &Dispatcher::take_inbound},
    {"samples of replicas", &Dispatcher::next_sample_s, &Dispatcher::sample_due, rides_along},
    {"steps that start", nullptr, &Dispatcher::start_steps},
    {"flows that begin", nullptr, &Dispatcher::begin_flows},
};

void Dispatcher::handle(double now_s) {
  assert(now_s >= now_s_);
  watch_turn(now_s);
  now_s_ = now_s;
  for (const Part& part : parts_) (this->*part.act)(now_s);
}

double Dispatcher::next_s() {
  read_ahead();
  double at_s = Replica::infinity;
  for (const Part& part : parts_)
    if (part.next_s && !part.rides) at_s = std::min(at_s, (this->*part.next_s)());
  if (at_s == Replica::infinity) return at_s;
  if (signals_) at_s = next_signal_s(at_s);
  if (at_s > until_s_) return Replica::infinity;
  for (const Part& part : parts_)
    if (part.next_s && part.rides) at_s = std::min(at_s, (this->*part.next_s)());
  return at_s;
}

double Dispatcher::next_step_s() {
  while (!awaited_.empty() && generations_[awaited_.top().pool][awaited_.top().replica] != awaited_.top().generation)
    awaited_.pop();
  double at_s = awaited_.empty() ? Replica::infinity : awaited_.top().time_s;
  if (options_.step_by_step)
    for (const ReplicaPool& pool : pools_) at_s = std::min(at_s, pool.next_due_s());
  return at_s;
}

// Nobody is advanced that nobody looks at.
void Dispatcher::end_steps(double now_s) {
  for (ReplicaPool& pool : pools_)
    if (options_.step_by_step || pool.shares_tier() || (failures_ && failures_->next_s() <= now_s))
      pool.advance_all(now_s, *this);
  while (!awaited_.empty() && awaited_.top().time_s <= now_s) {
    const Awaited due = awaited_.top();
    awaited_.pop();
    if (generations_[due.pool][due.replica] != due.generation) continue;
    pools_[due.pool].advance(due.replica, now_s, *this);
    touch(due.pool, due.replica);
  }
  if (hand_overs_) hand_overs_->settle(now_s);
}

double Dispatcher::next_flow_s() { return flows_.next_s(); }

// Steps may end with what they send.
void Dispatcher::end_flows(double now_s) {
  flows_.tell_ended(now_s);
  if (steps_become_flows_ && hand_overs_) hand_overs_->settle(now_s);
}

double Dispatcher::next_hand_over_s() { return hand_overs_ ? hand_overs_->next_s() : Replica::infinity; }

void Dispatcher::hand_over(double now_s) {
  if (hand_overs_) hand_overs_->send_due(now_s);
}

double Dispatcher::next_role_check_s() { return hand_overs_ ? hand_overs_->next_check_s() : Replica::infinity; }

void Dispatcher::check_roles(double now_s) {
  if (hand_overs_) hand_overs_->check_roles(now_s);
}

void Dispatcher::migrate(double now_s) {
  if (migrations_) migrations_->act_due(now_s);
}

double Dispatcher::next_failure_s() { return failures_ && requests_left() ? failures_->next_s() : Replica::infinity; }

double Dispatcher::next_give_up_s() { return waiting_room_.next_give_up_s(); }

double Dispatcher::next_scaling_s() {
  const double starts_s = std::min(lifecycle_.next_s(), scaling_ ? scaling_->next_s() : Replica::infinity);
  if (starts_s == Replica::infinity) return lifecycle_.next_drained_s();
  return std::min(lifecycle_.next_drained_s(), requests_left() ? starts_s : Replica::infinity);
}

/// `at_s`, or an instant before it at which load is collected.
double Dispatcher::next_signal_s(double at_s) const {
  for (const ReplicaPool& pool : pools_) at_s = std::min(at_s, pool.next_signal_s(at_s));
  return at_s;
}

void Dispatcher::collect_signals(double now_s) {
  if (!signals_) return;
  for (ReplicaPool& pool : pools_)
    if (pool.next_signal_s(now_s) <= now_s) pool.signal(now_s, *this);
}

double Dispatcher::next_at_gateway_s() { return gateway_ ? gateway_->next_s() : Replica::infinity; }

void Dispatcher::act_at_gateway(double now_s) {
  if (!gateway_) return;
  for (read_ahead(); gateway_->next_s() <= now_s; read_ahead()) {
    gateway_->act_due(now_s);
    poll();
  }
}

double Dispatcher::next_inbound_s() { return inbound_.empty() ? Replica::infinity : inbound_.top().due_s; }

// In the order of their ids.
void Dispatcher::take_inbound(double now_s) {
  for (read_ahead(); next_inbound_s() <= now_s && !inbound_.empty(); read_ahead()) {
    const Request request = inbound_.top().request;
    inbound_.pop();
    arrive(request, now_s);
    count_event(now_s);
    poll();
  }
}

double Dispatcher::next_sample_s() { return samples() ? sampler_.next_s() : Replica::infinity; }

void Dispatcher::sample_due(double now_s) {
  if (next_sample_s() <= now_s) sample_replicas();
}

// Now where somebody waits for it; else when the replica is next advanced beyond this instant.
void Dispatcher::start_steps(double now_s) {
  start_touched(now_s);
  if (!options_.step_by_step) return;
  for (ReplicaPool& pool : pools_) pool.start_all(*this);
  start_touched(now_s);
}

void Dispatcher::begin_flows(double now_s) {
  if (transfers_) transfers_->begin_writes(now_s);
  flows_.begin_due(now_s);
}

}  // namespace servecast
