#include "sim/engine/collect_facts.h"

#include <algorithm>
#include <set>

namespace servecast {
namespace {

PoolFacts pool_facts(const Pool& pool, const ReplicaPool& replicas, double duration_s) {
  PoolFacts facts{.name = pool.spec.name,
                  .llm = pool.llm.name,
                  .gpu = pool.gpu.name,
                  .replicas = pool.spec.replicas,
                  .tensor_parallel = pool.spec.tensor_parallel,
                  .pipeline_parallel = pool.spec.pipeline_parallel,
                  .gpus = pool.gpus(),
                  .usd_per_gpu_hour = pool.usd_per_gpu_hour(),
                  .gpu_idle_w = pool.gpu.power.idle_w,
                  .max_sequences = pool.spec.batcher.make()->max_sequences()};
  double step_energy_j = 0;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const ReplicaTotals& totals = replicas[i].totals();
    facts.busy_s += totals.busy_s;
    facts.kv_block_s += totals.kv_block_s;
    facts.kv_used_blocks_max = std::max(facts.kv_used_blocks_max, totals.kv_blocks_max);
    facts.kv_blocks_per_replica = replicas[i].kv_cache().total_blocks();
    facts.preemptions += totals.preemptions;
    step_energy_j += totals.step_energy_j;
  }
  const double gpus_per_replica = static_cast<double>(pool.gpus_per_replica());
  const double idle_gpu_s = static_cast<double>(pool.gpus()) * duration_s - gpus_per_replica * facts.busy_s;
  facts.energy_j = step_energy_j + pool.gpu.power.idle_w * std::max(0.0, idle_gpu_s);
  return facts;
}

std::string engine_text(const EngineProfile& engine) {
  return engine.name + " (" + engine.basis + ": " + engine.source + ")";
}

RestsOn rests_on(const Pool& pool, const ReplicaPool& replicas) {
  RestsOn facts{.pool = pool.spec.name,
                .latency_model = pool.latency_source,
                .engine = engine_text(pool.engine),
                .fitted_range = pool.fitted_range};
  double busy_s = 0;
  double extrapolated_s = 0;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    busy_s += replicas[i].totals().busy_s;
    extrapolated_s += replicas[i].totals().extrapolated_s;
  }
  facts.extrapolated_fraction = busy_s > 0 ? extrapolated_s / busy_s : 0;
  facts.notes = pool.notes;
  return facts;
}

/// Power of everything but GPUs, for the nodes that carry replicas, each whole.
double overhead_w(const Scenario& scenario) {
  std::set<std::int64_t> nodes;
  for (const Pool& pool : scenario.pools)
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus) nodes.insert(gpu.node);
  return static_cast<double>(nodes.size()) * scenario.node.overhead_w;
}

}  // namespace

SloFacts slo_facts(const ScenarioSpec& spec) {
  return {spec.slo.ttft_s, spec.slo.tpot_s, spec.slo.e2e_s, spec.slo.target_fraction};
}

RunFacts collect_facts(const Scenario& scenario, const Dispatcher& dispatcher) {
  const ScenarioSpec& spec = scenario.spec;
  RunFacts facts{.name = spec.name,
                 .seed = spec.seed,
                 .workload = scenario.workload_text,
                 .duration_s = dispatcher.duration_s(),
                 .slo = slo_facts(spec),
                 .classes = scenario.notes->classes.all(),
                 .node_overhead_j = overhead_w(scenario) * dispatcher.duration_s()};
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const ReplicaPool& replicas = dispatcher.pools()[i];
    facts.pools.push_back(pool_facts(scenario.pools[i], replicas, facts.duration_s));
    facts.rests_on.push_back(rests_on(scenario.pools[i], replicas));
    for (std::size_t r = 0; r < replicas.size(); ++r) facts.steps += replicas[r].totals().steps;
  }
  return facts;
}

}  // namespace servecast
