// What autoscalers see of their pools, and what is counted of what they do.
#include <algorithm>
#include <utility>

#include "sim/engine/collect_facts.h"
#include "sim/engine/scaling.h"
#include "sim/input/scenario.h"
#include "sim/report/latency.h"
#include "sim/report/recorder.h"

namespace servecast {

Scaling::Scaling(const Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster)
    : scenario_(scenario), wiring_(wiring), flows_(flows), cluster_(cluster), slo_(slo_facts(scenario.spec)) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    pools_.emplace_back();
    if (scenario.pools[pool].spec.scales()) add_pool(scenario.pools[pool], pool);
  }
}

// Those who serve at the start are there, and so is the reserve.
void Scaling::add_pool(const Pool& pool, std::size_t number) {
  PoolState& p = pools_[number];
  p.spec = pool.spec.scaling.value_or(ScalingSpec{});
  p.scaler = pool.spec.autoscaler.make();
  p.capacity = std::make_unique<SteadyCapacity>(cluster_.steps(number), capacity_bounds(number));
  p.lives.resize(pool.places.size());
  p.mirror_rng = Rng(static_cast<std::uint64_t>(scenario_.spec.seed), "mirror/" + pool.spec.name);
  p.totals = {{.pool = pool.spec.name, .autoscaler = pool.spec.autoscaler.policy()}};
  p.wanted = p.spec.start_replicas.value_or(p.spec.min_replicas);
  const auto serving = static_cast<std::size_t>(p.wanted);
  const std::size_t there = std::min(p.lives.size(), serving + static_cast<std::size_t>(p.spec.warm_replicas));
  for (std::size_t i = 0; i < p.lives.size(); ++i) {
    if (i < there) set({number, i}, i < serving ? State::serving : State::warm, 0);
    if (i >= serving) cluster_.switch_off({number, i}, 0);
  }
  p.totals.most_serving = p.wanted;
}

std::string_view Scaling::state(const ReplicaAt& at) const {
  switch (life(at).state) {
    case State::off:
      return "off";
    case State::provisioning:
    case State::loading:
    case State::starting:
    case State::waking:
    case State::mirroring:
      return "starting";
    case State::warm:
      return "warm";
    case State::draining:
      return "draining";
    case State::serving:
      break;
  }
  return "serving";
}

CapacityBounds Scaling::capacity_bounds(std::size_t pool) const {
  const Pool& p = scenario_.pools[pool];
  const bool decodes_for_others =
      std::ranges::any_of(scenario_.pools, [&](const Pool& other) { return other.decode_pool == pool; });
  return {.stages = p.latency->stages(),
          .max_sequences = p.spec.batcher.make()->max_sequences(),
          .kv_tokens = p.memory.kv_pool_tokens,
          .computes_prompts = !decodes_for_others,
          .decodes = !p.decode_pool,
          .ttft_s = slo_.ttft_s ? slo_.ttft_s : slo_.e2e_s,
          .tpot_s = slo_.tpot_s};
}

/// The pool that requests arrive at, and the one that decodes for it.
std::vector<Scaling::PoolState*> Scaling::concerned(PoolId pool) {
  std::vector<PoolState*> pools{&pools_[index(pool)]};
  if (const auto decode_pool = scenario_.pools[index(pool)].decode_pool) pools.push_back(&pools_[*decode_pool]);
  return pools;
}

void Scaling::arrived(const Request& request) {
  for (PoolState* pool : concerned(request.pool)) {
    pool->load.arrived += 1;
    pool->load.prompt_tokens += request.prompt_tokens;
  }
}

void Scaling::finished(const RequestRecord& record) {
  for (PoolState* pool : concerned(record.pool)) {
    pool->load.finished += 1;
    pool->load.output_tokens += record.output_tokens;
    pool->load.missed_slo += keeps_all(record, slo_) ? 0 : 1;
  }
}

void Scaling::look(std::size_t pool, double now_s) {
  PoolState& p = pools_[pool];
  const std::vector<ReplicaView> serving = cluster_.serving(pool, now_s);
  p.load.now_s = now_s;
  p.load.serving = serving;
  p.load.coming = count(pool, {State::waking, State::mirroring}) +
                  std::max<std::int64_t>(0, count(pool, {State::provisioning, State::loading, State::starting}) +
                                                count(pool, {State::warm}) - p.spec.warm_replicas);
  p.load.waiting_outside = cluster_.waiting_outside(pool);
  p.load.block_tokens = cluster_.steps(pool).block_tokens();
  p.load.slo_target_fraction = slo_.target_fraction;
  p.load.capacity = p.capacity.get();
  const std::int64_t least = std::max<std::int64_t>(p.spec.min_replicas, p.load.waiting_outside > 0 ? 1 : 0);
  p.wanted = std::clamp(p.scaler->wanted(p.load), least, static_cast<std::int64_t>(p.lives.size()));
  p.load = {.since_s = now_s};
  p.next_look_s = p.scaler->next_look_s(now_s);
}

void Scaling::knock(std::size_t pool, double now_s) {
  if (!scales(pool) || pools_[pool].wanted > 0) return;
  pools_[pool].wanted = 1;
  settle(pool, now_s);
}

std::vector<ReplicaAt> Scaling::mirrors_of(const Request& request) {
  const std::size_t pool = index(request.pool);
  PoolState& p = pools_[pool];
  if (!p.scaler || !p.spec.mirror) return {};
  std::vector<ReplicaAt> mirrors = in(pool, {State::mirroring});
  std::erase_if(mirrors, [&](const ReplicaAt&) { return p.mirror_rng.uniform() >= p.spec.mirror->fraction; });
  p.totals.mirrored += static_cast<std::int64_t>(mirrors.size());
  return mirrors;
}

std::int64_t Scaling::count(std::size_t pool, std::initializer_list<State> states) const {
  return std::ranges::count_if(pools_[pool].lives,
                               [&](const Life& l) { return std::ranges::find(states, l.state) != states.end(); });
}

std::vector<ReplicaAt> Scaling::in(std::size_t pool, std::initializer_list<State> states) const {
  std::vector<ReplicaAt> found;
  for (std::size_t i = 0; i < pools_[pool].lives.size(); ++i)
    if (std::ranges::find(states, pools_[pool].lives[i].state) != states.end()) found.push_back({pool, i});
  return found;
}

const ReplicaPlace& Scaling::place(const ReplicaAt& at) const { return scenario_.pools[at.pool].places[at.replica]; }

void Scaling::set(const ReplicaAt& at, State state, double now_s) {
  Life& l = life(at);
  ScalingTotals& totals = pools_[at.pool].totals;
  if (l.state == State::loading) flows_.cancel(l.load, now_s);  // it comes to nothing, unless all has arrived
  if (l.state == State::serving) totals.serving_s += now_s - l.since_s;
  if (l.state == State::off) l.rented_since_s = now_s;
  if (l.state != State::off && state == State::off) l.rents.emplace_back(l.rented_since_s, now_s);
  l.state = state;
  l.since_s = now_s;
  ++l.changes;
}

void Scaling::set_for(const ReplicaAt& at, State state, double seconds, double now_s) {
  set(at, state, now_s);
  dues_.insert({now_s + seconds, at, life(at).changes});
}

// A run may end before what was looked at last: what lies behind its end did not happen.
void Scaling::close(double duration_s, Recorder& recorder) {
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
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

std::vector<ScalingTotals> Scaling::totals() const {
  std::vector<ScalingTotals> all;
  for (const PoolState& pool : pools_)
    if (pool.scaler) all.push_back(pool.totals);
  return all;
}

double Scaling::node_rented_s(std::int64_t node) const {
  std::vector<std::pair<double, double>> rents;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool)
    for (std::size_t i = 0; i < pools_[pool].lives.size(); ++i)
      if (std::ranges::find(place({pool, i}).gpus, node, &GpuPlace::node) != place({pool, i}).gpus.end())
        std::ranges::copy(pools_[pool].lives[i].rents, std::back_inserter(rents));
  std::ranges::sort(rents);
  double seconds = 0;
  double until_s = 0;
  for (const auto& [from_s, to_s] : rents) {
    seconds += std::max(0.0, to_s - std::max(from_s, until_s));
    until_s = std::max(until_s, to_s);
  }
  return seconds;
}

}  // namespace servecast
