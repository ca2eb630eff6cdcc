#include "sim/engine/cluster/replica_maker.h"

#include "sim/engine/cluster/make_experts.h"
#include "sim/input/scenario/scenario.h"
#include "sim/serving/replica/replica.h"

namespace servecast {
namespace {

// Every GPU of the replica, or of a rank where there are several, copies its own share of a block over its own link
// to the host: keys and values of each layer lie apart, as in vLLM 0's cache, whose swapping this is.
SwapSpace swap_space(const Pool& pool, const KvCache& cache) {
  if (pool.spec.preemption.mode != "swap" || cache.growth_tokens() == 0) return {};
  const double block_bytes = pool.kv_token_bytes_per_gpu() * static_cast<double>(cache.growth_tokens()) /
                             static_cast<double>(cache.groups().groups);
  const auto ranks = static_cast<double>(pool.shape().ranks());
  const auto layers = static_cast<double>(pool.llm.layers) /
                      static_cast<double>(pool.shape().pipeline_parallel * cache.groups().groups);
  return {.blocks = static_cast<std::int64_t>(pool.spec.preemption.swap_space_bytes / block_bytes),
          .block = {.bytes = ranks * block_bytes, .pieces = 2 * layers},
          .out = pool.transfers.d2h,
          .in = pool.transfers.h2d};
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

std::unique_ptr<EarlyExits> make_early_exits(const Pool& pool, ReplicaId id, std::uint64_t seed) {
  const auto policy = pool.spec.early_exit.make();
  auto layers = policy->exits(pool.llm);
  if (!layers) return nullptr;
  Rng rng(seed, "early_exit/" + pool.spec.name + "/" + std::to_string(index(id)));
  return std::make_unique<EarlyExits>(std::move(*layers), policy->tokens_per_draft(), std::move(rng));
}

FirstUseSetup first_uses(const Pool& pool) {
  const FirstUsePool of = pool.first_use();
  return {.left = first_waits(pool.engine.first_use, of),
          .new_process = new_process_waits(pool.engine.first_use, of)};
}

}  // namespace

ReplicaMaker::ReplicaMaker(const Scenario& scenario, PoolId id, ReplicaId first, bool ask_every_step)
    : pool_(scenario.pools[index(id)]),
      node_(scenario.group_of(pool_).node),
      id_(id),
      first_(index(first)),
      seed_(static_cast<std::uint64_t>(scenario.spec.seed)),
      ask_every_step_(ask_every_step),
      shared_tier_(make_shared_tier(pool_)) {}

ReplicaMaker::~ReplicaMaker() = default;

Replica ReplicaMaker::operator()(std::size_t i) const {
  auto cache = pool_.make_kv_cache();
  const SwapSpace swap = swap_space(pool_, *cache);
  const ReplicaId replica{static_cast<std::uint32_t>(first_ + i)};
  AnswerPath answers = pool_.engine.answer_path();
  answers.piece_s *= pool_.draw.steps_factor / static_cast<double>(pool_.shape().ranks());  // each has a front end
  answers.pieces_per_token = pool_.spec.stream_interval > 0 ? 1 / static_cast<double>(pool_.spec.stream_interval) : 0;
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
                  .ranks = pool_.shape().ranks(),
                  .stage_sends = {pool_.sends(Reach::inside_node), pool_.sends(Reach::across_nodes)},
                  .power = pool_.gpu.power,
                  .power_cap_w = pool_.power_cap_w(),
                  .attention_chunk = pool_.llm.attention_chunk,
                  .answers = answers,
                  .max_depth = pool_.engine.scheduling_depth,
                  .waiting_blocks_fraction = pool_.waiting_blocks_fraction,
                  .chunked_pipeline = pool_.chunked_pipeline,
                  .decode_answers = pool_.decode_answers,
                  .early_exits = make_early_exits(pool_, replica, seed_),
                  .adapters = pool_.adapters,
                  .first_uses = first_uses(pool_),
                  .speculator = make_speculator(pool_, seed_),
                  .partition = pool_.spec.placement.make()->sm_partition(),
                  .ask_every_step = ask_every_step_});
}

}  // namespace servecast
