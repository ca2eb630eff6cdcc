#include "sim/plan/judge/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "models/base/counts.h"
#include "models/hw/power_cost/cost.h"
#include "sim/input/scenario/node_use.h"
#include "sim/input/scenario/scenario.h"
#include "sim/plan/study/study_spec.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

struct RentTerm {
  std::string_view name;
  std::optional<double> GpuPriceSpec::*price;
};
constexpr std::array<RentTerm, 3> rent_terms{{{"on_demand", &GpuPriceSpec::on_demand_usd_per_gpu_hour},
                                              {"reserved", &GpuPriceSpec::reserved_usd_per_gpu_hour},
                                              {"spot", &GpuPriceSpec::spot_usd_per_gpu_hour}}};

const GpuPriceSpec* find(const PriceSpec& prices, const std::string& gpu) {
  const auto found = std::ranges::find(prices.gpus, gpu, &GpuPriceSpec::gpu);
  return found == prices.gpus.end() ? nullptr : &*found;
}

std::optional<double> rent(const PriceSpec& prices, const RentTerm& term, const GpuCount& kind) {
  const GpuPriceSpec* listed = find(prices, kind.gpu);
  if (listed != nullptr && listed->*term.price) return listed->*term.price;
  if (term.name == "on_demand") return kind.usd_per_gpu_hour;
  return std::nullopt;
}

/// The most that one of a group's kinds of GPU costs, by the price of each kind.
double dearest(const NodeCount& group, const std::map<std::string, double>& usd) {
  double highest = 0;
  for (const std::string& kind : group.kinds) highest = std::max(highest, usd.at(kind));
  return highest;
}

/// At the price of the dearest kind on the node, each of which is on offer: they are in use.
double unused_usd(const UnusedCount& unused, const PriceSpec& prices, const RentTerm& term) {
  double highest = 0;
  for (const auto& [kind, usd] : unused.usd_per_gpu_hour)
    highest = std::max(highest, rent(prices, term, {.gpu = kind, .usd_per_gpu_hour = usd}).value());
  return highest * real(unused.gpus);
}

std::optional<double> rented(const Machines& m, const PriceSpec& prices, const RentTerm& term, double mean_w) {
  double sum = 0;
  std::map<std::string, double> usd;
  for (const GpuCount& kind : m.gpus) {
    const auto price = rent(prices, term, kind);
    if (!price) return std::nullopt;
    sum += *price * real(kind.count);
    usd[kind.gpu] = *price;
  }
  for (const UnusedCount& unused : m.unused) sum += unused_usd(unused, prices, term);
  for (const NodeCount& group : m.groups) sum += dearest(group, usd) * real(group.spare_nodes * group.gpus_per_node);
  return sum + power_usd_per_hour(mean_w, m.pue, m.usd_per_kwh);
}

std::optional<double> owned(const Machines& m, const PriceSpec& prices, double mean_w) {
  if (!prices.owned) return std::nullopt;
  std::map<std::string, double> usd;
  double gpus_usd = 0;
  for (const GpuCount& kind : m.gpus) {
    const GpuPriceSpec* listed = find(prices, kind.gpu);
    if (listed == nullptr || !listed->purchase_usd) return std::nullopt;
    gpus_usd += *listed->purchase_usd * real(kind.count);
    usd[kind.gpu] = *listed->purchase_usd;
  }
  for (const NodeCount& group : m.groups) {  // nodes are bought full
    const std::int64_t gpus = (group.nodes + group.spare_nodes) * group.gpus_per_node;
    gpus_usd += dearest(group, usd) * real(gpus - group.gpus_in_use);
  }
  const double all_usd = gpus_usd + prices.owned->node_purchase_usd * real(m.nodes() + m.spare_nodes());
  return owned_usd_per_hour(all_usd, prices.owned->lifetime_s) +
         power_usd_per_hour(mean_w, prices.owned->pue, prices.owned->usd_per_kwh);
}

/// None: no pool is on it.
std::optional<NodeCount> node_count(const SizedScenario& sized, std::size_t number) {
  const NodeGroup& group = sized.groups[number];
  NodeCount count{.spare_nodes = group.spares, .gpus_per_node = group.node.gpus};
  std::set<std::int64_t> nodes;
  for (const Pool& pool : sized.pools) {
    if (pool.group != number) continue;
    count.gpus_in_use += pool.gpus();
    count.kinds.push_back(pool.spec.gpu);
    for (const ReplicaPlace& place : pool.places)
      for (const GpuPlace& gpu : place.gpus) nodes.insert(gpu.node);
  }
  count.nodes = static_cast<std::int64_t>(nodes.size());
  return count.kinds.empty() ? std::nullopt : std::optional(count);
}

/// What nodes draw beside the GPUs in use; spares with all of theirs idle.
double beside_w(const SizedScenario& sized, std::size_t number, const NodeCount& count) {
  const Node& node = sized.groups[number].node;
  const Pool& first = *std::ranges::find(sized.pools, number, &Pool::group);
  const double spare_w = node.overhead_w + real(node.gpus) * first.gpu.power.idle_w;
  return node.overhead_w * real(count.nodes) + spare_w * real(count.spare_nodes);
}

}  // namespace

std::int64_t Machines::gpu_count() const {
  std::int64_t sum = 0;
  for (const GpuCount& kind : gpus) sum += kind.count;
  return sum;
}

std::int64_t Machines::nodes() const {
  std::int64_t sum = 0;
  for (const NodeCount& group : groups) sum += group.nodes;
  return sum;
}

std::int64_t Machines::spare_nodes() const {
  std::int64_t sum = 0;
  for (const NodeCount& group : groups) sum += group.spare_nodes;
  return sum;
}

Machines machines_of(const SizedScenario& sized, const std::optional<AvailabilitySpec>& availability) {
  Machines m;
  std::map<std::string, GpuCount> kinds;
  for (const Pool& pool : sized.pools) {
    GpuCount& kind = kinds[pool.spec.gpu];
    kind.gpu = pool.spec.gpu;
    const double before_usd = kind.usd_per_gpu_hour * real(kind.count);
    kind.count += pool.gpus();
    kind.usd_per_gpu_hour = (before_usd + pool.usd_per_gpu_hour() * real(pool.gpus())) / real(kind.count);
    m.least_w += pool.gpu.power.idle_w * real(pool.gpus());
    m.most_w += pool.spec.power_cap_w.value_or(pool.gpu.power.cap_w) * real(pool.gpus());
  }
  for (const auto& [name, kind] : kinds) m.gpus.push_back(kind);
  double beside_gpus_w = 0;
  for (std::size_t i = 0; i < sized.groups.size(); ++i)
    if (const auto group = node_count(sized, i)) {
      m.groups.push_back(*group);
      beside_gpus_w += beside_w(sized, i, *group);
    }
  for (const auto& [number, use] : node_uses(sized.pools)) {
    const NodeGroup& group = sized.groups[use.group];
    if (group.rented_whole && use.gpus < group.node.gpus)
      m.unused.push_back({.gpus = group.node.gpus - use.gpus, .usd_per_gpu_hour = use.usd_per_gpu_hour});
  }
  m.least_w += beside_gpus_w;
  m.most_w += beside_gpus_w;
  if (availability)
    for (NodeCount& group : m.groups)
      group.spare_nodes =
          std::max(group.spare_nodes,
                   spare_machines(group.nodes, available_fraction(availability->mtbf_s, availability->mttr_s),
                                  availability->target_fraction));
  if (sized.spec.account) {
    m.usd_per_kwh = sized.spec.account->usd_per_kwh;
    m.pue = sized.spec.account->pue;
  }
  return m;
}

std::optional<double> usd_per_hour(const Machines& machines, const PriceSpec& prices, const std::string& term,
                                   double mean_w) {
  for (const RentTerm& known : rent_terms)
    if (known.name == term) return rented(machines, prices, known, mean_w);
  return owned(machines, prices, mean_w);
}

std::optional<std::string> over_budget(const Machines& machines, const BudgetSpec& budgets, double usd_per_hour) {
  if (budgets.usd_per_hour && usd_per_hour > *budgets.usd_per_hour)
    return fmt::format("costs {}/h of at most {}", human::usd(usd_per_hour), human::usd(*budgets.usd_per_hour));
  if (budgets.power_w && machines.most_w > *budgets.power_w)
    return fmt::format("may draw {} of at most {}", human::watts(machines.most_w), human::watts(*budgets.power_w));
  for (const GpuBudgetSpec& budget : budgets.gpus)
    for (const GpuCount& kind : machines.gpus)
      if (kind.gpu == budget.gpu && kind.count > budget.at_hand)
        return fmt::format("takes {} x {} of {} at hand", kind.count, kind.gpu, budget.at_hand);
  return std::nullopt;
}

}  // namespace servecast
