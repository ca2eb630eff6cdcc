#include "sim/report/summary/pool_summary.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "models/base/counts.h"
#include "sim/report/record/recorder.h"
#include "sim/report/statistics/ratio.h"

namespace servecast {
namespace {

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
    tiers.push_back({tier, per(real(tier.hit_tokens), real(pool.admitted_prompt_tokens()))});
  return tiers;
}

PoolSummary pool_of(const PoolFacts& pool, const PoolRecord& record, double duration_s) {
  const double replicas = pool.rented_gpus ? *pool.rented_gpus / pool.gpus_per_replica() : real(pool.replicas);
  const double replica_s = replicas * duration_s;
  const double blocks = real(pool.kv_blocks_per_replica);
  return {.name = pool.name,
          .llm = pool.llm,
          .gpu = pool.gpu,
          .replicas = pool.replicas,
          .gpus = pool.gpus,
          .busy_fraction = per(pool.totals.busy_s, replica_s),
          .kv_used_fraction_mean = per(pool.totals.kv_block_s, blocks * replica_s),
          .kv_used_fraction_max = per(real(pool.totals.kv_blocks_max), blocks),
          .sequences_used_fraction =
              per(busiest_tenth(record.running.means(Seconds(duration_s))), real(pool.replicas * pool.max_sequences)),
          .tokenizer_busy_fraction = per(pool.tokenizing_s, replica_s * real(pool.tokenizers)),
          .front_end_busy_fraction = per(pool.totals.front_end_s, replica_s),
          .preemptions = pool.totals.preemptions,
          .kv_tiers = tiers_of(pool),
          .energy_j = pool.energy_j,
          .itl_s = record.token_gap_s.statistics()};
}

}  // namespace

void KvTierSummary::fields(Fields& f) {
  f.field("tier", tier, "`gpu`, the GPUs' own memory, comes first; then the kinds of tiers below");
  f.figure("hit_tokens", hit_tokens, "prompt tokens found here instead of computed",
           {.heading = "hits", .better = Better::higher});
  f.figure("hit_fraction", hit_fraction, "the same as a share of all prompt tokens computed or found",
           {.heading = "of prompts", .better = Better::higher});
  f.figure("fetched_bytes", fetched_bytes, "moved from here to the GPUs", {.heading = "fetched"});
  f.figure("written_bytes", written_bytes, "taken in", {.heading = "written"});
  f.figure("evicted_bytes", evicted_bytes, "that left for others or grew too old", {.heading = "evicted"});
}

void PoolSummary::fields(Fields& f) {
  f.field("name", name, "pool, as in the scenario");
  f.figure("llm", llm, "its model", {.heading = "model"});
  f.figure("gpu", gpu, "its kind of GPU", {.heading = "GPU"});
  f.figure("replicas", replicas, "copies of the model", {.heading = "replicas", .better = Better::lower});
  f.figure("gpus", gpus, "GPUs of all replicas", {.heading = "GPUs", .better = Better::lower});
  f.figure("busy_fraction", busy_fraction,
           "share of replica time with a step running; one stage of p counts 1/p. With an autoscaler this and KV use "
           "are of rented time",
           {.heading = "busy"});
  f.figure("kv_used_fraction_mean", kv_used_fraction_mean,
           "used KV blocks by all blocks, mean over time and replicas", {.heading = "KV mean"});
  f.figure("kv_used_fraction_max", kv_used_fraction_max, "the same in the fullest replica at its fullest",
           {.heading = "KV max"});
  f.figure("sequences_used_fraction", sequences_used_fraction,
           "running sequences by the most that may run, in the busiest tenth of the time");
  f.figure(
      "tokenizer_busy_fraction", tokenizer_busy_fraction,
      "share of their time in which its tokenisers are busy; near 1 prompts wait for them, and not for the GPUs");
  f.figure(
      "front_end_busy_fraction", front_end_busy_fraction,
      "share of replica time in which its front end's event loop sends pieces of answers; near 1 it, and not the "
      "GPUs, says how fast they come");
  f.figure("preemptions", preemptions, "times that a sequence lost its KV blocks and had to be computed again",
           {.heading = "preempted", .better = Better::lower});
  f.list("kv_tiers", kv_tiers, "where KV was found, tier by tier; left out without tiers");
  f.figure("energy_j", energy_j, "of its GPUs, idle time included", {.better = Better::lower});
  f.figure("itl_s", itl_s, "gap between two output tokens of a request", {.better = Better::lower});
}

void HandOverSummary::fields(Fields& f) {
  f.field("pool", pool, "pool that computed the prompts");
  f.figure("requests", requests, "requests that went on elsewhere");
  f.figure("bytes", bytes, "of their KV");
  f.figure("hand_over_s", hand_over_s, "from the end of the prompt to the KV's arrival, waiting for room included",
           {.better = Better::lower, .line = "KV hand-over from"});
}

void MigrationSummary::fields(Fields& f) {
  f.field("pool", pool, "pool within which they moved");
  f.figure("moved", moved, "sequences that moved to another replica while they decoded; one may do so several times");
  f.figure("aborted", aborted, "that did not: finished, preempted or without room while they were copied",
           {.better = Better::lower});
  f.figure("bytes", bytes, "of KV, for those that moved");
  f.figure("pause_s", pause_s, "from the last token on one replica until the next can be computed on the other",
           {.better = Better::lower, .line = "pause to migrate in"});
}

std::vector<PoolSummary> pools_of(const Recorder& recorder, const RunFacts& facts) {
  std::vector<PoolSummary> all;
  for (std::size_t p = 0; p < facts.pools.size(); ++p)
    all.push_back(pool_of(facts.pools[p], recorder.pools()[p], facts.duration_s));
  return all;
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

}  // namespace servecast
