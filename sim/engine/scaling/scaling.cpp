#include "sim/engine/scaling/scaling.h"

#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/cluster/pending_queue.h"
#include "sim/engine/facts/scenario_facts.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/latency.h"

namespace servecast {
namespace {

constexpr std::uint32_t first_copy_id = 0xffffffff;

}  // namespace

bool scales(const Scenario& scenario) {
  return std::ranges::any_of(scenario.pools, [](const Pool& pool) { return pool.spec.scales(); });
}

Scaling::Scaling(const Scenario& scenario, Cluster& cluster, const PendingQueue& pending)
    : scenario_(scenario), cluster_(cluster), pending_(pending), slo_(slo_facts(scenario)) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool)
    states_.push_back(scenario.pools[pool].spec.scales() ? state(pool) : PoolState{});
}

Scaling::PoolState Scaling::state(std::size_t number) const {
  const PoolSpec& pool = scenario_.pools[number].spec;
  auto steps = std::make_unique<PoolAnswers>(cluster_.pools()[number].routing().steps());
  auto capacity = std::make_unique<SteadyCapacity>(*steps, capacity_bounds(number));
  return {.scaler = pool.autoscaler.make(),
          .steps = std::move(steps),
          .capacity = std::move(capacity),
          .spec = pool.scaling.value_or(ScalingSpec{}),
          .mirror_rng = Rng(static_cast<std::uint64_t>(scenario_.spec.seed), "mirror/" + pool.name)};
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
  std::vector<PoolState*> pools{&states_[index(pool)]};
  if (const auto decode_pool = scenario_.pools[index(pool)].decode_pool) pools.push_back(&states_[*decode_pool]);
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

double Scaling::next_s() const {
  double at_s = Replica::infinity;
  for (const PoolState& pool : states_)
    if (pool.scaler) at_s = std::min(at_s, pool.next_evaluation_s);
  return at_s;
}

void Scaling::evaluate_due(double now_s) {
  for (std::size_t pool = 0; pool < states_.size(); ++pool)
    if (states_[pool].scaler && states_[pool].next_evaluation_s <= now_s) evaluate(pool, now_s);
}

void Scaling::evaluate(std::size_t pool, double now_s) {
  PoolState& p = states_[pool];
  ReplicaPool& replicas = cluster_.pools()[pool];
  replicas.advance_all(now_s);
  std::vector<ReplicaView> views;
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (cluster_.lifecycle().serves({pool, i})) views.push_back(replicas[i].view());
  p.load.now_s = now_s;
  p.load.serving = views;
  p.load.coming = cluster_.lifecycle().coming(pool);
  p.load.pending_requests = pending_.count(PoolId(pool));
  p.load.block_tokens = p.steps->block_tokens();
  p.load.slo_target_fraction = slo_.target_fraction.value_or(1);
  p.load.capacity = p.capacity.get();
  const std::int64_t least = std::max<std::int64_t>(p.spec.min_replicas, p.load.pending_requests > 0 ? 1 : 0);
  cluster_.lifecycle().want(pool, std::clamp(p.scaler->wanted(p.load), least, scenario_.pools[pool].spec.replicas));
  p.load = {.since_s = now_s};
  p.next_evaluation_s = p.scaler->next_evaluation_s(now_s);
}

// Copies ask for one token, since what fills a cache is the prompt. Their ids count down from the highest there is.
std::vector<Scaling::Copy> Scaling::copies_of(const Request& request) {
  PoolState& p = states_[index(request.pool)];
  if (!p.scaler || !p.spec.mirror) return {};
  forget_ended();
  std::vector<Copy> copies;
  for (const ReplicaAt& at : cluster_.lifecycle().mirroring(index(request.pool))) {
    if (p.mirror_rng.uniform() >= p.spec.mirror->fraction) continue;
    Request copy = request;
    copy.id = RequestId{first_copy_id - copies_++};
    copy.output_tokens = 1;
    copy.samples = 1;
    copy.beam_width = 1;
    copy.awaited = false;
    copy.give_up_s = Request::forever;
    keep_blocks(copy);
    copies.push_back({at, copy});
    ++p.mirrored;
  }
  return copies;
}

// The workload keeps those of the request itself, until that has ended.
void Scaling::keep_blocks(Request& copy) {
  std::vector<BlockHash>& blocks = blocks_[copy.id];
  blocks.assign(copy.said().begin(), copy.said().end());
  if (!copy.said_blocks.empty()) copy.said_blocks = blocks;
  copy.prefix_blocks = std::span(blocks).first(copy.prefix_blocks.size());
}

// Replicas that report an end may ask for the blocks once more in that instant.
void Scaling::forget_ended() {
  for (const RequestId id : ended_) blocks_.erase(id);
  ended_.clear();
}

bool Scaling::copy_ended(RequestId id) {
  const bool is_copy = blocks_.contains(id);
  if (is_copy) ended_.push_back(id);
  return is_copy;
}

std::vector<ScalingTotals> Scaling::totals() const {
  std::vector<ScalingTotals> all;
  for (std::size_t pool = 0; pool < states_.size(); ++pool) {
    if (!states_[pool].scaler) continue;
    all.push_back(cluster_.lifecycle().totals(pool));
    all.back().pool = scenario_.pools[pool].spec.name;
    all.back().autoscaler = scenario_.pools[pool].spec.autoscaler.policy();
    all.back().mirrored = states_[pool].mirrored;
  }
  return all;
}

}  // namespace servecast
