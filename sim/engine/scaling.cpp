#include "sim/engine/scaling.h"

#include <algorithm>

#include "sim/engine/flows.h"
#include "sim/engine/weight_loads.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"
#include "sim/serving/replica.h"

namespace servecast {

bool scales(const Scenario& scenario) {
  return std::ranges::any_of(scenario.pools, [](const Pool& pool) { return pool.spec.scales(); });
}

double Scaling::next_s() const {
  double at_s = dues_.empty() ? Replica::infinity : dues_.begin()->at_s;
  for (const PoolState& pool : pools_)
    if (pool.scaler) at_s = std::min(at_s, pool.next_look_s);
  return at_s;
}

double Scaling::next_drained_s() const {
  double at_s = Replica::infinity;
  for (const ReplicaAt& at : draining_) at_s = std::min(at_s, cluster_.next_due_s(at));
  return at_s;
}

bool Scaling::retire_drained(double now_s) {
  const std::set<ReplicaAt> draining = draining_;
  for (const ReplicaAt& at : draining) check_drained(at, now_s);
  return draining_.size() < draining.size();
}

// Who has started, then what the autoscalers make of it.
void Scaling::act_due(double now_s) {
  while (!dues_.empty() && dues_.begin()->at_s <= now_s) {
    const Due due = *dues_.begin();
    dues_.erase(dues_.begin());
    if (life(due.who).changes == due.change) next_stage(due.who, now_s);
  }
  for (std::size_t pool = 0; pool < pools_.size(); ++pool)
    if (pools_[pool].scaler && pools_[pool].next_look_s <= now_s) look(pool, now_s);
  settle(now_s);
}

void Scaling::settle(double now_s) {
  for (std::size_t pool = 0; pool < pools_.size(); ++pool)
    if (pools_[pool].scaler) settle(pool, now_s);
}

// As many as are wanted serve, or will without further ado; what is missing is on the way, and so is what the reserve
// lacks.
void Scaling::settle(std::size_t pool, double now_s) {
  const PoolState& p = pools_[pool];
  const std::int64_t active = count(pool, {State::waking, State::mirroring, State::serving});
  if (active > p.wanted) shrink(pool, active - p.wanted, now_s);
  if (active < p.wanted) grow(pool, p.wanted - active, now_s);
  const std::int64_t missing = p.wanted - count(pool, {State::waking, State::mirroring, State::serving});
  set_on_the_way(pool, std::max<std::int64_t>(0, missing + p.spec.warm_replicas - count(pool, {State::warm})), now_s);
}

/// From the warm reserve, as far as that goes.
void Scaling::grow(std::size_t pool, std::int64_t missing, double now_s) {
  PoolState& p = pools_[pool];
  for (const ReplicaAt& at : in(pool, {State::warm})) {
    if (missing-- == 0) return;
    ++p.totals.woken;
    life(at).wanted_since_s = now_s;
    set_for(at, State::waking, p.spec.warm_start_s.value_or(0.3), now_s);
  }
}

/// Those first that do not serve yet, then those with the fewest requests; ties go to the highest number.
void Scaling::shrink(std::size_t pool, std::int64_t surplus, double now_s) {
  const auto requests = [&](const ReplicaAt& at) {
    return life(at).state == State::serving ? cluster_.requests(at, now_s) : std::int64_t{-1};
  };
  std::vector<ReplicaAt> active = in(pool, {State::waking, State::mirroring, State::serving});
  std::ranges::reverse(active);
  std::ranges::stable_sort(active, {}, requests);
  for (const ReplicaAt& at : std::span(active).first(static_cast<std::size_t>(surplus))) leave(at, now_s);
}

/// Starts what is missing where all parts are whole; stops what is too much, the latest first.
void Scaling::set_on_the_way(std::size_t pool, std::int64_t wanted, double now_s) {
  std::vector<ReplicaAt> coming = in(pool, {State::provisioning, State::loading, State::starting});
  std::ranges::stable_sort(coming, {}, [&](const ReplicaAt& at) { return life(at).rented_since_s; });
  for (; static_cast<std::int64_t>(coming.size()) > wanted; coming.pop_back()) set(coming.back(), State::off, now_s);
  std::int64_t missing = wanted - static_cast<std::int64_t>(coming.size());
  for (const ReplicaAt& at : in(pool, {State::off})) {
    if (missing <= 0) return;
    if (!cluster_.whole(at)) continue;
    --missing;
    turn_on(at, now_s);
  }
}

void Scaling::turn_on(const ReplicaAt& at, double now_s) {
  ++pools_[at.pool].totals.starts;
  life(at).wanted_since_s = now_s;
  set_for(at, State::provisioning, pools_[at.pool].spec.provision_s, now_s);
}

/// The image first, which holds the program that asks for the weights.
void Scaling::load(const ReplicaAt& at, double now_s) {
  set(at, State::loading, now_s);
  const auto weights = [this, at](double image_s) {
    life(at).load = flows_.start(
        weight_shards(scenario_.pools[at.pool], place(at), wiring_), image_s,
        [this, at](double loaded_s) { set_for(at, State::starting, pools_[at.pool].spec.engine_init_s, loaded_s); });
  };
  const double bytes = pools_[at.pool].spec.image_bytes;
  if (bytes == 0) return weights(now_s);
  const Part host{.kind = Part::Kind::host, .place = place(at).gpus.front()};
  const Part storage{
      .kind = scenario_.group_of(scenario_.pools[at.pool]).node.nics > 0 ? Part::Kind::storage : Part::Kind::disk,
      .place = place(at).gpus.front()};
  life(at).load = flows_.start({wiring_.transfer("image_load", storage, host, bytes)}, now_s, weights);
}

void Scaling::next_stage(const ReplicaAt& at, double now_s) {
  switch (life(at).state) {
    case State::provisioning:
      return load(at, now_s);
    case State::starting:
      return ready(at, now_s);
    case State::waking:
    case State::mirroring:
      return enter(at, now_s);
    default:
      return;
  }
}

void Scaling::ready(const ReplicaAt& at, double now_s) {
  PoolState& p = pools_[at.pool];
  if (count(at.pool, {State::waking, State::mirroring, State::serving}) >= p.wanted)
    return set(at, State::warm, now_s);
  if (!p.spec.mirror) return enter(at, now_s);
  cluster_.make_ready(at, now_s);
  set_for(at, State::mirroring, p.spec.mirror->for_s, now_s);
}

void Scaling::enter(const ReplicaAt& at, double now_s) {
  ScalingTotals& totals = pools_[at.pool].totals;
  totals.start_s.push_back(now_s - life(at).wanted_since_s);
  set(at, State::serving, now_s);
  totals.most_serving = std::max(totals.most_serving, count(at.pool, {State::serving}));
  cluster_.serve(at, now_s);
}

void Scaling::leave(const ReplicaAt& at, double now_s) {
  cluster_.withdraw(at);
  draining_.insert(at);
  set(at, State::draining, now_s);
  check_drained(at, now_s);
}

void Scaling::check_drained(const ReplicaAt& at, double now_s) {
  if (!draining_.contains(at) || !cluster_.is_done(at, now_s)) return;
  PoolState& p = pools_[at.pool];
  draining_.erase(at);
  p.totals.drain_s.push_back(now_s - life(at).since_s);
  ++p.totals.stops;
  const bool kept = cluster_.whole(at) && count(at.pool, {State::warm}) < p.spec.warm_replicas;
  if (!kept) cluster_.switch_off(at, now_s);
  set(at, kept ? State::warm : State::off, now_s);
}

void Scaling::failed(const ReplicaAt& at, double now_s) {
  draining_.erase(at);
  set(at, State::off, now_s);
}

void Scaling::doomed(const ReplicaAt& at, double now_s) {
  switch (life(at).state) {
    case State::off:
    case State::draining:
      return;
    case State::serving:
    case State::mirroring:
    case State::waking:
      return leave(at, now_s);
    case State::warm:
      cluster_.switch_off(at, now_s);
      [[fallthrough]];
    default:
      return set(at, State::off, now_s);
  }
}

}  // namespace servecast
