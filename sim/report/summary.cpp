#include "sim/report/summary.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "models/base/units.h"
#include "sim/report/queue_growth.h"

namespace servecast {
namespace {

/// The totals of all classes, or of one.
using Chosen = std::span<const RequestTotals>;

template <class Amount>
std::int64_t sum(Chosen chosen, Amount amount) {
  std::int64_t total = 0;
  for (const RequestTotals& t : chosen) total += std::invoke(amount, t);
  return total;
}

std::optional<double> ratio(double part, double whole) {
  if (whole <= 0) return std::nullopt;
  return part / whole;
}
double per(double part, double whole) { return ratio(part, whole).value_or(0); }

RequestCounts count_requests(Chosen chosen) {
  RequestCounts counts;
  for (const auto count :
       {&RequestCounts::arrived, &RequestCounts::completed, &RequestCounts::rejected, &RequestCounts::shed,
        &RequestCounts::timed_out, &RequestCounts::lost, &RequestCounts::unfinished})
    counts.*count = sum(chosen, [&](const RequestTotals& t) { return t.requests.*count; });
  return counts;
}

Latencies latencies_of(Chosen chosen) {
  const auto statistics = [&](Spread RequestTotals::*latency) {
    Spread all;
    for (const RequestTotals& t : chosen) all.merge(t.*latency);
    return all.statistics();
  };
  return {.ttft_s = statistics(&RequestTotals::ttft_s),
          .tpot_s = statistics(&RequestTotals::tpot_s),
          .e2e_s = statistics(&RequestTotals::e2e_s),
          .queue_s = statistics(&RequestTotals::queue_s)};
}

SloSummary slo_of(Chosen all, const SloFacts& slo, double duration_s) {
  if (!slo.stated()) return {};
  const auto arrived = static_cast<double>(count_requests(all).arrived);
  const auto attaining = static_cast<double>(sum(all, &RequestTotals::attaining));
  const auto kept = [&](std::optional<double> bound, std::int64_t RequestTotals::*keeping) -> std::optional<double> {
    if (!bound) return std::nullopt;
    return ratio(static_cast<double>(sum(all, keeping)), arrived);
  };
  return {.ttft_s = slo.ttft_s,
          .tpot_s = slo.tpot_s,
          .e2e_s = slo.e2e_s,
          .target_fraction = slo.target_fraction,
          .attained_fraction = ratio(attaining, arrived),
          .goodput_requests_per_s = per(attaining, duration_s),
          .ttft_attained_fraction = kept(slo.ttft_s, &RequestTotals::keeping_ttft),
          .tpot_attained_fraction = kept(slo.tpot_s, &RequestTotals::keeping_tpot),
          .e2e_attained_fraction = kept(slo.e2e_s, &RequestTotals::keeping_e2e)};
}

CostSummary cost_of(const RunFacts& facts, std::int64_t completed, std::int64_t output_tokens) {
  CostSummary cost;
  for (const PoolFacts& pool : facts.pools) cost.usd_per_hour += pool.paid_gpus() * pool.usd_per_gpu_hour;
  for (const SpareGpus& spare : facts.failures.spares)
    cost.usd_per_hour += static_cast<double>(spare.gpus) * spare.usd_per_gpu_hour;
  for (const UnusedGpus& unused : facts.unused_gpus) cost.usd_per_hour += unused.usd_per_hour;
  cost.usd_total = cost.usd_per_hour * facts.duration_s / seconds_per_hour;
  cost.usd_per_request = ratio(cost.usd_total, static_cast<double>(completed));
  cost.usd_per_million_output_tokens = ratio(cost.usd_total * 1e6, static_cast<double>(output_tokens));
  return cost;
}

EnergySummary energy_of(const RunFacts& facts, std::int64_t output_tokens) {
  EnergySummary energy{.j_total = facts.node_overhead_j};
  for (const PoolFacts& pool : facts.pools) energy.j_total += pool.energy_j;
  energy.j_per_output_token = ratio(energy.j_total, static_cast<double>(output_tokens));
  return energy;
}

/// Mean of the highest tenth.
double busiest_tenth(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t count = (values.size() + 9) / 10;
  std::ranges::sort(values, std::greater<>());
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
         static_cast<double>(count);
}

std::vector<KvTierSummary> tiers_of(const PoolFacts& pool) {
  std::vector<KvTierSummary> tiers;
  for (const KvTierFacts& tier : pool.kv_tiers)
    tiers.push_back(
        {.tier = tier.tier,
         .hit_tokens = tier.hit_tokens,
         .hit_fraction = per(static_cast<double>(tier.hit_tokens), static_cast<double>(pool.admitted_prompt_tokens)),
         .fetched_bytes = tier.fetched_bytes,
         .written_bytes = tier.written_bytes,
         .evicted_bytes = tier.evicted_bytes});
  return tiers;
}

PoolSummary pool_of(const PoolFacts& pool, const PoolRecord& record, double duration_s) {
  const double replicas =
      pool.rented_gpus ? *pool.rented_gpus / pool.gpus_per_replica() : static_cast<double>(pool.replicas);
  const double replica_s = replicas * duration_s;
  const auto blocks = static_cast<double>(pool.kv_blocks_per_replica);
  return {.name = pool.name,
          .llm = pool.llm,
          .gpu = pool.gpu,
          .replicas = pool.replicas,
          .gpus = pool.gpus,
          .busy_fraction = per(pool.busy_s, replica_s),
          .kv_used_fraction_mean = per(pool.kv_block_s, blocks * replica_s),
          .kv_used_fraction_max = per(static_cast<double>(pool.kv_used_blocks_max), blocks),
          .sequences_used_fraction = per(busiest_tenth(record.running.means(Seconds(duration_s))),
                                         static_cast<double>(pool.replicas * pool.max_sequences)),
          .preemptions = pool.preemptions,
          .kv_tiers = tiers_of(pool),
          .energy_j = pool.energy_j,
          .itl_s = record.token_gap_s.statistics()};
}

std::vector<SpeculationSummary> speculations_of(const RunFacts& facts) {
  std::vector<SpeculationSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.speculation) continue;
    const SpeculationFacts& s = *pool.speculation;
    const auto accepted = static_cast<double>(s.accepted_tokens);
    all.push_back({.pool = pool.name,
                   .drafted_tokens = s.drafted_tokens,
                   .accepted_tokens = s.accepted_tokens,
                   .accepted_fraction = per(accepted, static_cast<double>(s.drafted_tokens)),
                   .tokens_per_step = 1 + per(accepted, static_cast<double>(s.checks))});
  }
  return all;
}

std::vector<EarlyExitSummary> early_exits_of(const RunFacts& facts) {
  std::vector<EarlyExitSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.early_exit) continue;
    const EarlyExitFacts& e = *pool.early_exit;
    all.push_back({.pool = pool.name,
                   .model_layers = e.model_layers,
                   .layers_per_token = e.layers_per_token,
                   .layers_per_step = per(static_cast<double>(e.layers), static_cast<double>(e.steps)),
                   .lost_points = e.lost_points,
                   .accuracy_source = e.accuracy_source});
  }
  return all;
}

std::vector<AdapterSummary> adapters_of(const RunFacts& facts) {
  std::vector<AdapterSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.adapters) continue;
    const AdapterFacts& a = *pool.adapters;
    all.push_back({.pool = pool.name,
                   .adapter_slots = a.adapter_slots,
                   .hits = a.hits,
                   .loads = a.loads,
                   .hit_fraction = per(static_cast<double>(a.hits), static_cast<double>(a.hits + a.loads)),
                   .stall_s = a.stall_s});
  }
  return all;
}

std::vector<ClassSummary> classes_of(Chosen all, const RunFacts& facts) {
  std::vector<ClassSummary> classes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Chosen chosen = all.subspan(i, 1);
    ClassSummary c{.name = facts.classes[i], .requests = count_requests(chosen)};
    if (c.requests.arrived == 0) continue;
    c.latencies = latencies_of(chosen);
    if (facts.slo.stated())
      c.attained_fraction = per(static_cast<double>(all[i].attaining), static_cast<double>(c.requests.arrived));
    classes.push_back(std::move(c));
  }
  if (classes.size() < 2) classes.clear();
  return classes;
}

std::optional<Statistics> gaps_of(std::span<const PoolRecord> pools) {
  Histogram all;
  for (const PoolRecord& pool : pools) all.merge(pool.token_gap_s);
  return all.statistics();
}

std::vector<HandOverSummary> hand_overs_of(const Recorder& recorder, const RunFacts& facts) {
  std::vector<HandOverSummary> all;
  for (std::size_t p = 0; p < facts.pools.size(); ++p) {
    const PoolRecord& pool = recorder.pools()[p];
    if (const auto seconds = pool.hand_over_s.statistics())
      all.push_back({.pool = facts.pools[p].name,
                     .requests = pool.hand_over_s.count(),
                     .bytes = pool.hand_over_bytes,
                     .hand_over_s = seconds});
  }
  return all;
}

std::vector<MigrationSummary> migrations_of(const Recorder& recorder, const RunFacts& facts) {
  std::vector<MigrationSummary> all;
  for (std::size_t p = 0; p < facts.pools.size(); ++p) {
    const PoolRecord& pool = recorder.pools()[p];
    const auto pause_s = pool.migration_pause_s.statistics();
    if (pause_s || pool.migrations_aborted > 0)
      all.push_back({.pool = facts.pools[p].name,
                     .moved = pool.migration_pause_s.count(),
                     .aborted = pool.migrations_aborted,
                     .bytes = pool.migration_bytes,
                     .pause_s = pause_s});
  }
  return all;
}

std::vector<ExpertSummary> experts_of(const RunFacts& facts) {
  std::vector<ExpertSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.experts) continue;
    const ExpertFacts& e = *pool.experts;
    const auto requested = static_cast<double>(e.requested);
    all.push_back(
        {.pool = pool.name,
         .cache_fraction = e.cache_fraction,
         .hit_fraction = per(static_cast<double>(e.resident), requested),
         .prefetch_hit_fraction = per(static_cast<double>(e.prefetched), requested),
         .loaded_bytes = e.loaded_bytes,
         .disk_bytes = e.disk_bytes,
         .wasted_load_fraction = per(static_cast<double>(e.guesses - e.prefetched), static_cast<double>(e.loads)),
         .stall_fraction = per(e.stall_s, pool.busy_s),
         .substituted_fraction = per(e.substituted, e.choices),
         .host_fraction = per(e.on_host, e.choices),
         .left_out_fraction = per(e.left_out, e.choices)});
    if (!e.quality) continue;
    all.back().quality_lost_fraction = e.quality->lost_fraction;
    all.back().quality_extrapolated = e.quality->extrapolated;
    all.back().quality_source = e.quality->source;
  }
  return all;
}

double replicas_of(const Summary& s) {
  double replicas = 0;
  for (const PoolSummary& pool : s.pools) replicas += static_cast<double>(pool.replicas);
  return replicas;
}

}  // namespace

Summary summarise(const Recorder& recorder, const RunFacts& facts) {
  assert(recorder.pools().size() == facts.pools.size());
  assert(recorder.slo() == facts.slo);
  const Chosen all = recorder.classes();
  const std::int64_t output_tokens = sum(all, &RequestTotals::output_tokens);
  const std::int64_t prompt_tokens = sum(all, &RequestTotals::prompt_tokens);

  Summary s{.name = facts.name,
            .version = facts.version,
            .seed = facts.seed,
            .workload = facts.workload,
            .duration_s = facts.duration_s,
            .steps = facts.steps,
            .requests = count_requests(all),
            .latencies = latencies_of(all),
            .itl_s = gaps_of(recorder.pools()),
            .percentile_error_fraction = recorder.exact() ? 0 : Histogram::max_error_fraction};
  s.requests_per_s = per(static_cast<double>(s.requests.completed), facts.duration_s);
  s.prompt_tokens_per_s = per(static_cast<double>(prompt_tokens), facts.duration_s);
  s.output_tokens_per_s = per(static_cast<double>(output_tokens), facts.duration_s);
  s.slo = slo_of(all, facts.slo, facts.duration_s);
  s.cost = cost_of(facts, s.requests.completed, output_tokens);
  s.energy = energy_of(facts, output_tokens);
  s.account = account_of(recorder, facts, s.requests.completed);
  s.gateway = summarise_gateway(recorder, facts, s.cost.usd_total, s.requests.completed);
  for (std::size_t p = 0; p < facts.pools.size(); ++p)
    s.pools.push_back(pool_of(facts.pools[p], recorder.pools()[p], facts.duration_s));
  const std::vector<SeriesRow> series = make_series(recorder, facts);
  s.saturated = queue_growth(series, replicas_of(s)).has_value() ||
                only_leaving_bounds_queue(s.requests, sum(all, &RequestTotals::left_queue), series);
  s.near_saturation = s.saturated || std::ranges::any_of(s.pools, [](const PoolSummary& pool) {
                        return pool.sequences_used_fraction > nearly_all_sequences;
                      });
  s.hand_overs = hand_overs_of(recorder, facts);
  s.migrations = migrations_of(recorder, facts);
  s.expert_offload = experts_of(facts);
  s.speculations = speculations_of(facts);
  s.early_exits = early_exits_of(facts);
  s.adapters = adapters_of(facts);
  s.failures = failures_of(recorder, facts);
  s.broken_parts = broken_parts_of(facts);
  s.scaling = scaling_of(facts);
  s.classes = classes_of(all, facts);
  s.rests_on = facts.rests_on;
  s.unused_gpus = facts.unused_gpus;
  s.changed_hardware = facts.changed_hardware;
  s.settings = facts.settings;
  return s;
}

}  // namespace servecast
