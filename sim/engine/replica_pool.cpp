#include "sim/engine/replica_pool.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace servecast {
namespace {

// Every GPU of the replica copies its own share of a block over its own link to the host.
SwapSpace swap_space(const Pool& pool, const KvCache& cache) {
  if (pool.spec.preemption.mode != "swap" || cache.growth_tokens() == 0) return {};
  const double token_bytes = pool.memory.kv_pool_bytes / static_cast<double>(pool.memory.kv_pool_tokens);
  const double block_bytes = token_bytes * static_cast<double>(cache.growth_tokens());
  return {.blocks = static_cast<std::int64_t>(pool.spec.preemption.swap_space_bytes / block_bytes),
          .out_s = block_bytes / pool.gpu.pcie_d2h_bytes_per_s,
          .in_s = block_bytes / pool.gpu.pcie_h2d_bytes_per_s};
}

}  // namespace

ReplicaPool::ReplicaPool(const Pool& pool, const KvCopy& kv_copy, PoolId id, ReplicaId first, std::uint64_t seed,
                         bool ask_every_step)
    : router_(pool.spec.router.make()),
      admission_(pool.spec.admission.make()),
      looked_at_(router_->reads_state() || admission_->reads_state()),
      signal_delay_s_(pool.spec.signal_delay_s),
      pace_(pool, kv_copy),
      rng_(seed, "router/" + pool.spec.name),
      first_(index(first)) {
  for (std::int64_t i = 0; i < pool.spec.replicas; ++i) {
    auto cache = pool.spec.kv_cache.make();
    cache->resize(pool.memory.kv_pool_tokens);
    const SwapSpace swap = swap_space(pool, *cache);
    replicas_.emplace_back(ReplicaSetup{.id = ReplicaId(first_ + static_cast<std::size_t>(i)),
                                        .pool = id,
                                        .latency = pool.latency.get(),
                                        .batcher = pool.spec.batcher.make(),
                                        .queue = pool.spec.queue.make(),
                                        .kv_cache = std::move(cache),
                                        .swap = swap,
                                        .tensor_parallel = pool.spec.tensor_parallel,
                                        .power = pool.gpu.power,
                                        .power_cap_w = pool.spec.power_cap_w.value_or(pool.gpu.power.cap_w),
                                        .answers = pool.engine.answer_path(),
                                        .max_depth = pool.engine.scheduling_depth,
                                        .ask_every_step = ask_every_step});
    if (pool.spec.start == "cold") replicas_.back().set_not_ready();
    views_.push_back(replicas_.back().view());
  }
  next_due_.assign(std::vector<std::int64_t>(replicas_.size(), std::bit_cast<std::int64_t>(Replica::infinity)));
}

std::optional<Destination> ReplicaPool::route(const Request& request, double now_s, ReplicaListener& listener) {
  if (looked_at_) advance_all(now_s, listener);
  const PoolAnswers answers(replicas_, pace_);
  const ReplicaViews replicas(views_, changed_, answers);
  if (!admission_->admits(request, replicas)) return std::nullopt;
  const std::optional<Route> route = router_->pick(request, replicas, rng_);
  changed_.clear();
  if (!route) return std::nullopt;
  Destination to{.replica = index(route->replica) - first_, .copy_tokens = route->copy_tokens};
  assert(to.replica < replicas_.size() && "a router picks one of the replicas it was shown");
  if (to.copy_tokens > 0) to.copy_s = answers.copy_s(index(route->copy_from) - first_, to.replica, to.copy_tokens);
  return to;
}

void ReplicaPool::deliver(const Request& request, const Destination& to, double now_s, ReplicaListener& listener) {
  Replica& replica = replicas_[to.replica];
  replica.advance(now_s, listener);
  if (to.copy_tokens > 0) replica.adopt(request, to.copy_tokens);
  replica.enqueue(request, now_s, listener);
  refresh(to.replica);
}

double ReplicaPool::next_signal_s(double at_s) const {
  if (!signals()) return Replica::infinity;
  double last = std::floor(at_s / signal_delay_s_);
  if (last * signal_delay_s_ > at_s) last -= 1;  // the quotient was rounded up, or below: down
  if ((last + 1) * signal_delay_s_ <= at_s) last += 1;
  const double last_s = last * signal_delay_s_;
  return last_s > signalled_s_ ? last_s : Replica::infinity;
}

void ReplicaPool::signal(double now_s, ReplicaListener& listener) {
  advance_all(now_s, listener);
  signalled_s_ = now_s;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    views_[i] = replicas_[i].view();
    changed_.push_back(static_cast<std::uint32_t>(i));
  }
}

void ReplicaPool::advance(std::size_t i, double until_s, ReplicaListener& listener) {
  replicas_[i].advance(until_s, listener);
  refresh(i);
}

void ReplicaPool::advance_all(double until_s, ReplicaListener& listener) {
  while (next_due_s() <= until_s && next_due_s() < Replica::infinity) advance(next_due_.least(), until_s, listener);
}

void ReplicaPool::start(std::size_t i, ReplicaListener& listener) {
  replicas_[i].start(listener);
  refresh(i);
}

void ReplicaPool::start_all(ReplicaListener& listener) {
  for (std::size_t i = 0; i < replicas_.size(); ++i) start(i, listener);
}

void ReplicaPool::set_ready(std::size_t i, double now_s) {
  replicas_[i].set_ready(now_s);
  refresh(i);
}

void ReplicaPool::abandon(double now_s, ReplicaListener& listener) {
  for (Replica& replica : replicas_) replica.abandon(now_s, listener);
}

void ReplicaPool::refresh(std::size_t i) {
  if (looked_at_ && !signals()) {
    views_[i] = replicas_[i].view();
    changed_.push_back(static_cast<std::uint32_t>(i));
  }
  next_due_.set(i, std::bit_cast<std::int64_t>(replicas_[i].next_due_s()));
}

}  // namespace servecast
