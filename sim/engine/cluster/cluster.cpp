#include "sim/engine/cluster/cluster.h"

#include <algorithm>
#include <iterator>

#include "sim/engine/time/run_clock.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

std::vector<LifeRules> rules_of_lives(const Scenario& scenario) {
  std::vector<LifeRules> rules;
  for (const Pool& pool : scenario.pools) rules.push_back(life_rules(scenario, pool));
  return rules;
}

}  // namespace

Cluster::Cluster(const Scenario& scenario, ReplicaListener& listener, RunClock& clock, bool step_by_step)
    : listener_(listener), clock_(clock), step_by_step_(step_by_step), lifecycle_(rules_of_lives(scenario), *this) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    pools_.emplace_back(scenario, PoolId(i), ReplicaId(first), listener, step_by_step);
    generations_.emplace_back(pools_.back().size(), 0);
    first += pools_.back().size();
  }
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const std::optional<std::size_t> decode_pool = scenario.pools[i].decode_pool;
    if (decode_pool && pools_[i].routing().admission_reads_state())
      pools_[*decode_pool].routing().require_fresh_views();
  }
}

Replica& Cluster::advanced(const ReplicaAt& at, double now_s) {
  pools_[at.pool].advance(at.replica, now_s);
  return pools_[at.pool][at.replica];
}

// A sequence on its way from one replica to another holds memory on both, even where its client has left.
void Cluster::changed(const ReplicaAt& at) {
  clock_.lasts_until(clock_.now_s());
  pools_[at.pool].refresh(at.replica);
  touch(at);
}

void Cluster::touch(const ReplicaAt& at) {
  ++generation(at);
  if (replica(at).next_awaited_s() < Replica::infinity) touched_.push_back(at);
}

void Cluster::advance_all(double now_s) {
  for (ReplicaPool& pool : pools_) pool.advance_all(now_s);
}

DetachedSequence Cluster::detach(const ReplicaAt& at, Slot slot, double now_s) {
  DetachedSequence detached = advanced(at, now_s).exports().detach(slot, now_s, listener_);
  changed(at);
  return detached;
}

std::optional<MovingSequence> Cluster::recall(const ReplicaAt& at, Slot slot, double now_s) {
  auto sequence = advanced(at, now_s).imports().recall(slot, now_s, listener_);
  changed(at);
  return sequence;
}

void Cluster::set_pace(const ReplicaAt& at, const StepPace& pace, double now_s) {
  pools_[at.pool].change(at.replica, now_s, [&](Replica& replica) { replica.set_pace(pace); });
  touch(at);
}

void Cluster::relocated(const ReplicaAt& at, double now_s) {
  for (ClusterListener* listener : listeners_) listener->relocated(at, now_s);
  lose_memory(at, now_s);
}

std::vector<MovingSequence> Cluster::take_interrupted() {
  std::ranges::sort(interrupted_, {}, [](const MovingSequence& m) { return m.request.id; });
  return std::exchange(interrupted_, {});
}

// Clients may have given up meanwhile.
void Cluster::make_ready(const ReplicaAt& at, double now_s) {
  ++membership_changes_;
  pools_[at.pool].change(at.replica, now_s, [&](Replica& replica) { replica.set_ready(now_s); });
  for (ClusterListener* listener : listeners_) listener->ready(at, now_s);
  touch(at);
}

void Cluster::serve(const ReplicaAt& at, double now_s) {
  make_ready(at, now_s);
  pools_[at.pool].routing().set_shown(at.replica, true);
  for (ClusterListener* listener : listeners_) listener->serves(at, now_s);
}

void Cluster::withdraw(const ReplicaAt& at) {
  ++membership_changes_;
  pools_[at.pool].routing().set_shown(at.replica, false);
}

void Cluster::crash(const ReplicaAt& at, double now_s) {
  clock_.lasts_until(now_s);
  std::ranges::move(stop(at, now_s), std::back_inserter(interrupted_));
}

void Cluster::switch_off(const ReplicaAt& at, double now_s) {
  ++membership_changes_;
  stop(at, now_s);
  lose_memory(at, now_s);
}

/// Returns the sequences that were there. Nothing that it had begun goes on.
std::vector<MovingSequence> Cluster::stop(const ReplicaAt& at, double now_s) {
  std::vector<MovingSequence> interrupted = pools_[at.pool].stop(at.replica, now_s);
  ++generation(at);
  for (ClusterListener* listener : listeners_) listener->stopped(at, interrupted, now_s);
  return interrupted;
}

// It gets nothing more: its next step may start, and those whose clients have given up are out of it.
bool Cluster::is_done(const ReplicaAt& at, double now_s) {
  pools_[at.pool].advance(at.replica, now_s);
  pools_[at.pool].start(at.replica);
  return replica(at).empty();
}

double Cluster::next_due_s(const ReplicaAt& at) const {
  return replica(at).empty() ? clock_.now_s() : replica(at).next_due_s();
}

std::int64_t Cluster::requests(const ReplicaAt& at, double now_s) {
  const ReplicaView view = advanced(at, now_s).view();
  return view.running_requests + view.waiting_requests;
}

double Cluster::next_step_s() {
  while (!awaited_.empty() && stale(awaited_.top())) awaited_.pop();
  double at_s = awaited_.empty() ? Replica::infinity : awaited_.top().time_s;
  if (step_by_step_)
    for (const ReplicaPool& pool : pools_) at_s = std::min(at_s, pool.next_due_s());
  return at_s;
}

// Only pools whose load is read are advanced.
void Cluster::end_steps(double now_s) {
  for (ReplicaPool& pool : pools_)
    if (step_by_step_ || pool.shared_tier()) pool.advance_all(now_s);
  while (!awaited_.empty() && awaited_.top().time_s <= now_s) {
    const Awaited due = awaited_.top();
    awaited_.pop();
    if (stale(due)) continue;
    pools_[due.replica.pool].advance(due.replica.replica, now_s);
    touch(due.replica);
  }
  settle(now_s);
}

void Cluster::settle(double now_s) {
  for (ClusterListener* listener : listeners_) listener->settle(now_s);
}

// Now where a client waits for it; else when the replica is next advanced beyond this instant.
void Cluster::start_steps(double now_s) {
  start_touched(now_s);
  if (!step_by_step_) return;
  for (ReplicaPool& pool : pools_) pool.start_all();
  start_touched(now_s);
}

void Cluster::start_touched(double now_s) {
  do {
    watch_touched();
    settle(now_s);
  } while (!touched_.empty());
}

// In the order of the replicas, whatever brought them here: fetches from a shared tier start in it.
void Cluster::watch_touched() {
  std::ranges::sort(touched_);
  for (const ReplicaAt& at : touched_) {
    pools_[at.pool].start(at.replica);
    const double time_s = replica(at).next_awaited_s();
    if (time_s < Replica::infinity) awaited_.push({time_s, at, ++generation(at)});
  }
  touched_.clear();
}

void Cluster::set_contended(const ReplicaAt& at, OwnTraffic traffic, bool contended, double now_s) {
  pools_[at.pool].change(at.replica, now_s, [&](Replica& replica) {
    if (contended) replica.start(listener_);
    replica.set_contended(traffic, contended, now_s, listener_);
  });
  touch(at);
  if (contended) start_touched(now_s);
}

}  // namespace servecast
