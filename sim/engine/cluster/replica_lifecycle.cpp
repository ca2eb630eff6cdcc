#include "sim/engine/cluster/replica_lifecycle.h"

#include <algorithm>
#include <array>
#include <span>

#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"

namespace servecast {

LifeRules life_rules(const Scenario& scenario, const Pool& pool) {
  return {.replicas = static_cast<std::size_t>(pool.spec.replicas),
          .standing = !pool.spec.scales(),
          .cold = pool.spec.start == "cold",
          .scaling = pool.spec.scaling.value_or(ScalingSpec{}),
          .start = pool_start(scenario.spec, pool)};
}

ReplicaLifecycle::ReplicaLifecycle(const std::vector<LifeRules>& rules, Callbacks& callbacks)
    : callbacks_(callbacks) {
  for (const LifeRules& r : rules) {
    const Life first{.state = r.cold ? State::cold : State::serving};
    pools_.push_back(
        {.rules = r, .lives = {r.replicas, first}, .wanted = static_cast<std::int64_t>(r.replicas), .totals = {}});
  }
}

void ReplicaLifecycle::begin(Loads& loads) {
  loads_ = &loads;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_[pool].rules.standing) begin(pool);
    for (const ReplicaAt& at : in(pool, {State::cold})) load(at, 0);
  }
}

// Replicas that serve at the start are there, and so is the reserve.
void ReplicaLifecycle::begin(std::size_t pool) {
  PoolLife& p = pools_[pool];
  p.lives.assign(p.lives.size(), Life{});
  p.wanted = p.totals.most_serving = p.rules.scaling.start_replicas.value_or(p.rules.scaling.min_replicas);
  const auto serving = static_cast<std::size_t>(p.wanted);
  const std::size_t there =
      std::min(p.lives.size(), serving + static_cast<std::size_t>(p.rules.scaling.warm_replicas));
  for (std::size_t i = 0; i < p.lives.size(); ++i) {
    if (i < there) set({pool, i}, i < serving ? State::serving : State::warm, 0);
    if (i >= serving) callbacks_.switch_off({pool, i}, 0);
  }
}

// An autoscaler's replica is paid for from the first moment, so one that stops before it serves counts as well.
bool ReplicaLifecycle::broken(const ReplicaAt& at, double now_s) {
  Life& l = life(at);
  l.whole = false;
  const bool there = standing(at) ? takes_requests(l) : l.state != State::off;
  if (there) callbacks_.crash(at, now_s);
  if (l.state != State::off) set(at, State::off, now_s);
  return there;
}

// One that no autoscaler can replace serves those it has until it stops.
void ReplicaLifecycle::doomed(const ReplicaAt& at, double now_s) {
  Life& l = life(at);
  l.whole = false;
  const bool in_use = l.state == State::waking || l.state == State::mirroring || takes_requests(l);
  if (standing(at)) {
    l.withdrawn = in_use;
    if (in_use) callbacks_.withdraw(at);
  } else if (in_use) {
    drain(at, now_s);
  } else if (l.state != State::off && l.state != State::draining) {
    if (l.state == State::warm) callbacks_.switch_off(at, now_s);
    set(at, State::off, now_s);
  }
}

// Of an autoscaler's pool, a broken replica waits only where those that are off and whole are too few.
bool ReplicaLifecycle::waits_for_parts(const ReplicaAt& at) const {
  if (life(at).state != State::off || life(at).whole) return false;
  if (standing(at)) return true;
  const std::int64_t can_start =
      std::ranges::count_if(pools_[at.pool].lives, [](const Life& l) { return l.state == State::off && l.whole; });
  return wanted_on_the_way(at.pool) > count(at.pool, on_the_way) + can_start;
}

// An autoscaler's replica starts with settle().
bool ReplicaLifecycle::whole(const ReplicaAt& at, double now_s) {
  const bool waited = standing(at) && waits_for_parts(at);
  life(at).whole = true;
  if (waited) load(at, now_s);
  return waited;
}

void ReplicaLifecycle::demand(std::size_t pool, double now_s) {
  if (pools_[pool].wanted > 0) return;
  want(pool, 1);
  settle(pool, now_s);
}

void ReplicaLifecycle::settle(double now_s) {
  for (std::size_t pool = 0; pool < pools_.size(); ++pool)
    if (!pools_[pool].rules.standing) settle(pool, now_s);
}

// As many as are wanted serve, or will without further ado; what is missing is on the way, and so is what the reserve
// lacks.
void ReplicaLifecycle::settle(std::size_t pool, double now_s) {
  const PoolLife& p = pools_[pool];
  const std::int64_t surplus = active(pool) - p.wanted;
  if (surplus > 0) shrink(pool, surplus, now_s);
  if (surplus < 0) grow(pool, -surplus, now_s);
  set_on_the_way(pool, wanted_on_the_way(pool), now_s);
}

std::int64_t ReplicaLifecycle::wanted_on_the_way(std::size_t pool) const {
  const PoolLife& p = pools_[pool];
  return std::max<std::int64_t>(0,
                                p.wanted - active(pool) + p.rules.scaling.warm_replicas - count(pool, {State::warm}));
}

/// From the warm reserve, as far as that goes.
void ReplicaLifecycle::grow(std::size_t pool, std::int64_t missing, double now_s) {
  PoolLife& p = pools_[pool];
  for (const ReplicaAt& at : in(pool, {State::warm})) {
    if (missing-- == 0) return;
    ++p.totals.woken;
    life(at).wanted_since_s = now_s;
    set_for(at, State::waking, p.rules.start.wake_s, now_s);
  }
}

/// Those first that do not serve yet, then those with the fewest requests; ties go to the highest number.
void ReplicaLifecycle::shrink(std::size_t pool, std::int64_t surplus, double now_s) {
  const auto requests = [&](const ReplicaAt& at) {
    return life(at).state == State::serving ? callbacks_.requests(at, now_s) : std::int64_t{-1};
  };
  std::vector<ReplicaAt> active = in(pool, {State::waking, State::mirroring, State::serving});
  std::ranges::reverse(active);
  std::ranges::stable_sort(active, {}, requests);
  for (const ReplicaAt& at : std::span(active).first(static_cast<std::size_t>(surplus))) drain(at, now_s);
}

/// Starts what is missing where all parts are whole; stops what is too much, the latest first.
void ReplicaLifecycle::set_on_the_way(std::size_t pool, std::int64_t wanted, double now_s) {
  std::vector<ReplicaAt> coming = in(pool, on_the_way);
  std::ranges::stable_sort(coming, {}, [&](const ReplicaAt& at) { return life(at).rented_since_s; });
  for (; static_cast<std::int64_t>(coming.size()) > wanted; coming.pop_back()) set(coming.back(), State::off, now_s);
  std::int64_t missing = wanted - static_cast<std::int64_t>(coming.size());
  for (const ReplicaAt& at : in(pool, {State::off})) {
    if (missing <= 0) return;
    if (!life(at).whole) continue;
    --missing;
    ++pools_[pool].totals.starts;
    life(at).wanted_since_s = now_s;
    life(at).start = {.provision_s = spec(at).provision_s};
    set_for(at, State::provisioning, spec(at).provision_s, now_s);
  }
}

// The first weights of a cold replica find it taking requests, and travel on where it stops meanwhile.
void ReplicaLifecycle::load(const ReplicaAt& at, double now_s) {
  if (life(at).state != State::cold) set(at, State::loading, now_s);
  loads_->start(at, now_s, [this, at, token = life(at).generation](double loaded_s) {
    if (life(at).generation == token) loaded(at, loaded_s);
  });
}

void ReplicaLifecycle::loaded(const ReplicaAt& at, double now_s) {
  Life& l = life(at);
  if (l.state == State::loading) {
    const StartPhases& phases = pools_[at.pool].rules.start.phases;
    l.start.image_s = loads_->image_s(at);
    l.start.weights_s = now_s - l.since_s - l.start.image_s;
    l.start.imports_s = phases.imports_s;
    l.start.gpu_load_s = phases.gpu_load_s;
    l.start.engine_init_s = phases.engine_init_s;
    l.start.restore_s = phases.restore_s;
    return set_for(at, State::starting, phases.sum(), now_s);
  }
  set(at, State::serving, now_s);
  callbacks_.make_ready(at, now_s);
}

void ReplicaLifecycle::act_due(double now_s) {
  while (next_s() <= now_s && !dues_.empty()) {
    const Due due = dues_.extract(dues_.begin()).value();
    if (life(due.replica).generation == due.generation) next_stage(due.replica, now_s);
  }
}

void ReplicaLifecycle::next_stage(const ReplicaAt& at, double now_s) {
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

void ReplicaLifecycle::ready(const ReplicaAt& at, double now_s) {
  pools_[at.pool].totals.cold_starts.push_back(life(at).start);
  if (active(at.pool) >= pools_[at.pool].wanted) return set(at, State::warm, now_s);
  if (!spec(at).mirror) return enter(at, now_s);
  callbacks_.make_ready(at, now_s);
  set_for(at, State::mirroring, spec(at).mirror->for_s, now_s);
}

void ReplicaLifecycle::enter(const ReplicaAt& at, double now_s) {
  ScalingTotals& totals = pools_[at.pool].totals;
  totals.start_s.push_back(now_s - life(at).wanted_since_s);
  set(at, State::serving, now_s);
  totals.most_serving = std::max(totals.most_serving, count(at.pool, {State::serving}));
  callbacks_.serve(at, now_s);
}

void ReplicaLifecycle::drain(const ReplicaAt& at, double now_s) {
  callbacks_.withdraw(at);
  set(at, State::draining, now_s);
  retire(at, now_s);
}

double ReplicaLifecycle::next_drained_s() const {
  double at_s = forever;
  for (const ReplicaAt& at : draining_) at_s = std::min(at_s, callbacks_.next_due_s(at));
  return at_s;
}

bool ReplicaLifecycle::retire_drained(double now_s) {
  bool any = false;
  for (auto next = draining_.begin(); next != draining_.end();) any = retire(*next++, now_s) || any;
  return any;
}

bool ReplicaLifecycle::retire(const ReplicaAt& replica, double now_s) {
  const ReplicaAt at = replica;  // among those that drain it is no more, then
  if (!callbacks_.is_done(at, now_s)) return false;
  ScalingTotals& totals = pools_[at.pool].totals;
  totals.drain_s.push_back(now_s - life(at).since_s);
  ++totals.stops;
  const bool kept = life(at).whole && count(at.pool, {State::warm}) < spec(at).warm_replicas;
  if (!kept) callbacks_.switch_off(at, now_s);
  set(at, kept ? State::warm : State::off, now_s);
  return true;
}

std::string_view ReplicaLifecycle::name(const ReplicaAt& at) const {
  static constexpr std::array<std::string_view, 10> names{"off",      "starting", "starting", "starting", "warm",
                                                          "starting", "starting", "starting", "serving",  "draining"};
  const Life& l = life(at);
  return l.state == State::off && !l.whole ? "broken" : names[static_cast<std::size_t>(l.state)];
}

std::int64_t ReplicaLifecycle::count(std::size_t pool, std::initializer_list<State> states) const {
  return std::ranges::count_if(pools_[pool].lives,
                               [&](const Life& l) { return std::ranges::find(states, l.state) != states.end(); });
}

std::vector<ReplicaAt> ReplicaLifecycle::in(std::size_t pool, std::initializer_list<State> states) const {
  std::vector<ReplicaAt> found;
  for (std::size_t i = 0; i < pools_[pool].lives.size(); ++i)
    if (std::ranges::find(states, pools_[pool].lives[i].state) != states.end()) found.push_back({pool, i});
  return found;
}

std::int64_t ReplicaLifecycle::coming(std::size_t pool) const {
  const std::int64_t started = count(pool, {State::provisioning, State::loading, State::starting, State::warm});
  return count(pool, {State::waking, State::mirroring}) +
         std::max<std::int64_t>(0, started - pools_[pool].rules.scaling.warm_replicas);
}

void ReplicaLifecycle::set(const ReplicaAt& at, State state, double now_s) {
  Life& l = life(at);
  if (l.state == State::loading) loads_->cancel(at, now_s);  // it comes to nothing, unless all has arrived
  if (l.state == State::draining) draining_.erase(at);
  if (state == State::draining) draining_.insert(at);
  account(l, pools_[at.pool], state, now_s);
  l.state = state;
  l.since_s = now_s;
  l.withdrawn = l.withdrawn && takes_requests(l);
  ++l.generation;
}

void ReplicaLifecycle::set_for(const ReplicaAt& at, State state, double seconds, double now_s) {
  set(at, state, now_s);
  dues_.insert({now_s + seconds, at, life(at).generation});
}

void ReplicaLifecycle::account(Life& l, PoolLife& pool, State next, double now_s) {
  if (l.state == State::serving) pool.totals.serving_s += now_s - l.since_s;
  if (takes_requests(l) && next == State::off) l.down_since_s = now_s;
  if (l.state == State::starting && next == State::serving) l.down_s += now_s - l.down_since_s;
  if (l.state == State::off) l.rented_since_s = now_s;
  if (l.state != State::off && next == State::off) l.rents.emplace_back(l.rented_since_s, now_s);
}

// A run may end before what was looked at last: what lies behind its end did not happen.
void ReplicaLifecycle::close(double duration_s, Recorder& recorder) {
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    if (pools_[pool].rules.standing) continue;
    ScalingTotals& totals = pools_[pool].totals;
    for (Life& l : pools_[pool].lives) {
      if (l.state == State::serving) totals.serving_s += std::max(0.0, duration_s - l.since_s);
      if (l.state != State::off) l.rents.emplace_back(l.rented_since_s, duration_s);
      for (auto& [from_s, to_s] : l.rents) {
        to_s = std::min(to_s, duration_s);
        from_s = std::min(from_s, to_s);
        totals.rented_s += to_s - from_s;
        recorder.rented(PoolId(pool), from_s, to_s);
      }
    }
  }
}

std::pair<double, double> ReplicaLifecycle::replica_and_down_s(std::size_t pool, double duration_s) const {
  const PoolLife& p = pools_[pool];
  if (!p.rules.standing) return {p.totals.rented_s, p.totals.rented_s - p.totals.serving_s};
  double replica_s = 0;
  double down_s = 0;
  for (const Life& l : p.lives) {
    replica_s += duration_s;
    down_s += l.down_s;
    if (!takes_requests(l)) down_s += std::max(0.0, duration_s - l.down_since_s);
  }
  return {replica_s, down_s};
}

}  // namespace servecast
