#include "sim/plan/horizon/month_machines.h"

#include <algorithm>

#include "models/base/counts.h"
#include "models/hw/power_cost/cost.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

const GpuPriceSpec* listed(const Study& study, const std::string& gpu) {
  const auto found = std::ranges::find(study.spec.prices.gpus, gpu, &GpuPriceSpec::gpu);
  return found == study.spec.prices.gpus.end() ? nullptr : &*found;
}

/// The kind that a group's unused and spare GPUs are paid as: the dearest in it.
std::string dearest_kind(const MonthDesign& month, const std::vector<std::string>& kinds) {
  return *std::ranges::max_element(kinds, {},
                                   [&](const std::string& kind) { return month.scenario_usd_per_gpu_hour.at(kind); });
}

void count_gpus(MonthDesign& month, const Machines& machines) {
  for (const PoolCount& pool : machines.pools) {
    month.gpus[pool.gpu] += pool.gpus;
    double& usd = month.scenario_usd_per_gpu_hour[pool.gpu];
    usd = std::max(usd, pool.usd_per_gpu_hour);
  }
  for (const UnusedCount& unused : machines.unused) {
    std::vector<std::string> kinds;
    for (const auto& [kind, usd] : unused.usd_per_gpu_hour) kinds.push_back(kind);
    month.gpus[dearest_kind(month, kinds)] += unused.gpus;
  }
  for (const NodeCount& group : machines.groups)
    if (group.spare_nodes > 0)
      month.gpus[dearest_kind(month, group.kinds)] += group.spare_nodes * group.gpus_per_node;
}

bool is_rent(const CostLine& line) {
  return line.item == "GPUs in use" || line.item == "unused GPUs of whole nodes" || line.item == "spare nodes";
}

std::optional<double> owned_month(const PriceSpec& prices, const GpuPriceSpec& gpu, const MonthDesign& month,
                                  std::int64_t months) {
  if (!prices.owned || !gpu.purchase_usd) return std::nullopt;
  const double bought_usd = *gpu.purchase_usd + prices.owned->node_purchase_usd / real(month.gpus_per_node);
  return bought_usd / real(months) +
         power_usd_per_hour(month.w_per_gpu, prices.owned->pue, prices.owned->usd_per_kwh) * hours_per_month;
}

MonthDesign month_design(const Study& study, Sizer& sizer, const DesignResult& d) {
  MonthDesign month{.design = d.sized.design,
                    .kinds = d.sized.kinds,
                    .words = words(study, d.sized.design),
                    .machines = d.sized.machines.words(),
                    .requests_per_s = sizer.workload(d.sized, sizer.seed(d.sized, 0)).arrivals_per_s()};
  count_gpus(month, d.sized.machines);
  if (d.sized.machines.gpu_count() > 0)
    month.w_per_gpu = mean_w(*d.best_estimate) / real(d.sized.machines.gpu_count());
  if (!d.sized.machines.groups.empty())
    month.gpus_per_node = std::ranges::min(d.sized.machines.groups, {}, &NodeCount::gpus_per_node).gpus_per_node;
  const HourCost cost = hour_cost(study, d.sized, *d.best_estimate);
  for (const CostLine& line : cost.lines)
    if (!is_rent(line))
      month.beside_usd_per_month += (line.by_traffic ? cost.traffic : 1) * line.usd * hours_per_month;
  return month;
}

}  // namespace

MonthDesigns month_designs(const Study& study, Evaluator& evaluator) {
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator);
  MonthDesigns designs;
  std::vector<std::size_t> best = found.best;
  best.insert(best.end(), found.next_best.begin(), found.next_best.end());
  for (const std::size_t i : best)
    if (found.designs[i].best_estimate) designs.best.push_back(month_design(study, sizer, found.designs[i]));
  return designs;
}

std::vector<TermOffer> term_offers(const Study& study, const std::string& gpu,
                                   const std::vector<const MonthDesign*>& months) {
  const auto has = std::ranges::find_if(months, [&](const MonthDesign* m) { return m->gpus.contains(gpu); });
  if (has == months.end()) return {};
  const GpuPriceSpec* prices = listed(study, gpu);
  std::vector<TermOffer> offers;
  const auto add = [&](const std::string& term, std::optional<double> usd_per_month, std::int64_t bound) {
    if (usd_per_month) offers.push_back({term, *usd_per_month, bound});
  };
  const auto monthly = [](std::optional<double> usd_per_hour) {
    return usd_per_hour ? std::optional(*usd_per_hour * hours_per_month) : std::nullopt;
  };
  double on_demand = (*has)->scenario_usd_per_gpu_hour.at(gpu);
  if (prices) on_demand = prices->on_demand_usd_per_gpu_hour.value_or(on_demand);
  add("on_demand", on_demand * hours_per_month, 1);
  if (prices == nullptr) return offers;
  if (study.spec.prices.term == "spot") add("spot", monthly(prices->spot_usd_per_gpu_hour), 1);
  for (const CommitmentSpec& commitment : study.spec.horizon->commitments)
    add(commitment.term,
        commitment.term == "reserved" ? monthly(prices->reserved_usd_per_gpu_hour)
                                      : owned_month(study.spec.prices, *prices, **has, commitment.months),
        commitment.months);
  return offers;
}

}  // namespace servecast
