#include "sim/plan/judge/hour_cost.h"

#include <algorithm>
#include <array>

#include "models/base/units.h"
#include "models/hw/power_cost/cost.h"
#include "sim/plan/judge/machines.h"
#include "sim/plan/judge/rent.h"
#include "sim/plan/judge/sizer.h"
#include "sim/plan/study/study.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

/// What a line of the account is worked out of.
struct Basis {
  const Machines& machines;
  const PriceSpec& prices;
  const std::string& term;
  const Rent& rent;
  const Summary* run;  // null: the least that any run can come to
};

double software_usd(const Basis& b) {
  return b.prices.software_usd_per_gpu_hour * paid_gpus(b.machines, b.term, b.run);
}

double tiers_usd(const Basis& b) {
  double sum = 0;
  for (const TierCount& tier : b.machines.tiers) {
    const auto price = std::ranges::find(b.prices.kv_tiers, tier.kind, &TierPriceSpec::kind);
    if (price != b.prices.kv_tiers.end()) sum += price->usd_per_billion_bytes_month * tier.bytes / 1e9;
  }
  return sum / hours_per_month;
}

/// Owners pay for it themselves; renters do where the scenario's account says so.
double electricity_usd(const Basis& b) {
  const double w = b.run != nullptr ? mean_w(*b.run) : b.machines.least_w;
  if (b.term == "owned") return power_usd_per_hour(w, b.prices.owned->pue, b.prices.owned->usd_per_kwh);
  return power_usd_per_hour(w, b.machines.pue, b.machines.usd_per_kwh);
}

double answers_usd(const Basis& b) {
  if (b.run == nullptr || !b.prices.egress) return 0;
  const EgressSpec& egress = *b.prices.egress;
  const double bytes_per_s =
      b.run->output_tokens_per_s * egress.bytes_per_output_token + b.run->requests_per_s * egress.bytes_per_request;
  return bytes_per_s * seconds_per_hour * egress.usd_per_billion_bytes_sent / 1e9;
}

/// What sites sent each other. Before a run: nothing is known that must cross.
double site_egress_usd(const Basis& b) {
  if (b.run == nullptr || b.run->duration_s <= 0) return 0;
  return egress_usd(b.run->egress) / b.run->duration_s * seconds_per_hour;
}

/// All that gateway stages and outside APIs bill: the run's bill without what has lines of its own.
double bills_usd(const Basis& b) {
  if (b.run == nullptr || b.run->duration_s <= 0) return 0;
  double usd = 0;
  for (const BillSummary& line : b.run->gateway.bill)
    if (line.item != "GPUs" && line.item != "egress" && line.item != "all") usd += line.usd;
  return usd / b.run->duration_s * seconds_per_hour;
}

struct CostPart {
  std::string_view item;
  bool by_traffic;
  double (*usd)(const Basis&);  // without a run never more than with any
};
constexpr std::array<CostPart, 10> cost_parts{{
    {"GPUs in use", false, [](const Basis& b) { return b.rent.gpus_usd; }},
    {"unused GPUs of whole nodes", false, [](const Basis& b) { return b.rent.unused_usd; }},
    {"spare nodes", false, [](const Basis& b) { return b.rent.spares_usd; }},
    {"servers", false, [](const Basis& b) { return b.rent.nodes_usd; }},
    {"software", false, software_usd},
    {"KV tiers", false, tiers_usd},
    {"electricity", false, electricity_usd},
    {"egress", true, answers_usd},
    {"egress between sites", true, site_egress_usd},
    {"gateway and outside APIs", true, bills_usd},
}};

std::optional<HourCost> account(const Machines& machines, const PriceSpec& prices, const std::string& term,
                                const Summary* run, double traffic) {
  const std::optional<Rent> rent = rent_of(machines, prices, term, run);
  if (!rent) return std::nullopt;
  HourCost cost{.lines = {}, .traffic = traffic};
  const Basis basis{machines, prices, term, *rent, run};
  for (const CostPart& part : cost_parts)
    if (const double usd = part.usd(basis); usd != 0)
      cost.lines.push_back({.item = part.item, .usd = usd, .by_traffic = part.by_traffic});
  return cost;
}

}  // namespace

double HourCost::usd() const {
  double sum = 0;
  for (const CostLine& line : lines) sum += line.by_traffic ? line.usd * traffic : line.usd;
  return sum;
}

double HourCost::usd_at_peak() const {
  double sum = 0;
  for (const CostLine& line : lines) sum += line.usd;
  return sum;
}

double HourCost::by_traffic_usd() const {
  double sum = 0;
  for (const CostLine& line : lines)
    if (line.by_traffic) sum += line.usd * traffic;
  return sum;
}

std::optional<HourCost> least_hour_cost(const Machines& machines, const PriceSpec& prices, const std::string& term) {
  return account(machines, prices, term, nullptr, 1);
}

std::optional<HourCost> hour_cost(const Study& study, const SizedDesign& sized, const std::string& term,
                                  const Summary& run) {
  return account(sized.machines, study.spec.prices, term, &run, study.mean_rate_factor() / study.peak_rate_factor());
}

HourCost hour_cost(const Study& study, const SizedDesign& sized, const Summary& run) {
  return hour_cost(study, sized, sized.term, run).value();
}

std::optional<std::string> over_budget(const Study& study, const SizedDesign& sized, const Summary& run) {
  return over_budget(sized.machines, study.spec.budgets, hour_cost(study, sized, run).usd());
}

double mean_w(const Summary& run) { return run.duration_s > 0 ? run.energy.j_total / run.duration_s : 0; }

bool asks_outside(const Summary& run) {
  return std::ranges::any_of(run.gateway.answered_by, [&](const AnsweredBy& by) {
    return by.llm_calls > 0 &&
           std::ranges::find(run.gateway.bill, "API " + by.target, &BillSummary::item) != run.gateway.bill.end();
  });
}

}  // namespace servecast
