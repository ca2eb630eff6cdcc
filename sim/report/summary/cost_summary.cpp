#include "sim/report/summary/cost_summary.h"

#include "models/base/units.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/ratio.h"

namespace servecast {

void CostSummary::fields(Fields& f) {
  f.figure("usd_per_hour", usd_per_hour,
           "price of all GPUs that are paid for, used or not, and of what sites send each other",
           {.heading = "cost per hour", .better = Better::lower});
  f.figure("usd_total", usd_total, "the same for `duration_s`", {.better = Better::lower});
  f.figure("usd_per_request", usd_per_request, "total by completed requests",
           {.heading = "cost per request", .better = Better::lower});
  f.figure("usd_per_million_output_tokens", usd_per_million_output_tokens, "total by output tokens",
           {.heading = "cost per M tokens", .better = Better::lower});
}

void EnergySummary::fields(Fields& f) {
  f.figure("j_total", j_total, "GPUs, idle time included, and what their nodes draw beside them",
           {.heading = "energy", .better = Better::lower});
  f.figure("j_per_output_token", j_per_output_token, "total by output tokens",
           {.heading = "energy per token", .better = Better::lower});
}

CostSummary cost_of(const RunFacts& facts, std::int64_t completed, std::int64_t output_tokens) {
  CostSummary cost;
  for (const PoolFacts& pool : facts.pools) cost.usd_per_hour += pool.paid_gpus() * pool.usd_per_gpu_hour;
  for (const SpareGpus& spare : facts.failures.spares)
    cost.usd_per_hour += static_cast<double>(spare.gpus) * spare.usd_per_gpu_hour;
  for (const UnusedGpus& unused : facts.unused_gpus) cost.usd_per_hour += unused.usd_per_hour;
  cost.usd_total = cost.usd_per_hour * facts.duration_s / seconds_per_hour;
  if (const double usd = egress_usd(facts.egress); usd > 0) {
    cost.usd_total += usd;
    cost.usd_per_hour = cost.usd_total / facts.duration_s * seconds_per_hour;
  }
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

}  // namespace servecast
