#include "sim/plan/horizon/month_machines.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/base/counts.h"
#include "models/hw/power_cost/cost.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/judge/rent.h"
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

bool by_the_hour(const std::string& term) { return term == "on_demand" || term == "spot"; }

/// Under terms by the hour replicas that come and go are not held throughout.
void count_gpus(MonthDesign& month, const SizedDesign& sized) {
  const bool all = !by_the_hour(sized.term);
  const auto add = [&](const std::string& gpu, std::int64_t count) {
    if (count > 0) month.gpus[{gpu, sized.term == "spot"}] += count;
  };
  for (const PoolCount& pool : sized.machines.pools) {
    double& usd = month.scenario_usd_per_gpu_hour[pool.gpu];
    usd = std::max(usd, pool.usd_per_gpu_hour);
  }
  for (const PoolCount& pool : sized.machines.pools) add(pool.gpu, all ? pool.gpus : pool.always.value_or(pool.gpus));
  for (const UnusedCount& unused : sized.machines.unused) {
    if (unused.comes_and_goes && !all) continue;
    std::vector<std::string> kinds;
    for (const auto& [kind, usd] : unused.usd_per_gpu_hour) kinds.push_back(kind);
    add(dearest_kind(month, kinds), unused.gpus);
  }
  for (const NodeCount& group : sized.machines.groups)
    if (group.spare_nodes > 0) add(dearest_kind(month, group.kinds), group.spare_nodes * group.gpus_per_node);
}

double rent_usd(const SizedDesign& sized, const PriceSpec& prices, const Summary* run) {
  const Rent rent = rent_of(sized.machines, prices, sized.term, run).value();
  return rent.gpus_usd + rent.unused_usd + rent.spares_usd;
}

/// What the run held beyond what is always held.
double by_the_hour_usd(const SizedDesign& sized, const PriceSpec& prices, const Summary& run) {
  if (!sized.machines.scales() || !by_the_hour(sized.term)) return 0;
  return (rent_usd(sized, prices, &run) - rent_usd(sized, prices, nullptr)) * hours_per_month;
}

/// Lines that terms pay for.
constexpr std::array<std::string_view, 4> rent_lines{"GPUs in use", "unused GPUs of whole nodes", "spare nodes",
                                                     "servers"};

/// All that stays whatever the terms; electricity that owners pay comes with their offer.
double beside_usd(const HourCost& cost, const std::string& term) {
  double usd = 0;
  for (const CostLine& line : cost.lines) {
    const bool rent = std::ranges::find(rent_lines, line.item) != rent_lines.end();
    if (!rent && (term != "owned" || line.item != "electricity"))
      usd += (line.by_traffic ? cost.traffic : 1) * line.usd * hours_per_month;
  }
  return usd;
}

/// The purchase over these months; electricity as far as it is not paid beside rent already.
std::optional<TermOffer> owned_offer(const PriceSpec& prices, const GpuPriceSpec& gpu, const MonthDesign& month,
                                     std::int64_t months) {
  if (!prices.owned || !gpu.purchase_usd) return std::nullopt;
  const double bought_usd = *gpu.purchase_usd + prices.owned->node_purchase_usd / real(month.gpus_per_node);
  const double power_usd =
      power_usd_per_hour(month.w_per_gpu, prices.owned->pue, prices.owned->usd_per_kwh) * hours_per_month;
  return TermOffer{.term = "owned",
                   .usd_per_month = bought_usd / real(months) + power_usd - month.power_usd_per_gpu_month,
                   .months = months,
                   .idle_usd_per_month = bought_usd / real(months)};
}

MonthDesign month_design(const Study& study, Sizer& sizer, const DesignResult& d) {
  const SizedDesign& sized = d.sized;
  const Machines& machines = sized.machines;
  MonthDesign month{.design = sized.design,
                    .kinds = sized.kinds,
                    .words = words(study, sized.design),
                    .machines = machines.words(),
                    .requests_per_s = sizer.workload(sized, sizer.seed(sized, 0)).arrivals_per_s()};
  count_gpus(month, sized);
  month.by_the_hour_usd_per_month = by_the_hour_usd(sized, study.spec.prices, *d.best_estimate);
  if (machines.gpu_count() > 0) month.w_per_gpu = mean_w(*d.best_estimate) / real(machines.gpu_count());
  if (sized.term != "owned")
    month.power_usd_per_gpu_month =
        power_usd_per_hour(month.w_per_gpu, machines.pue, machines.usd_per_kwh) * hours_per_month;
  if (!machines.groups.empty())
    month.gpus_per_node = std::ranges::min(machines.groups, {}, &NodeCount::gpus_per_node).gpus_per_node;
  month.beside_usd_per_month = beside_usd(hour_cost(study, sized, *d.best_estimate), sized.term);
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

std::vector<TermOffer> term_offers(const Study& study, const GpuNeed& need,
                                   const std::vector<const MonthDesign*>& months) {
  const auto has = std::ranges::find_if(months, [&](const MonthDesign* m) { return m->gpus.contains(need); });
  if (has == months.end()) return {};
  const GpuPriceSpec* prices = listed(study, need.gpu);
  std::vector<TermOffer> offers;
  const auto rent = [&](const std::string& term, std::optional<double> usd_per_hour, std::int64_t bound) {
    if (!usd_per_hour) return;
    const double usd = *usd_per_hour * hours_per_month;
    offers.push_back({.term = term, .usd_per_month = usd, .months = bound, .idle_usd_per_month = usd});
  };
  const double scenario_usd = (*has)->scenario_usd_per_gpu_hour.at(need.gpu);
  rent("on_demand", prices ? prices->on_demand_usd_per_gpu_hour.value_or(scenario_usd) : scenario_usd, 1);
  if (prices == nullptr) return offers;
  if (need.may_be_called_back) rent("spot", prices->spot_usd_per_gpu_hour, 1);
  for (const CommitmentSpec& commitment : study.spec.horizon->commitments) {
    if (commitment.term == "reserved") rent("reserved", prices->reserved_usd_per_gpu_hour, commitment.months);
    if (commitment.term != "owned") continue;
    if (const auto offer = owned_offer(study.spec.prices, *prices, **has, commitment.months))
      offers.push_back(*offer);
  }
  return offers;
}

}  // namespace servecast
