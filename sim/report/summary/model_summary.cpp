#include "sim/report/summary/model_summary.h"

#include "models/base/counts.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/ratio.h"

namespace servecast {

void ExpertSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose experts are partly elsewhere");
  f.figure("cache_fraction", cache_fraction, "share of a layer's experts that GPU memory holds",
           {.heading = "in GPU"});
  f.figure("hit_fraction", hit_fraction,
           "share of the experts asked for, once per step and layer, that were in GPU memory without a prefetch",
           {.heading = "hits", .better = Better::higher});
  f.figure("prefetch_hit_fraction", prefetch_hit_fraction, "that a prefetch had named",
           {.heading = "prefetched", .better = Better::higher});
  f.figure("loaded_bytes", loaded_bytes, "of experts moved to the GPUs",
           {.heading = "loaded", .better = Better::lower});
  f.figure("disk_bytes", disk_bytes, "of these, from disk", {.better = Better::lower});
  f.figure("wasted_load_fraction", wasted_load_fraction, "share of the loads that were wrong guesses",
           {.heading = "wasted", .better = Better::lower});
  f.figure("stall_fraction", stall_fraction, "share of step time lost to loads that came late",
           {.heading = "stalls", .better = Better::lower});
  f.figure("substituted_fraction", substituted_fraction,
           "share of the tokens' choices that another expert stood in for",
           {.heading = "replaced", .better = Better::lower});
  f.figure("host_fraction", host_fraction, "that the host computed", {.heading = "on host"});
  f.figure("left_out_fraction", left_out_fraction, "that were left out",
           {.heading = "left out", .better = Better::lower});
  f.figure("substituted_gate_fraction", substituted_gate_fraction,
           "share of the gates' weight that went to stand-ins, mean over layers", {.better = Better::lower});
  f.figure(
      "unlike_gate_fraction", unlike_gate_fraction,
      "the same, each weighted with how unlike the stand-in is: 1 less its co-activation over that of the likest",
      {.better = Better::lower});
  f.figure("left_out_gate_fraction", left_out_gate_fraction,
           "share of the gates' weight that was left out, mean over layers", {.better = Better::lower});
  f.figure("worst_layer_gate_fraction", worst_layer_gate_fraction,
           "share of the gates' weight replaced or left out in the layer where that is most",
           {.better = Better::lower});
  f.figure("quality_lost_fraction", quality_lost_fraction,
           "points of accuracy / 100 that this share replaced and left out costs, fitted to published tables",
           {.better = Better::lower});
  f.figure("quality_lost_least_fraction", quality_lost_least_fraction, "the same where published points are lowest",
           {.better = Better::lower});
  f.figure("quality_lost_most_fraction", quality_lost_most_fraction, "the same where published points are highest",
           {.better = Better::lower});
  f.field("quality_extrapolated", quality_extrapolated, "outside what was published");
  f.field("quality_source", quality_source, "where that figure comes from: another model's, as a rule");
  f.figure("shared_weight_bytes", shared_weight_bytes,
           "weights that models which share the slots have in common, each further time that they would be kept "
           "without sharing",
           {.better = Better::higher});
}

void ExpertModelSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose slots the model shares");
  f.figure("model", model, "as the scenario calls it", {.heading = "model"});
  f.figure("experts", experts, "of each of its layers", {.heading = "experts"});
  f.figure("own_experts", own_experts, "of these, fine-tuned, so that no other model has them", {.heading = "own"});
  f.figure("hit_fraction", hit_fraction,
           "share of the experts that its tokens asked for, once per step and layer, that were in GPU memory without "
           "a prefetch",
           {.heading = "hits", .better = Better::higher});
  f.figure("untuned_gate_fraction", untuned_gate_fraction,
           "share of the gates' weight of its tuned experts that went to those that they were tuned from",
           {.heading = "untuned", .better = Better::lower});
  f.figure(
      "lost_points", lost_points,
      "that pruning and untuned stand-ins cost of a benchmark's score in percent; null: what tuning gained is not "
      "stated",
      {.heading = "points lost", .better = Better::lower});
  f.figure("most_lost_points", most_lost_points, "the same at most", {.better = Better::lower});
  f.field("extrapolated", extrapolated, "outside what was published");
  f.field("source", source, "what the loss rests on");
}

void SpeculationSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose sequences speculate");
  f.figure("drafted_tokens", drafted_tokens, "drafts checked");
  f.figure("accepted_tokens", accepted_tokens, "of these, taken over", {.better = Better::higher});
  f.figure("accepted_fraction", accepted_fraction, "the same as a share", {.better = Better::higher});
  f.figure("tokens_per_step", tokens_per_step,
           "output tokens that a sequence makes in a step with drafts, in the mean", {.better = Better::higher});
}

void EarlyExitSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose tokens leave early");
  f.figure("model_layers", model_layers, "layers of its model");
  f.figure("layers_per_token", layers_per_token, "after which a token leaves, in the mean");
  f.figure("layers_per_step", layers_per_step, "that a decode step runs, in the mean: to its deepest exit");
  f.figure("lost_points", lost_points, "of a benchmark's score in percent, as published; null: not published",
           {.better = Better::lower});
  f.field("accuracy_source", accuracy_source, "where that was published");
}

void AnswerLossSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose model is changed");
  f.field("change", change, "weights of another type than published; or how the model was made from another one");
  f.figure("lost_points", lost_points, "of a benchmark's score in percent; null: not published for this type",
           {.heading = "points lost", .better = Better::lower});
  f.figure("least_points", least_points, "the same by the best result published",
           {.heading = "least", .better = Better::lower});
  f.figure("most_points", most_points, "the same by the worst one", {.heading = "most", .better = Better::lower});
  f.field("extrapolated", extrapolated,
          "published for another family of models, or for less than half or more than twice the parameters");
  f.field("source", source, "where that was published");
}

void AdapterSummary::fields(Fields& f) {
  f.field("pool", pool, "pool that serves the adapters");
  f.figure("adapter_slots", adapter_slots, "adapters that one replica holds");
  f.figure("hits", hits, "requests whose adapter was on the GPUs when they were admitted",
           {.better = Better::higher});
  f.figure("loads", loads, "requests for which it was loaded", {.better = Better::lower});
  f.figure("hit_fraction", hit_fraction, "hits by both", {.better = Better::higher});
  f.figure("stall_s", stall_s, "time in which steps waited for loads, summed over replicas",
           {.better = Better::lower});
}

std::vector<ExpertSummary> experts_of(const RunFacts& facts) {
  std::vector<ExpertSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.experts) continue;
    const ExpertTotals& e = pool.experts->totals;
    const GateShares gates = e.gate_shares();
    all.push_back({.pool = pool.name,
                   .cache_fraction = pool.experts->cache_fraction,
                   .hit_fraction = per(real(e.resident), real(e.requested)),
                   .prefetch_hit_fraction = per(real(e.prefetched), real(e.requested)),
                   .loaded_bytes = e.loaded_bytes,
                   .disk_bytes = e.disk_bytes,
                   .wasted_load_fraction = per(real(e.guesses - e.prefetched), real(e.loads)),
                   .stall_fraction = per(e.stall_s, e.step_s),
                   .substituted_fraction = per(e.substituted, e.choices),
                   .host_fraction = per(e.on_host, e.choices),
                   .left_out_fraction = per(e.left_out, e.choices),
                   .substituted_gate_fraction = gates.replaced,
                   .unlike_gate_fraction = gates.unlike,
                   .left_out_gate_fraction = gates.left_out,
                   .worst_layer_gate_fraction = gates.worst_layer});
    const QualityFacts& quality = pool.experts->quality;
    all.back().quality_lost_fraction = quality.lost_fraction;
    all.back().quality_lost_least_fraction = quality.least_fraction;
    all.back().quality_lost_most_fraction = quality.most_fraction;
    all.back().quality_extrapolated = quality.extrapolated;
    all.back().quality_source = quality.source;
    all.back().shared_weight_bytes = pool.experts->shared_bytes;
  }
  return all;
}

std::vector<ExpertModelSummary> expert_models_of(const RunFacts& facts) {
  std::vector<ExpertModelSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.experts) continue;
    for (const ExpertModelFacts& m : pool.experts->models)
      all.push_back({.pool = pool.name,
                     .model = m.name,
                     .experts = m.experts,
                     .own_experts = m.own_experts,
                     .hit_fraction = per(real(m.totals.resident), real(m.totals.requested)),
                     .untuned_gate_fraction = per(m.totals.base_gates, m.totals.tuned_gates),
                     .lost_points = m.lost_points,
                     .most_lost_points = m.most_points,
                     .extrapolated = m.extrapolated,
                     .source = m.source});
  }
  return all;
}

std::vector<SpeculationSummary> speculations_of(const RunFacts& facts) {
  std::vector<SpeculationSummary> all;
  for (const PoolFacts& pool : facts.pools)
    if (const std::optional<DraftTotals>& d = pool.drafts)
      all.push_back({.pool = pool.name,
                     .drafted_tokens = d->drafted,
                     .accepted_tokens = d->accepted,
                     .accepted_fraction = per(real(d->accepted), real(d->drafted)),
                     .tokens_per_step = 1 + per(real(d->accepted), real(d->checks))});
  return all;
}

std::vector<EarlyExitSummary> early_exits_of(const RunFacts& facts) {
  std::vector<EarlyExitSummary> all;
  for (const PoolFacts& pool : facts.pools)
    if (const std::optional<EarlyExitFacts>& e = pool.early_exit)
      all.push_back({.pool = pool.name,
                     .model_layers = e->model_layers,
                     .layers_per_token = e->layers_per_token,
                     .layers_per_step = per(real(e->totals.layers), real(e->totals.steps)),
                     .lost_points = e->lost_points,
                     .accuracy_source = e->accuracy_source});
  return all;
}

std::vector<AnswerLossSummary> answer_losses_of(const RunFacts& facts) {
  std::vector<AnswerLossSummary> all;
  for (const PoolFacts& pool : facts.pools)
    for (const AnswerLossFacts& loss : pool.answer_losses)
      all.push_back({pool.name, loss.change, loss.lost_points, loss.least_points, loss.most_points, loss.extrapolated,
                     loss.source});
  return all;
}

std::vector<AdapterSummary> adapters_of(const RunFacts& facts) {
  std::vector<AdapterSummary> all;
  for (const PoolFacts& pool : facts.pools) {
    if (!pool.adapter_slots) continue;
    const ReplicaTotals& t = pool.totals;
    all.push_back({.pool = pool.name,
                   .adapter_slots = *pool.adapter_slots,
                   .hits = t.adapter_hits,
                   .loads = t.adapter_loads,
                   .hit_fraction = per(real(t.adapter_hits), real(t.adapter_hits + t.adapter_loads)),
                   .stall_s = t.adapter_stall_s});
  }
  return all;
}

}  // namespace servecast
