#include "sim/engine/replica_pool.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/engine/make_experts.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

// Every GPU of the replica, or of a rank where there are several, copies its own share of a block over its own link
// to the host.
SwapSpace swap_space(const Pool& pool, const KvCache& cache) {
  if (pool.spec.preemption.mode != "swap" || cache.growth_tokens() == 0) return {};
  const double block_bytes = pool.kv_token_bytes_per_gpu() * static_cast<double>(cache.growth_tokens());
  const auto ranks = static_cast<double>(pool.shape().ranks());
  return {.blocks = static_cast<std::int64_t>(pool.spec.preemption.swap_space_bytes / block_bytes),
          .out_s = ranks * block_bytes / pool.gpu.pcie_d2h_bytes_per_s,
          .in_s = ranks * block_bytes / pool.gpu.pcie_h2d_bytes_per_s};
}

std::int64_t capacity_tokens(const Pool& pool, const KvTierSpec& level) {
  return static_cast<std::int64_t>(level.capacity_bytes / pool.kv_token_bytes());
}

std::unique_ptr<SharedTier> make_shared_tier(const Pool& pool) {
  const auto& levels = pool.spec.kv_tiers.levels;
  if (levels.empty() || levels.back().kind != "shared") return nullptr;
  return std::make_unique<SharedTier>(capacity_tokens(pool, levels.back()), levels.back().eviction.make());
}

std::unique_ptr<KvTiers> make_tiers(const Pool& pool, ReplicaId id, SharedTier* shared) {
  if (pool.spec.kv_tiers.levels.empty()) return nullptr;
  std::vector<KvTiers::Tier> tiers;
  for (const KvTierSpec& level : pool.spec.kv_tiers.levels) {
    tiers.push_back({.write = level.write == "through" ? TierWrite::through : TierWrite::on_evict});
    if (level.kind == "shared")
      tiers.back().shared = shared;
    else
      tiers.back().own = std::make_unique<TierStore>(capacity_tokens(pool, level), level.eviction.make());
  }
  return std::make_unique<KvTiers>(id, std::move(tiers), pool.shape().ranks());
}

std::unique_ptr<Speculator> make_speculator(const Pool& pool, std::uint64_t seed) {
  auto policy = pool.spec.speculation();
  if (policy->max_drafts() == 0) return nullptr;
  const std::uint64_t key = Rng(seed, "speculative/" + pool.spec.name).below(std::uint64_t{1} << 53);
  Acceptance acceptance(policy->acceptance(), pool.acceptance_trace, key);
  return std::make_unique<Speculator>(std::move(policy), std::move(acceptance));
}

std::optional<Exits> make_exits(const Pool& pool, ReplicaId id, std::uint64_t seed) {
  const auto policy = pool.spec.early_exit.make();
  auto layers = policy->exits(pool.llm);
  if (!layers) return std::nullopt;
  Rng rng(seed, "early_exit/" + pool.spec.name + "/" + std::to_string(index(id)));
  return Exits(std::move(*layers), policy->tokens_per_draft(), std::move(rng));
}

}  // namespace

ReplicaPool::ReplicaPool(const Pool& pool, const KvCopy& kv_copy, PoolId id, ReplicaId first, std::uint64_t seed,
                         const Node& node, bool ask_every_step)
    : pool_(pool),
      node_(node),
      id_(id),
      seed_(seed),
      ask_every_step_(ask_every_step),
      router_(pool.spec.router.make()),
      admission_(pool.spec.admission.make()),
      looked_at_(router_->reads_state() || admission_->reads_state()),
      signal_delay_s_(pool.spec.signal_delay_s),
      pace_(pool, kv_copy),
      rng_(seed, "router/" + pool.spec.name),
      first_(index(first)),
      shared_tier_(make_shared_tier(pool)) {
  const auto replicas = static_cast<std::size_t>(pool.spec.replicas);
  for (std::size_t i = 0; i < replicas; ++i) {
    replicas_.push_back(make_replica(i));
    if (pool.spec.start == "cold") replicas_.back().set_not_ready();
    shown_.push_back(static_cast<std::uint32_t>(i));
    place_of_.push_back(static_cast<std::uint32_t>(i));
    views_.push_back(replicas_.back().view());
  }
  lives_.assign(replicas, 0);
  next_due_.assign(std::vector<std::int64_t>(replicas_.size(), std::bit_cast<std::int64_t>(Replica::infinity)));
}

Replica ReplicaPool::make_replica(std::size_t i) const {
  auto cache = pool_.spec.kv_cache.make();
  cache->resize(pool_.memory.kv_pool_tokens);
  const SwapSpace swap = swap_space(pool_, *cache);
  const ReplicaId replica{static_cast<std::uint32_t>(first_ + i)};
  AnswerPath answers = pool_.engine.answer_path();
  answers.sequence_s /= static_cast<double>(pool_.shape().ranks());  // each has a front end
  return Replica({.id = replica,
                  .pool = id_,
                  .latency = pool_.latency.get(),
                  .batcher = pool_.spec.batcher.make(),
                  .queue = pool_.spec.queue.make(),
                  .kv_cache = std::move(cache),
                  .swap = swap,
                  .tiers = make_tiers(pool_, replica, shared_tier_.get()),
                  .fetch = {.only_if_faster = pool_.spec.kv_tiers.fetch == "if_faster",
                            .on_arrival = pool_.spec.kv_tiers.prefetch,
                            .layers = pool_.spec.kv_tiers.layer_wise ? pool_.llm.layers : 0},
                  .experts = make_experts(pool_, static_cast<std::int64_t>(i), seed_, node_),
                  .stage_gpus = pool_.shape().gpus_per_stage(),
                  .across_nodes = pool_.across_nodes(),
                  .power = pool_.gpu.power,
                  .power_cap_w = pool_.spec.power_cap_w.value_or(pool_.gpu.power.cap_w),
                  .answers = answers,
                  .max_depth = pool_.engine.scheduling_depth,
                  .waiting_blocks_fraction = pool_.waiting_blocks_fraction,
                  .chunked_pipeline = pool_.chunked_pipeline,
                  .exits = make_exits(pool_, replica, seed_),
                  .adapters = pool_.adapters,
                  .speculator = make_speculator(pool_, seed_),
                  .partition = pool_.spec.placement.make()->sm_partition(),
                  .ask_every_step = ask_every_step_});
}

bool ReplicaPool::admits(const Request& request, ReplicaPool* decoding, double now_s, ReplicaListener& listener) {
  if (looked_at_) advance_all(now_s, listener);
  const PoolAnswers answers(replicas_, shown_, pace_);
  if (!decoding || !decoding->anyone_serves() || !admission_->reads_state())
    return admission_->admits(request, {views_, changed_, answers, nullptr, comings_});
  decoding->advance_all(now_s, listener);
  const PoolAnswers decode_answers(decoding->replicas_, decoding->shown_, decoding->pace_);
  const ReplicaViews decode_views(decoding->views_, decoding->changed_, decode_answers, nullptr, decoding->comings_);
  return admission_->admits(request, {views_, changed_, answers, &decode_views, comings_});
}

bool ReplicaPool::admits_decode(const Request& request, ReplicaPool& decoding, double now_s,
                                ReplicaListener& listener) {
  if (!admission_->reads_state() || !decoding.anyone_serves()) return true;
  decoding.advance_all(now_s, listener);
  const PoolAnswers answers(decoding.replicas_, decoding.shown_, decoding.pace_);
  return admission_->admits_decode(request,
                                   {decoding.views_, decoding.changed_, answers, nullptr, decoding.comings_});
}

std::optional<Destination> ReplicaPool::pick(const Request& request, double now_s, ReplicaListener& listener) {
  if (looked_at_) advance_all(now_s, listener);
  const PoolAnswers answers(replicas_, shown_, pace_);
  const std::optional<Route> route = router_->pick(request, {views_, changed_, answers, nullptr, comings_}, rng_);
  changed_.clear();
  if (!route) return std::nullopt;
  Destination to{.replica = index(route->replica) - first_, .copy_tokens = route->copy_tokens};
  assert(to.replica < replicas_.size() && serves(to.replica) && "a router picks one of the replicas it was shown");
  if (to.copy_tokens == 0) return to;
  to.copy_from = index(route->copy_from) - first_;
  to.copy_s = pace_.copy.seconds(to.copy_from, to.replica, to.copy_tokens);
  return to;
}

void ReplicaPool::deliver(const Request& request, const Destination& to, Serve serve, double now_s,
                          ReplicaListener& listener) {
  Replica& replica = replicas_[to.replica];
  replica.advance(now_s, listener);
  if (to.copy_tokens > 0) replica.adopt(request, to.copy_tokens);
  replica.enqueue(request, now_s, listener, serve);
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
  for (std::size_t place = 0; place < shown_.size(); ++place) {
    views_[place] = replicas_[shown_[place]].view();
    changed_.push_back(static_cast<std::uint32_t>(place));
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

void ReplicaPool::set_ready(std::size_t i, double now_s, ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);  // clients may have given up meanwhile
  replicas_[i].set_ready(now_s);
  refresh(i);
}

void ReplicaPool::connect(TransferPort& port) {
  for (Replica& replica : replicas_) replica.connect(port);
}

bool ReplicaPool::arrived(std::size_t i, Token token, double now_s, ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);
  const bool held_blocks = replicas_[i].arrived(token, now_s, listener);
  advance(i, now_s, listener);
  return held_blocks;
}

void ReplicaPool::set_contended(std::size_t i, OwnTraffic traffic, bool contended, double now_s,
                                ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);
  if (contended) replicas_[i].start(listener);
  replicas_[i].set_contended(traffic, contended, now_s, listener);
  refresh(i);
}

void ReplicaPool::abandon(double now_s, ReplicaListener& listener) {
  if (shared_tier_) shared_tier_->look(Replica::infinity);
  for (Replica& replica : replicas_) replica.abandon(now_s, listener);
}

void ReplicaPool::refresh(std::size_t i) {
  if (looked_at_ && !signals() && serves(i)) {
    views_[place_of_[i]] = replicas_[i].view();
    changed_.push_back(place_of_[i]);
  }
  next_due_.set(i, std::bit_cast<std::int64_t>(replicas_[i].next_due_s()));
}

}  // namespace servecast
