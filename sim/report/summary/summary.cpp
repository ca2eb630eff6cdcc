#include "sim/report/summary/summary.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "models/base/counts.h"
#include "sim/report/layout/human.h"
#include "sim/report/statistics/ratio.h"
#include "sim/report/summary/queue_growth.h"

namespace servecast {
namespace {

std::optional<Statistics> gaps_of(std::span<const PoolRecord> pools) {
  Histogram all;
  for (const PoolRecord& pool : pools) all += pool.token_gap_s;
  return all.statistics();
}

double replicas_of(const Summary& s) {
  double replicas = 0;
  for (const PoolSummary& pool : s.pools) replicas += real(pool.replicas);
  return replicas;
}

double gpus_of(const Summary& s) {
  double gpus = 0;
  for (const PoolSummary& pool : s.pools) gpus += real(pool.gpus);
  return gpus;
}

/// Of the pool that loses most, all its changes together; absent where one is not published.
std::optional<double> lost_points(const Summary& s) {
  std::map<std::string, double> by_pool;
  std::map<std::string, double> by_model;  // the model of a pool that loses most
  for (const ExpertModelSummary& model : s.expert_models) {
    if (!model.lost_points) return std::nullopt;
    by_model[model.pool] = std::max(by_model[model.pool], *model.lost_points);
  }
  for (const ExpertSummary& pool : s.expert_offload)
    by_pool[pool.pool] += 100 * pool.quality_lost_fraction + by_model[pool.pool];
  for (const EarlyExitSummary& pool : s.early_exits) {
    if (!pool.lost_points) return std::nullopt;
    by_pool[pool.pool] += *pool.lost_points;
  }
  for (const AnswerLossSummary& change : s.answer_losses) {
    if (!change.lost_points) return std::nullopt;
    by_pool[change.pool] += *change.lost_points;
  }
  double most = 0;
  for (const auto& [pool, points] : by_pool) most = std::max(most, points);
  return most;
}

/// Closed loops have no queue that a small error of the step time could make a long one.
bool nearly_full(std::span<const PoolSummary> pools, std::span<const PoolFacts> facts) {
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (!facts[i].closed_loop && pools[i].sequences_used_fraction > nearly_all_sequences) return true;
  return false;
}

}  // namespace

void Summary::fields(Fields& f) {
  f.field("name", name, "scenario");
  f.field("version", version, "of the program");
  f.field("seed", seed, "of the random streams");
  f.field("workload", workload, "what arrives, in words");
  f.figure(
      "duration_s", duration_s,
      "from the start of the run to the last thing that happened to a request: a token, a rejection, a failure, its "
      "client's leaving, its KV memory coming free");
  f.figure("steps", steps, "batches simulated");
  f.field("saturated", saturated,
          "the queue grows while requests arrive, or only clients that give up keep it from growing: latencies "
          "depend on how long requests arrive and how long clients wait");
  f.field(
      "near_saturation", near_saturation,
      "saturated, or a pool runs more than 85 % of the sequences it may while requests keep coming that wait for no "
      "answers: a small error of the step time is a large one of the queue");
  f.group("requests", requests, "how requests ended");
  latencies.fields(f, &itl_s);
  f.group("first_use", first_use, "where steps of new processes waited for kernels: latencies with that are above");
  f.figure("percentile_error_fraction", percentile_error_fraction,
           "how far percentiles of latencies per request may be off, relative to the exact ones; 0: exact");
  f.figure("requests_per_s", requests_per_s, "completed requests by `duration_s`",
           {.heading = "requests/s", .better = Better::higher, .text = human::number});
  f.figure("prompt_tokens_per_s", prompt_tokens_per_s,
           "prompt tokens of requests that got a first token, by `duration_s` (recomputed ones not counted again)",
           {.heading = "prompt tokens/s", .better = Better::higher});
  f.figure(
      "output_tokens_per_s", output_tokens_per_s,
      "output tokens of the answers that users got, by `duration_s`; what else a gateway had made (inner tasks of a "
      "graph, LLM calls that were given up) is in `series.csv` and `gateway`",
      {.heading = "output tokens/s", .better = Better::higher});
  f.group("slo", slo, "what was promised and what was kept");
  f.group("cost", cost, "money for GPUs and for what sites send each other");
  f.group("energy", energy, "energy of the machines");
  f.group("account", account, "money, energy and carbon by what causes them, where the scenario keeps an `account`");
  gateway.fields(f);
  f.list("pools", pools, "pool by pool", true);
  f.list("unused_gpus", unused_gpus, "GPUs that no pool uses, of nodes that are rented whole");
  f.list("egress", egress,
         "group by group, what it sent to other sites over links between groups, where that is paid for");
  f.list("hand_overs", hand_overs, "pool by pool, where another replica decodes than computed the prompt");
  f.list("migrations", migrations, "pool by pool, where sequences move while they decode");
  f.list("answer_losses", answer_losses,
         "what narrower weights, pruning and distillation cost in answers; left out where models are as published");
  f.list("expert_offload", expert_offload, "pool by pool, where experts are partly outside GPU memory");
  f.list("expert_models", expert_models, "model by model, where several share a pool's slots for experts");
  f.list("speculations", speculations, "pool by pool, where sequences speculate");
  f.list("early_exits", early_exits, "pool by pool, where tokens leave before the last layer");
  f.list("adapters", adapters, "pool by pool, where requests name LoRA adapters");
  f.list("scaling", scaling, "pool by pool, where an autoscaler has replicas come and go");
  f.list("failures", failures, "pool by pool, where something can fail");
  f.list("broken_parts", broken_parts, "kind by kind, where something can fail");
  f.list("classes", classes, "class by class, where requests of several arrived");
  f.list("rests_on", rests_on, "pool by pool, what the forecast rests on", true);
  f.list("copies", copies, "by kind, what the times of copies between memories rest on; left out where none is made");
  f.list("changed_hardware", changed_hardware,
         "figures of hardware that the scenario states otherwise than its files");
  f.list("added_files", added_files, "plug-ins and files of one's own libraries that the run rests on");
  f.derived("gpus", gpus_of(*this), "GPUs of all pools",
            {.heading = "GPUs", .better = Better::lower, .text = human::whole});
  f.derived("not_completed", real(requests.arrived - requests.completed),
            "requests that arrived and did not complete", {.better = Better::lower, .text = human::whole});
  f.derived(
      "lost_points", lost_points(*this),
      "of a benchmark's score in percent, in the pool that loses most by narrower weights, pruning and distillation, "
      "early exits and stand-ins for experts; absent where one of these is not published",
      {.heading = "points lost", .better = Better::lower});
}

Summary summarise(const Recorder& recorder, const RunFacts& facts) {
  assert(recorder.pools().size() == facts.pools.size());
  assert(recorder.slo() == facts.slo);
  RequestTotals all;
  RequestTotals warm;  // all but those of a load test's warm-up
  for (std::size_t i = 0; i < recorder.classes().size(); ++i) {
    all += recorder.classes()[i];
    if (!facts.warm_up.contains(static_cast<ClassId>(i))) warm += recorder.classes()[i];
  }

  Summary s{.name = facts.name,
            .version = facts.version,
            .seed = facts.seed,
            .workload = facts.workload,
            .duration_s = facts.duration_s,
            .steps = facts.steps,
            .requests = all.requests,
            .latencies = latencies_of(warm),
            .itl_s = gaps_of(recorder.pools()),
            .percentile_error_fraction = recorder.exact() ? 0 : Histogram::max_error_fraction};
  s.requests_per_s = per(real(s.requests.completed), facts.duration_s);
  s.prompt_tokens_per_s = per(real(all.prompt_tokens), facts.duration_s);
  s.output_tokens_per_s = per(real(all.output_tokens), facts.duration_s);
  s.first_use = first_use_of(warm, facts.pools);
  s.slo = slo_of(warm, recorder.classes(), facts);
  s.cost = cost_of(facts, s.requests.completed, all.output_tokens);
  s.energy = energy_of(facts, all.output_tokens);
  s.account = account_of(recorder, facts, s.requests.completed);
  s.gateway = summarise_gateway(recorder, facts, s.cost.usd_total - egress_usd(facts.egress), s.requests.completed);
  s.pools = pools_of(recorder, facts);
  const std::vector<SeriesRow> series = make_series(recorder, facts);
  s.saturated = queue_growth(series, replicas_of(s)).has_value() ||
                only_leaving_bounds_queue(s.requests, all.left_queue, series);
  s.near_saturation = s.saturated || (nearly_full(s.pools, facts.pools) && keep_arriving(series));
  s.hand_overs = hand_overs_of(recorder, facts);
  s.migrations = migrations_of(recorder, facts);
  s.answer_losses = answer_losses_of(facts);
  s.expert_offload = experts_of(facts);
  s.expert_models = expert_models_of(facts);
  s.speculations = speculations_of(facts);
  s.early_exits = early_exits_of(facts);
  s.adapters = adapters_of(facts);
  s.failures = failures_of(recorder, facts);
  s.broken_parts = broken_parts_of(facts);
  s.scaling = scaling_of(facts);
  s.classes = classes_of(recorder.classes(), facts);
  s.rests_on = facts.rests_on;
  s.copies = facts.copies;
  s.unused_gpus = facts.unused_gpus;
  s.egress = facts.egress;
  s.changed_hardware = facts.changed_hardware;
  s.added_files = facts.added_files;
  s.settings = facts.settings;
  return s;
}

}  // namespace servecast
