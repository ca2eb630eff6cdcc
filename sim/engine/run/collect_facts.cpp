#include "sim/engine/run/collect_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "models/base/counts.h"
#include "models/hw/llm/answer_loss.h"
#include "models/policy/experts/accuracy_lost.h"
#include "sim/engine/cluster/cluster.h"
#include "sim/engine/facts/scenario_facts.h"
#include "sim/engine/facts/unused_gpus.h"
#include "sim/engine/links/transfer_routes.h"
#include "sim/engine/run/simulation.h"
#include "sim/input/scenario/pool_start.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/run_facts.h"

namespace servecast {
namespace {

/// Those that serve and those that have failed.
std::vector<const Replica*> all_of(const ReplicaPool& pool) {
  std::vector<const Replica*> all;
  for (std::size_t i = 0; i < pool.size(); ++i) all.push_back(&pool[i]);
  for (const Replica& replica : pool.former()) all.push_back(&replica);
  return all;
}

/// Sums over replicas; what they share is counted once.
std::vector<KvTierFacts> tier_facts(const Pool& pool, const ReplicaPool& replicas) {
  if (pool.spec.kv_tiers.levels.empty()) return {};
  std::vector<KvTierFacts> facts{{.tier = "gpu"}};
  const auto bytes = [&](std::int64_t tokens) { return static_cast<double>(tokens) * pool.kv_token_bytes(); };
  const auto add = [&](KvTierFacts& tier, const TierStore& store) {
    tier.written_bytes += bytes(store.written_tokens());
    tier.evicted_bytes += bytes(store.dropped_tokens());
  };
  for (const Replica* r : all_of(replicas)) facts.front().hit_tokens += r->core().totals.found_tokens;
  for (std::size_t tier = 0; tier < pool.spec.kv_tiers.levels.size(); ++tier) {
    facts.push_back({.tier = pool.spec.kv_tiers.levels[tier].kind});
    for (const Replica* r : all_of(replicas)) {
      facts.back().hit_tokens += r->core().setup.tiers->fetched_tokens(tier);
      if (const TierStore* own = (*r->core().setup.tiers)[tier].own.get()) add(facts.back(), *own);
    }
    facts.back().fetched_bytes = bytes(facts.back().hit_tokens);
    if (facts.back().tier == "shared") add(facts.back(), replicas.shared_tier()->store());
  }
  return facts;
}

ExpertModelFacts expert_model_facts(const Pool& pool, std::size_t model, const ExpertTotals::Model& totals) {
  const ExpertPlan::Model& plan = pool.experts->models[model];
  ExpertModelFacts f{.name = plan.name,
                     .experts = plan.experts,
                     .own_experts = static_cast<std::int64_t>(pool.experts->shared.own(model)),
                     .totals = totals};
  const AnswerLoss pruned = pruned_loss(
      pool.llm.name, static_cast<double>(plan.experts) / static_cast<double>(pool.experts->shape.experts));
  const double untuned = totals.tuned_gates > 0 ? totals.base_gates / totals.tuned_gates : 0;
  const AnswerLoss stand_ins = untuned_loss(plan.gained_points.value_or(0), untuned);
  if (untuned == 0 || plan.gained_points) f.lost_points = pruned.points + stand_ins.points;
  f.most_points = pruned.most_points + stand_ins.most_points;
  f.extrapolated = pruned.extrapolated || stand_ins.extrapolated;
  f.source = pruned.source + "; " + stand_ins.source;
  return f;
}

/// What each further model would take of its own, less the experts that it has of its own.
double shared_weight_bytes(const Pool& pool) {
  const ExpertPlan& plan = *pool.experts;
  const double of_all_layers = static_cast<double>(plan.shape.layers) * plan.expert_bytes;
  double bytes = 0;
  for (std::size_t model = 1; model < plan.models.size(); ++model)
    bytes += weight_bytes(pool.llm, pool.weights()) -
             of_all_layers * static_cast<double>(plan.shape.experts - plan.models[model].experts +
                                                 static_cast<std::int64_t>(plan.shared.own(model)));
  return bytes;
}

std::optional<ExpertFacts> expert_facts(const Pool& pool, const ReplicaPool& replicas) {
  if (!pool.experts) return std::nullopt;
  ExpertFacts f{.cache_fraction =
                    static_cast<double>(pool.experts->slots) / static_cast<double>(pool.experts->experts())};
  for (const Replica* r : all_of(replicas)) f.totals += r->core().pipeline.experts()->totals();
  const AccuracyLost lost = accuracy_lost(f.totals.gate_shares());
  f.quality = {lost.fraction, lost.least_fraction, lost.most_fraction, lost.extrapolated, lost.source};
  f.shared_bytes = shared_weight_bytes(pool);
  for (std::size_t model = 0; model < f.totals.models.size() && f.totals.models.size() > 1; ++model)
    f.models.push_back(expert_model_facts(pool, model, f.totals.models[model]));
  return f;
}

std::optional<DraftTotals> draft_totals(const ReplicaPool& replicas) {
  if (!replicas[0].core().setup.speculator) return std::nullopt;
  DraftTotals totals;
  for (const Replica* r : all_of(replicas)) totals += r->core().setup.speculator->totals();
  return totals;
}

std::optional<EarlyExitFacts> early_exit_facts(const Pool& pool, const ReplicaPool& replicas) {
  if (!replicas[0].core().setup.early_exits) return std::nullopt;
  EarlyExitFacts facts{.model_layers = pool.llm.layers,
                       .layers_per_token = replicas[0].core().setup.early_exits->layers().mean()};
  for (const Replica* r : all_of(replicas)) facts.totals += r->core().setup.early_exits->totals();
  if (const auto accuracy = pool.spec.early_exit.make()->accuracy(pool.llm)) {
    facts.lost_points = accuracy->lost_points;
    facts.accuracy_source = accuracy->source;
  }
  return facts;
}

/// Of weights that are narrower than published, and of how the model was made.
std::vector<AnswerLossFacts> answer_losses(const Pool& pool) {
  std::vector<AnswerLossFacts> all;
  const WeightTypes weights = pool.weights();
  const std::optional<AnswerLoss> loss = weights_loss(pool.llm, weights);
  const std::string change = "weights " + weights_name(weights);
  if (!loss)
    all.push_back({.change = change, .source = "no published result for this type"});
  else if (weights != pool.llm.published.own)
    all.push_back({change, loss->points, loss->least_points, loss->most_points, loss->extrapolated, loss->source});
  if (const std::optional<Derivation>& d = pool.llm.derivation)
    all.push_back({.change = d->how + " from " + d->from,
                   .lost_points = d->lost_points,
                   .least_points = d->lost_points,
                   .most_points = d->lost_points,
                   .source = d->source});
  return all;
}

/// GPUs paid for, mean over the run, where an autoscaler switches replicas on and off.
std::optional<double> rented_gpus(const Pool& pool, const Simulation& simulation, std::size_t number) {
  if (!pool.spec.scales()) return std::nullopt;
  const double gpu_s =
      simulation.cluster().lifecycle().totals(number).rented_s * static_cast<double>(pool.gpus_per_replica());
  return simulation.clock().duration_s() > 0 ? gpu_s / simulation.clock().duration_s() : 0;
}

PoolFacts pool_facts(const Pool& pool, const ReplicaPool& replicas, std::optional<double> rented_gpus,
                     double duration_s) {
  PoolFacts facts{.name = pool.spec.name,
                  .llm = pool.llm.name,
                  .gpu = pool.gpu.name,
                  .replicas = pool.spec.replicas,
                  .tensor_parallel = pool.shape().gpus_per_stage(),
                  .pipeline_parallel = pool.spec.pipeline_parallel,
                  .gpus = pool.gpus(),
                  .rented_gpus = rented_gpus,
                  .usd_per_gpu_hour = pool.usd_per_gpu_hour(),
                  .gpu_idle_w = pool.gpu.power.idle_w,
                  .max_sequences = pool.spec.batcher.make()->max_sequences(),
                  .closed_loop = pool.load == "closed",
                  .tokenizers = pool.prompts_wait_for_tokenizers() ? pool.spec.tokenizer_workers : 0};
  for (const Replica* r : all_of(replicas)) {
    facts.totals += r->core().totals;
    facts.kv_blocks_per_replica = r->core().cache().total_blocks();
  }
  facts.kv_tiers = tier_facts(pool, replicas);
  facts.experts = expert_facts(pool, replicas);
  facts.drafts = draft_totals(replicas);
  facts.early_exit = early_exit_facts(pool, replicas);
  facts.answer_losses = answer_losses(pool);
  if (pool.spec.lora) facts.adapter_slots = pool.spec.lora->slots;
  const double gpus_per_replica = static_cast<double>(pool.gpus_per_replica());
  const double idle_gpu_s = facts.paid_gpus() * duration_s - gpus_per_replica * facts.totals.busy_s;
  facts.energy_j = facts.totals.step_energy_j + pool.gpu.power.idle_w * std::max(0.0, idle_gpu_s);
  return facts;
}

std::string engine_text(const EngineProfile& engine) {
  return engine.name + " (" + engine.basis + ": " + engine.source + ")";
}

RestsOn rests_on(const Pool& pool, const ReplicaTotals& totals) {
  return {.pool = pool.spec.name,
          .latency_model = pool.latency_source,
          .engine = engine_text(pool.engine),
          .fitted_range = pool.fitted_range,
          .extrapolated_fraction = totals.busy_s > 0 ? totals.extrapolated_s / totals.busy_s : 0,
          .notes = pool.notes};
}

/// An autoscaler's replica, or one after a failure.
bool any_started(const RunFacts& facts, std::size_t pool) {
  const bool failed = pool < facts.failures.pools.size() && !facts.failures.pools[pool].crashed_s.empty();
  return failed || std::ranges::any_of(facts.scaling, [&](const ScalingTotals& t) {
           return t.pool == facts.pools[pool].name && t.starts > 0;
         });
}

void add(std::vector<CopiesMade>& all, const CopiesMade& made) {
  if (made.copies == 0) return;
  const auto same = [&](const CopiesMade& o) { return o.kind == made.kind && o.basis == made.basis; };
  const auto found = std::ranges::find_if(all, same);
  if (found == all.end()) return all.push_back(made);
  found->copies += made.copies;
  found->bytes += made.bytes;
}

/// Flows, and what replicas copy in closed form.
std::vector<CopiesMade> copies_made(const Scenario& scenario, const Simulation& simulation, const RunFacts& facts) {
  std::vector<CopiesMade> all;
  for (const auto& [of, moved] : simulation.copies_moved())
    all.push_back({.kind = of.first, .basis = of.second, .copies = moved.copies, .bytes = moved.bytes});
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const Pool& pool = scenario.pools[i];
    const PoolFacts& of_pool = facts.pools[i];
    const double gpus = real(pool.gpus_per_replica());
    const std::int64_t loads = of_pool.totals.adapter_loads;
    add(all, {.kind = adapter_load_kind,
              .basis = pool.transfers.h2d.basis,
              .copies = loads,
              .bytes = real(loads) * pool.adapters.gpu_bytes * gpus});
    add(all, {.kind = "swap",
              .basis = pool.transfers.h2d.basis,
              .copies = of_pool.totals.swaps,
              .bytes = of_pool.totals.swapped_bytes * gpus / real(pool.shape().ranks())});
    if (!of_pool.experts) continue;
    const Copy load{.pageable = !pool.spec.expert_offload->page_locked};
    add(all, {.kind = expert_load_kind,
              .basis = pool.transfers.from_host(load).basis,
              .copies = of_pool.experts->totals.loads,
              .bytes = of_pool.experts->totals.loaded_bytes});
  }
  return all;
}

/// Nodes that carry replicas: of pools without an autoscaler, or of any.
std::set<std::int64_t> nodes_of(const Scenario& scenario, bool with_scaled) {
  std::set<std::int64_t> nodes;
  for (const Pool& pool : scenario.pools)
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus)
        if (with_scaled || !pool.spec.scales()) nodes.insert(gpu.node);
  return nodes;
}

/// Energy of everything but the GPUs of replicas, for the nodes that carry these, each whole, while any of them is
/// there; of spares, and of machines rented whole, that of idle GPUs as well.
double overhead_j(const Scenario& scenario, const Simulation& simulation) {
  const std::set<std::int64_t> always = nodes_of(scenario, false);
  double always_w = 0;
  for (std::size_t i = 0; i < scenario.groups.size(); ++i) {
    const NodeGroup& group = scenario.groups[i];
    const auto nodes = std::ranges::count_if(always, [&](std::int64_t node) { return group.holds(node); });
    always_w += static_cast<double>(nodes) * group.node.overhead_w;
    if (group.spares == 0) continue;
    const double gpus_w = static_cast<double>(group.node.gpus) * idle_w(scenario, i);
    always_w += static_cast<double>(group.spares) * (group.node.overhead_w + gpus_w);
  }
  const double duration_s = simulation.clock().duration_s();
  double joules = always_w * duration_s + unused_idle_j(scenario, simulation.cluster().lifecycle(), duration_s);
  for (const std::int64_t node : nodes_of(scenario, true))
    if (!always.contains(node))
      joules +=
          scenario.groups.of(node).node.overhead_w * node_rented_s(scenario, simulation.cluster().lifecycle(), node);
  return joules;
}

std::vector<SiteEgress> egress_of(const Scenario& scenario, const EgressTally& tally) {
  std::vector<SiteEgress> all;
  for (std::size_t i = 0; i < tally.bytes().size(); ++i) {
    const NodeGroup& group = scenario.groups[i];
    const double bytes = tally.bytes()[i];
    const double usd = bytes * group.egress_usd_per_billion_bytes / 1e9;
    if (usd > 0) all.push_back({group.name, bytes, usd});
  }
  return all;
}

AccountTerms account_terms(const AccountSpec& spec) {
  return {spec.currency, spec.per_usd, spec.usd_per_kwh, spec.pue, spec.co2_g_per_kwh};
}

}  // namespace

RunFacts collect_facts(const Scenario& scenario, const Simulation& simulation) {
  const ScenarioSpec& spec = scenario.spec;
  RunFacts facts{.name = spec.name,
                 .seed = spec.seed,
                 .workload = scenario.workload_text,
                 .duration_s = simulation.clock().duration_s(),
                 .slo = slo_facts(scenario),
                 .warm_up = scenario.notes->warm_up,
                 .classes = scenario.notes->classes.all(),
                 .node_overhead_j = overhead_j(scenario, simulation)};
  for (const ChangedFigure& figure : scenario.changed_hardware)
    facts.changed_hardware.push_back({figure.path, figure.from, figure.to});
  facts.unused_gpus = unused_gpus(scenario, simulation.cluster().lifecycle(), facts.duration_s);
  if (spec.account) facts.account = account_terms(*spec.account);
  if (const Failures* failures = simulation.parts().failures) facts.failures = failures->facts(facts.duration_s);
  for (std::size_t i = 0; i < facts.failures.pools.size(); ++i) {
    FailureTotals& pool = facts.failures.pools[i];
    std::tie(pool.replica_s, pool.down_s) = simulation.cluster().lifecycle().replica_and_down_s(i, facts.duration_s);
  }
  if (const Scaling* scaling = simulation.parts().scaling) facts.scaling = scaling->totals();
  if (const Gateway* gateway = simulation.parts().gateway) facts.gateway = gateway->facts(facts.duration_s);
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const ReplicaPool& replicas = simulation.cluster().pools()[i];
    const std::optional<double> rented = rented_gpus(scenario.pools[i], simulation, i);
    facts.pools.push_back(pool_facts(scenario.pools[i], replicas, rented, facts.duration_s));
    facts.pools.back().tokenizing_s = simulation.tokenizers().busy_s(PoolId{static_cast<std::uint16_t>(i)});
    facts.rests_on.push_back(rests_on(scenario.pools[i], facts.pools.back().totals));
    const bool started = any_started(facts, i);
    const auto start_note = engine_start_note(scenario.spec, scenario.pools[i]);
    if (start_note && started) facts.rests_on.back().notes.push_back(*start_note);
    if (const auto use_note = first_use_note(scenario.pools[i], started))
      facts.rests_on.back().notes.push_back(*use_note);
    if (!simulation.standstill().empty()) facts.rests_on.back().notes.push_back(simulation.standstill());
    facts.steps += facts.pools.back().totals.steps;
  }
  facts.egress = egress_of(scenario, simulation.egress());
  facts.copies = copies_made(scenario, simulation, facts);
  return facts;
}

}  // namespace servecast
