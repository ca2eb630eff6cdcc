#include "sim/engine/dispatcher.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/engine/collect_facts.h"
#include "sim/engine/replica_transfers.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"

namespace servecast {
namespace {

constexpr std::int64_t events_per_progress_report = 1000;

std::vector<LifeRules> rules_of_lives(const Scenario& scenario) {
  std::vector<LifeRules> rules;
  for (const Pool& pool : scenario.pools) rules.push_back(life_rules(scenario, pool));
  return rules;
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

Dispatcher::Dispatcher(Scenario& scenario, Recorder& recorder, const RunOptions& options)
    : scenario_(scenario),
      recorder_(recorder),
      options_(options),
      until_s_(scenario.spec.until_s.value_or(Replica::infinity)),
      lifecycle_(rules_of_lives(scenario), *this),
      next_(scenario.workload->next()) {
  recorder_.set_slo(slo_facts(scenario.spec));
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const NodeGroup& group = scenario.group_of(scenario.pools[i]);
    pools_.emplace_back(scenario.pools[i], KvCopy(scenario.pools[i], group.node, group.fabric), PoolId(i),
                        ReplicaId(first), static_cast<std::uint64_t>(scenario.spec.seed), group.node,
                        options.step_by_step);
    signals_ = signals_ || pools_.back().signals();
    generations_.emplace_back(pools_.back().size(), 0);
    first += pools_.back().size();
    least_inbound_s_ = std::min(least_inbound_s_, scenario.pools[i].engine.inbound_s());
  }
  expect_looks_of_gates();
  set_readers(scenario, recorder_);
  if (scenario.spec.failures) recorder_.watch_slo();
  if (!scenario.spec.gateway.empty()) open_gateway();
}

void Dispatcher::arrive(const Request& request, double now_s) {
  if (!gateway_) ++arrived_;
  ++in_pools_;
  ++progress_;
  recorder_.arrival(request.pool, request.arrival_s);
  lasts_until(now_s);
  if (request.give_up_s <= now_s) return turn_away(request, RequestStatus::timed_out);
  if (scaling_) scaling_->arrived(request);
  enter_pool(request, now_s);
  if (scaling_) mirror(request, now_s);
}

void Dispatcher::enter_pool(const Request& request, double now_s) {
  ReplicaPool& pool = pools_[index(request.pool)];
  if (!pool.anyone_serves()) return wait_outside({.pool = request.pool, .request = request, .since_s = now_s});
  const std::optional<std::size_t> decode_pool = scenario_.pools[index(request.pool)].decode_pool;
  if (!pool.admits(request, decode_pool ? &pools_[*decode_pool] : nullptr, now_s, *this))
    return turn_away(request, RequestStatus::shed);
  enter_replica(request, now_s);
}

// The pool's gate has let it in.
void Dispatcher::enter_replica(const Request& request, double now_s) {
  ReplicaPool& pool = pools_[index(request.pool)];
  if (!pool.anyone_serves()) return wait_outside({.pool = request.pool, .request = request, .since_s = now_s});
  std::optional<HandOvers::Start> start;
  if (hand_overs_ && !(start = hand_overs_->begin(request, now_s)))
    return turn_away(request, RequestStatus::rejected);
  const Request& as_served = start ? start->request : request;
  auto to = start && start->to ? Destination{.replica = start->to->replica} : pool.pick(as_served, now_s, *this);
  if (!to) return turn_away(request, RequestStatus::shed);
  if (gateway_) fetch_kv_for(request, *to);
  const Serve serve = start ? start->serve : Serve::whole;
  if (to->copy_tokens > 0)
    copy_first({.since_s = now_s, .request = as_served, .serve = serve, .to = *to}, now_s);
  else
    deliver(as_served, serve, *to, now_s);
}

void Dispatcher::deliver(const Request& request, Serve serve, const Destination& to, double now_s) {
  const std::size_t pool = index(request.pool);
  if (!serves({pool, to.replica})) return enter_pool(request, now_s);  // it failed while the prefix was copied
  pools_[pool].deliver(request, to, serve, now_s, *this);
  if (serve != Serve::whole) hand_overs_->begun(request.id, {pool, to.replica});
  touch(pool, to.replica);
}

void Dispatcher::turn_away(const Request& request, RequestStatus status) {
  lasts_until(now_s_);
  request_done(request, {.id = request.id,
                         .arrival_s = request.arrival_s,
                         .prompt_tokens = request.prompt_tokens,
                         .pool = request.pool,
                         .request_class = request.request_class,
                         .samples = static_cast<std::uint16_t>(request.samples),
                         .status = status});
}

void Dispatcher::touch(std::size_t pool, std::size_t replica) {
  ++generations_[pool][replica];
  if (pools_[pool][replica].next_awaited_s() < Replica::infinity) touched_.push_back({pool, replica});
}

// In the order of the replicas, whatever brought them here: fetches from a shared tier start in it.
void Dispatcher::watch_touched() {
  std::ranges::sort(touched_, {}, [](const Touched& t) { return std::tie(t.pool, t.replica); });
  for (const auto& [pool, replica] : touched_) {
    pools_[pool].start(replica, *this);
    watch(pool, replica);
  }
  touched_.clear();
}

void Dispatcher::watch(std::size_t pool, std::size_t replica) {
  const double time_s = pools_[pool][replica].next_awaited_s();
  if (time_s < Replica::infinity)
    awaited_.push({.time_s = time_s, .pool = pool, .replica = replica, .generation = ++generations_[pool][replica]});
}

void Dispatcher::drain() {
  // A second is sampled where something is due at its end or later, whoever has looked at the replicas before.
  const auto still_busy = [&](double at_s) {
    for (ReplicaPool& pool : pools_) pool.advance_all(std::nextafter(at_s, 0), *this);
    return std::ranges::any_of(pools_, &ReplicaPool::busy);
  };
  while (samples() && sampler_.next_s() <= until_s_ && still_busy(sampler_.next_s())) sample_replicas();
  if (gateway_) gateway_->close();
  for (ReplicaPool& pool : pools_) {
    pool.advance_all(until_s_, *this);
    if (until_s_ < Replica::infinity) duration_s_ = until_s_;
    pool.abandon(duration_s_, *this);
  }
  abandon_inbound(until_s_);
  if (gateway_) gateway_->abandon(duration_s_);
  if (scaling_) lifecycle_.close(duration_s_, recorder_);
  if (samples()) sampler_.tell(duration_s_, *options_.detail);
}

void Dispatcher::sample_replicas() {
  for (std::size_t number = 0; number < pools_.size(); ++number) {
    ReplicaPool& pool = pools_[number];
    pool.advance_all(sampler_.next_s(), *this);
    for (std::size_t i = 0; i < pool.size(); ++i)
      sampler_.sample(pool[i].view(), pool[i].pool(), lifecycle_.name({number, i}));
  }
  sampler_.end_of_second();
}

void Dispatcher::count_event(double now_s) {
  if (++events_ % events_per_progress_report != 0) return;
  if (options_.progress)
    options_.progress({.simulated_s = now_s,
                       .fraction_read = scenario_.workload->fraction_read(),
                       .arrived = arrived_,
                       .finished = finished_});
}

// Where it was turned away or lost, that is at this very instant. Copies that warm a cache and passes whose answer
// nobody waits for any more count as well: until their end things go on failing and being paid for.
void Dispatcher::request_done(const Request& request, const RequestRecord& record) {
  --in_pools_;
  lasts_until(record.status == RequestStatus::timed_out ? request.give_up_s : record.finish_s.value_or(now_s_));
  ++progress_;
  if (scaling_) {
    if (is_mirrored(request.id)) return;
    scaling_->finished(record);
  }
  const std::optional<Request> as_it_came = hand_overs_ ? hand_overs_->request_done(request.id) : std::nullopt;
  if (gateway_) return gateway_->pass_done(as_it_came.value_or(request), record, now_s_);
  finish(record);
  follow_up(as_it_came.value_or(request), record, 0);
}

/// What happens to requests is part of the run: shares are of its time, and GPUs are paid for all of it.
void Dispatcher::lasts_until(double at_s) { duration_s_ = std::max(duration_s_, std::min(at_s, until_s_)); }

void Dispatcher::finish(const RequestRecord& record) {
  recorder_.request(as_seen_by(record, until_s_));
  ++finished_;
  count_event(now_s_);
}

/// The client has known of its answer since `earliest_s` at the earliest.
void Dispatcher::follow_up(const Request& request, const RequestRecord& record, double earliest_s) {
  if (!request.awaited || record.status == RequestStatus::unfinished) return;
  const bool gave_up = record.status == RequestStatus::timed_out;  // a rejection is an answer, too
  const double answer_s = std::max(earliest_s, gave_up ? request.give_up_s : record.finish_s.value_or(now_s_));
  if (const auto next = scenario_.workload->follow_up(request, answer_s)) send(*next);
}

void Dispatcher::request_waited(PoolId pool, double from_s, double to_s) { recorder_.waiting(pool, from_s, to_s); }
void Dispatcher::request_ran(PoolId pool, double from_s, double to_s) { recorder_.running(pool, from_s, to_s); }
void Dispatcher::token_gap(PoolId pool, double gap_s, std::int64_t count) { recorder_.token_gap(pool, gap_s, count); }

bool Dispatcher::wants_members(double start_s) const {
  return options_.detail && options_.detail->wants_step(start_s);
}

void Dispatcher::step_done(const StepRecord& step, std::span<const StepMember> who) {
  poll();
  ++progress_;
  recorder_.step(step);
  duration_s_ = std::max(duration_s_, step.end_s);
  if (samples()) sampler_.step(step);
  if (wants_members(step.start_s)) options_.detail->step(step, who);
}

}  // namespace servecast
