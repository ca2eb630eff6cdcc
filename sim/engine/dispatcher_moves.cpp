// What those ask of the dispatcher who move requests from one replica to another, experts, or adapters.
#include <algorithm>

#include "sim/engine/dispatcher.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"

namespace servecast {

void Dispatcher::expect_looks_of_gates() {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const std::optional<std::size_t> decode_pool = scenario_.pools[i].decode_pool;
    if (decode_pool && pools_[i].gate_reads_state()) pools_[*decode_pool].expect_looks();
  }
}

void Dispatcher::set_wiring(const Wiring& wiring) {
  const auto hands_over = [](const Pool& pool) {
    return pool.decode_pool || pool.spec.placement.make()->prefill_replicas() > 0;
  };
  if (std::ranges::any_of(scenario_.pools, hands_over))
    hand_overs_.emplace(scenario_, wiring, flows_, recorder_, static_cast<ReplicaAccess&>(*this));
  prefix_routes_.emplace(scenario_, wiring, "kv_copy");
  if (scenario_.spec.failures)
    failures_.emplace(scenario_, wiring, flows_, lifecycle_, static_cast<Failures::Cluster&>(*this));
  for (const ReplicaPool& pool : pools_) step_models_.push_back(pool.steps());
  if (servecast::scales(scenario_)) scaling_.emplace(scenario_, lifecycle_, static_cast<Scaling::Pools&>(*this));
  lifecycle_.begin(weight_loads_.emplace(scenario_, wiring, flows_));
  if (migrates(scenario_))
    migrations_.emplace(scenario_, wiring, flows_, recorder_, static_cast<ReplicaAccess&>(*this));
}

// Over the links between the two replicas, which others may use as well.
void Dispatcher::copy_first(Copying copying, double now_s) {
  const Destination& to = copying.to;
  if (!prefix_routes_) {
    copying.due_s = std::min(now_s + to.copy_s, copying.request.give_up_s);
    return copying_.push(std::move(copying));
  }
  const RequestId id = copying.request.id;
  const std::size_t pool = index(copying.request.pool);
  const ReplicaAt from{to.copy_pool.value_or(pool), to.copy_from};
  auto flows = prefix_routes_->transfers(from, {pool, to.replica}, id, static_cast<double>(to.copy_tokens));
  if (copying.request.give_up_s < Replica::infinity) copy_give_ups_.emplace(copying.request.give_up_s, id);
  copied_by_flows_.emplace(id, std::move(copying));
  flows_.start(std::move(flows), now_s, [this, id](double end_s) { copied(id, end_s); });
}

double Dispatcher::next_copy_due_s() {
  const double give_up_s = copy_give_ups_.empty() ? Replica::infinity : copy_give_ups_.begin()->first;
  return copying_.empty() ? give_up_s : std::min(give_up_s, copying_.top().due_s);
}

// All of it is there, or its client does not wait for it any longer: the flows go on for nobody then.
void Dispatcher::copied(RequestId id, double end_s) {
  auto found = copied_by_flows_.extract(id);
  if (found.empty()) return;
  Copying& done = found.mapped();
  copy_give_ups_.erase({done.request.give_up_s, id});
  done.due_s = end_s;
  copying_.push(std::move(done));
}

void Dispatcher::deliver_copied(double now_s) {
  while (!copy_give_ups_.empty() && copy_give_ups_.begin()->first <= now_s)
    copied(copy_give_ups_.begin()->second, now_s);
  for (; !copying_.empty() && copying_.top().due_s <= now_s; copying_.pop()) {
    const Copying& due = copying_.top();
    recorder_.waiting(due.request.pool, due.since_s, due.due_s);
    if (due.request.give_up_s <= now_s)
      turn_away(due.request, RequestStatus::timed_out);
    else
      deliver(due.request, due.serve, due.to, now_s);
  }
}

// Idle pools are left alone. One that has done all its steps may still look busy here, and is looked at in vain.
double Dispatcher::next_migration_check_s() {
  double at_s = Replica::infinity;
  if (!migrations_) return at_s;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool)
    if (pools_[pool].busy()) at_s = std::min(at_s, migrations_->next_check_s(pool));
  return at_s;
}

// What it would have copied first is left out: that of a pool that decodes for another copies nothing, see
// check_placements(), and who goes on elsewhere is not held up by it.
std::optional<ReplicaAt> Dispatcher::route(std::size_t pool, const Request& request, double now_s) {
  const auto to = pools_[pool].pick(request, now_s, *this);
  return to ? std::optional(ReplicaAt{pool, to->replica}) : std::nullopt;
}

bool Dispatcher::admits_decode(const Request& request, std::size_t decode_pool, double now_s) {
  if (pools_[index(request.pool)].admits_decode(request, pools_[decode_pool], now_s, *this)) return true;
  turn_away(request, RequestStatus::shed);
  return false;
}

Replica& Dispatcher::advanced(const ReplicaAt& at, double now_s) {
  pools_[at.pool].advance(at.replica, now_s, *this);
  return pools_[at.pool][at.replica];
}

// A sequence on its way from one replica to another holds memory on both, even where its client has left.
void Dispatcher::changed(const ReplicaAt& at) {
  lasts_until(now_s_);
  pools_[at.pool].refresh(at.replica);
  touch(at.pool, at.replica);
}

Departure Dispatcher::depart(const ReplicaAt& at, Slot slot, double now_s) {
  Replica& replica = advanced(at, now_s);
  Departure departure = replica.depart(slot, now_s, *this);
  changed(at);
  return departure;
}

// All that is due at this instant is done: whoever was changed by it goes on, and so do those who wait for that.
void Dispatcher::start_touched(double now_s) {
  do {
    watch_touched();
    if (hand_overs_) hand_overs_->settle(now_s);
  } while (!touched_.empty());
}

std::optional<MovingSequence> Dispatcher::recall_import(const ReplicaAt& at, Slot slot, double now_s) {
  auto sequence = advanced(at, now_s).recall_import(slot, now_s, *this);
  changed(at);
  return sequence;
}

void Dispatcher::prompt_done(ReplicaId, Ticket place, const MovingSequence& sequence) {
  hand_overs_->prompt_done(place, sequence, now_s_);
}
void Dispatcher::chunk_launched(const PromptChunk& chunk) { hand_overs_->chunk_launched(chunk); }
void Dispatcher::prompt_restarts(RequestId id) { hand_overs_->prompt_restarts(id, now_s_); }
void Dispatcher::import_has_room(RequestId id, Ticket place, std::int64_t cached_tokens) {
  hand_overs_->import_has_room(id, place, cached_tokens);
}

}  // namespace servecast
