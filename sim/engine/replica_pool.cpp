#include "sim/engine/replica_pool.h"

#include <algorithm>
#include <cassert>

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

ReplicaPool::ReplicaPool(const Pool& pool, PoolId id, ReplicaId first, std::uint64_t seed, bool ask_every_step)
    : router_(pool.spec.router.make()), rng_(seed, "router/" + pool.spec.name), first_(index(first)) {
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
                                        .waiting_blocks_fraction = pool.waiting_blocks_fraction,
                                        .chunked_pipeline = pool.chunked_pipeline,
                                        .ask_every_step = ask_every_step});
    if (pool.spec.start == "cold") replicas_.back().set_not_ready();
    views_.push_back(replicas_.back().view());
  }
  next_due_.assign(std::vector<std::int64_t>(replicas_.size(), std::bit_cast<std::int64_t>(Replica::infinity)));
}

std::size_t ReplicaPool::route(const Request& request, double now_s, ReplicaListener& listener) {
  if (router_->reads_state()) advance_all(now_s, listener);
  const std::size_t picked = index(router_->pick(request, {views_, changed_}, rng_)) - first_;
  changed_.clear();
  assert(picked < replicas_.size() && "a router picks one of the replicas it was shown");
  return picked;
}

std::size_t ReplicaPool::deliver(const Request& request, double now_s, ReplicaListener& listener) {
  const std::size_t picked = route(request, now_s, listener);
  replicas_[picked].advance(now_s, listener);
  replicas_[picked].enqueue(request, now_s, listener);
  refresh(picked);
  return picked;
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
  views_[i] = replicas_[i].view();
  if (router_->reads_state()) changed_.push_back(static_cast<std::uint32_t>(i));
  next_due_.set(i, std::bit_cast<std::int64_t>(replicas_[i].next_due_s()));
}

}  // namespace servecast
