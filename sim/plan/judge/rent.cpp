#include "sim/plan/judge/rent.h"

#include <algorithm>
#include <array>
#include <map>

#include "models/base/counts.h"
#include "models/hw/power_cost/cost.h"
#include "sim/plan/judge/machines.h"
#include "sim/plan/study/price_spec.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

struct RentTerm {
  std::string_view name;
  std::optional<double> GpuPriceSpec::*price;
  bool by_the_hour;  // what is given back costs nothing
};
constexpr std::array<RentTerm, 4> rent_terms{{{"on_demand", &GpuPriceSpec::on_demand_usd_per_gpu_hour, true},
                                              {"reserved", &GpuPriceSpec::reserved_usd_per_gpu_hour, false},
                                              {"spot", &GpuPriceSpec::spot_usd_per_gpu_hour, true},
                                              {"owned", &GpuPriceSpec::purchase_usd, false}}};

const RentTerm& term_named(const std::string& name) {
  return *std::ranges::find(rent_terms, std::string_view(name), &RentTerm::name);
}

/// Per hour, or to buy one; on demand the scenario's price stands where the study has none.
std::optional<double> price_of(const PriceSpec& prices, const RentTerm& term, const std::string& gpu,
                               double scenario_usd) {
  const auto listed = std::ranges::find(prices.gpus, gpu, &GpuPriceSpec::gpu);
  if (listed != prices.gpus.end() && (*listed).*term.price) return (*listed).*term.price;
  if (term.name == "on_demand") return scenario_usd;
  return std::nullopt;
}

/// Mean over the run; without one, the fewest.
double held(const PoolCount& pool, const RentTerm& term, const Summary* run) {
  if (!pool.always || !term.by_the_hour) return real(pool.gpus);
  if (run == nullptr) return real(*pool.always);
  const auto scaled = std::ranges::find(run->scaling, pool.pool, &ScalingSummary::pool);
  return scaled == run->scaling.end() ? real(pool.gpus) : scaled->rented_mean * real(pool.gpus_per_replica);
}

/// The highest price of each kind of GPU in use.
using KindPrices = std::map<std::string, double>;

double dearest(const NodeCount& group, const KindPrices& usd) {
  double highest = 0;
  for (const std::string& kind : group.kinds) highest = std::max(highest, usd.at(kind));
  return highest;
}

/// At the price of the dearest kind on the node, each of which is on offer: they are in use.
double unused_usd(const UnusedCount& unused, const PriceSpec& prices, const RentTerm& term) {
  double highest = 0;
  for (const auto& [kind, usd] : unused.usd_per_gpu_hour)
    highest = std::max(highest, price_of(prices, term, kind, usd).value());
  return highest * real(unused.gpus);
}

/// Where replicas come and go, how much of a rented node is unused changes, too: the run knows.
double unused_in(const Summary& run, const Machines& m, const RentTerm& term, const KindPrices& usd) {
  double sum = 0;
  for (const UnusedGpus& unused : run.unused_gpus) {
    const auto group = std::ranges::find(m.groups, unused.group, &NodeCount::group);
    const bool as_the_scenario_says = term.name == "on_demand" || group == m.groups.end();
    sum += as_the_scenario_says ? unused.usd_per_hour : unused.gpus * dearest(*group, usd);
  }
  return sum;
}

std::optional<Rent> rented(const Machines& m, const PriceSpec& prices, const RentTerm& term, const Summary* run) {
  Rent rent;
  KindPrices usd;
  for (const PoolCount& pool : m.pools) {
    const auto price = price_of(prices, term, pool.gpu, pool.usd_per_gpu_hour);
    if (!price) return std::nullopt;
    rent.gpus_usd += *price * held(pool, term, run);
    usd[pool.gpu] = std::max(usd[pool.gpu], *price);
  }
  if (m.scales() && term.by_the_hour && run != nullptr)
    rent.unused_usd = unused_in(*run, m, term, usd);
  else
    for (const UnusedCount& unused : m.unused)
      if (!unused.comes_and_goes || !term.by_the_hour) rent.unused_usd += unused_usd(unused, prices, term);
  for (const NodeCount& group : m.groups)
    rent.spares_usd += dearest(group, usd) * real(group.spare_nodes * group.gpus_per_node);
  return rent;
}

std::optional<Rent> owned(const Machines& m, const PriceSpec& prices, const RentTerm& term) {
  if (!prices.owned) return std::nullopt;
  Rent rent;
  KindPrices usd;
  const auto per_hour = [&](double purchase_usd) {
    return owned_usd_per_hour(purchase_usd, prices.owned->lifetime_s);
  };
  for (const PoolCount& pool : m.pools) {
    const auto price = price_of(prices, term, pool.gpu, 0);
    if (!price) return std::nullopt;
    rent.gpus_usd += per_hour(*price * real(pool.gpus));
    usd[pool.gpu] = *price;
  }
  for (const NodeCount& group : m.groups) {  // nodes are bought full
    const double one = dearest(group, usd);
    rent.unused_usd += per_hour(one * real(group.nodes * group.gpus_per_node - group.gpus_in_use));
    rent.spares_usd += per_hour(one * real(group.spare_nodes * group.gpus_per_node));
  }
  rent.nodes_usd = per_hour(prices.owned->node_purchase_usd * real(m.nodes() + m.spare_nodes()));
  return rent;
}

}  // namespace

std::optional<Rent> rent_of(const Machines& machines, const PriceSpec& prices, const std::string& term,
                            const Summary* run) {
  const RentTerm& asked = term_named(term);
  return asked.name == "owned" ? owned(machines, prices, asked) : rented(machines, prices, asked, run);
}

double paid_gpus(const Machines& machines, const std::string& term, const Summary* run) {
  double sum = 0;
  for (const PoolCount& pool : machines.pools) sum += held(pool, term_named(term), run);
  return sum;
}

}  // namespace servecast
