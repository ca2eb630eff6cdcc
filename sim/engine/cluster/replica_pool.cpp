#include "sim/engine/cluster/replica_pool.h"

#include "sim/input/scenario/scenario.h"

namespace servecast {

ReplicaPool::ReplicaPool(const Scenario& scenario, PoolId id, ReplicaId first, ReplicaListener& listener,
                         bool ask_every_step)
    : listener_(listener),
      make_(scenario, id, first, ask_every_step),
      replicas_(make_all(scenario.pools[index(id)])),
      routing_(scenario, id, first, replicas_),
      may_skip_(!ask_every_step && !make_.shared_tier()) {
  next_due_.assign(std::vector<std::int64_t>(replicas_.size(), std::bit_cast<std::int64_t>(Replica::infinity)));
}

std::vector<Replica> ReplicaPool::make_all(const Pool& pool) const {
  std::vector<Replica> replicas;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pool.spec.replicas); ++i) {
    replicas.push_back(make_(i));
    if (pool.spec.start == "cold") replicas.back().set_not_ready();
  }
  return replicas;
}

PoolRouting& ReplicaPool::routing(double now_s) {
  if (routing_.reads_state()) advance_seen(now_s);
  return routing_;
}

void ReplicaPool::advance(std::size_t i, double until_s) {
  replicas_[i].advance(until_s, listener_);
  refresh(i);
}

void ReplicaPool::advance_all(double until_s) {
  if (!skips_decodes()) return advance_seen(until_s);
  for (std::size_t i = 0; i < replicas_.size(); ++i)
    if (replicas_[i].next_due_s() <= until_s) advance(i, until_s);
}

void ReplicaPool::advance_seen(double until_s) {
  while (next_due_s() <= until_s && next_due_s() < Replica::infinity) advance(next_due_.least(), until_s);
}

void ReplicaPool::refresh(std::size_t i) {
  routing_.refresh(i);
  const Replica& replica = replicas_[i];
  next_due_.set(i, std::bit_cast<std::int64_t>(skips_decodes() ? replica.next_change_s() : replica.next_due_s()));
}

void ReplicaPool::deliver(std::size_t i, const Request& request, Serve serve, std::int64_t copied_tokens,
                          double now_s) {
  change(i, now_s, [&](Replica& replica) {
    if (copied_tokens > 0) replica.adopt(request, copied_tokens);
    replica.enqueue(request, now_s, listener_, serve);
  });
}

void ReplicaPool::start(std::size_t i) {
  replicas_[i].start(listener_);
  refresh(i);
}

void ReplicaPool::start_all() {
  for (std::size_t i = 0; i < replicas_.size(); ++i) start(i);
}

void ReplicaPool::connect(TransferPort& port) {
  for (Replica& replica : replicas_) replica.connect(port);
}

bool ReplicaPool::arrived(std::size_t i, Token token, double now_s) {
  replicas_[i].advance(now_s, listener_);
  const bool held_blocks = replicas_[i].arrived(token, now_s, listener_);
  advance(i, now_s);
  return held_blocks;
}

std::vector<MovingSequence> ReplicaPool::stop(std::size_t i, double now_s) {
  replicas_[i].advance(now_s, listener_);
  std::vector<MovingSequence> hit = replicas_[i].stop(now_s, listener_);
  former_.push_back(std::move(replicas_[i]));
  replicas_[i] = make_(i);
  replicas_[i].set_not_ready();
  replicas_[i].replaces(former_.back());
  routing_.set_shown(i, false);
  refresh(i);
  return hit;
}

void ReplicaPool::lose_memory(std::size_t i, double now_s) {
  if (SharedTier* tier = make_.shared_tier()) tier->forget(replicas_[i].core().id(), now_s);
}

void ReplicaPool::abandon(double now_s) {
  if (SharedTier* tier = make_.shared_tier()) tier->store_at(Replica::infinity);
  for (Replica& replica : replicas_) replica.abandon(now_s, listener_);
}

}  // namespace servecast
