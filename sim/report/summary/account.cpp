#include "sim/report/summary/account.h"

#include <algorithm>
#include <numeric>

#include "models/base/units.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {
namespace {

constexpr double joules_per_kwh = 3.6e6;

/// Before currency, carbon and requests are worked out.
struct Paid {
  std::string item{};
  double gpu_hours = 0;
  double j = 0;
  double usd = 0;
};

std::vector<Paid> paid_for(const RunFacts& facts) {
  std::vector<Paid> paid;
  for (const PoolFacts& pool : facts.pools) {
    const double hours = pool.paid_gpus() * facts.duration_s / seconds_per_hour;
    paid.push_back({"GPUs of " + pool.name, hours, pool.energy_j, hours * pool.usd_per_gpu_hour});
  }
  Paid spares{.item = "spare GPUs"};
  for (const SpareGpus& spare : facts.failures.spares) {
    const double hours = static_cast<double>(spare.gpus) * facts.duration_s / seconds_per_hour;
    spares.gpu_hours += hours;
    spares.usd += hours * spare.usd_per_gpu_hour;
  }
  for (const UnusedGpus& unused : facts.unused_gpus) {
    const double hours = facts.duration_s / seconds_per_hour;
    paid.push_back({.item = unused.group.empty() ? "unused GPUs" : "unused GPUs of " + unused.group,
                    .gpu_hours = unused.gpus * hours,
                    .usd = unused.usd_per_hour * hours});
  }
  if (!facts.failures.spares.empty()) paid.push_back(spares);
  paid.push_back({.item = "nodes",
                  .j = facts.node_overhead_j});  // with what idle GPUs of spares, and of machines rented whole, draw
  for (const SiteEgress& egress : facts.egress)
    if (egress.usd > 0) paid.push_back({.item = "egress of " + egress.group, .usd = egress.usd});
  for (const GatewayStageFacts& stage : facts.gateway.stages)
    if (stage.usd > 0) paid.push_back({.item = stage.policy, .usd = stage.usd});
  for (const TargetFacts& target : facts.gateway.targets)
    if (target.api) paid.push_back({.item = "API " + target.name, .usd = target.usd});
  return paid;
}

AccountLine line_of(const Paid& paid, const AccountTerms& terms, std::int64_t completed) {
  AccountLine line{.item = paid.item, .gpu_hours = paid.gpu_hours, .kwh = paid.j / joules_per_kwh * terms.pue};
  line.cost = (paid.usd + line.kwh * terms.usd_per_kwh) * terms.per_usd;
  if (terms.co2_g_per_kwh) line.co2_g = line.kwh * *terms.co2_g_per_kwh;
  if (completed == 0) return line;
  line.cost_per_request = line.cost / static_cast<double>(completed);
  if (line.co2_g) line.co2_g_per_request = *line.co2_g / static_cast<double>(completed);
  return line;
}

Paid sum_of(const std::vector<Paid>& items) {
  Paid all{.item = "all"};
  for (const Paid& paid : items) {
    all.gpu_hours += paid.gpu_hours;
    all.j += paid.j;
    all.usd += paid.usd;
  }
  return all;
}

/// Seconds that the completed requests of a class were in service.
double service_s(const RequestTotals& totals) {
  const auto e2e = totals.e2e_s.statistics();
  const auto queue = totals.queue_s.statistics();
  if (!e2e) return 0;
  const double mean_s = std::max(0.0, e2e->mean - (queue ? queue->mean : 0));
  return mean_s * static_cast<double>(totals.requests.completed);
}

std::vector<AccountLine> shared_out(const Paid& all, const Recorder& recorder, const RunFacts& facts) {
  std::vector<double> seconds;
  for (const RequestTotals& totals : recorder.classes()) seconds.push_back(service_s(totals));
  const double whole_s = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::vector<AccountLine> lines;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (seconds[i] <= 0) continue;
    const double share = seconds[i] / whole_s;
    const Paid paid{facts.classes[i], all.gpu_hours * share, all.j * share, all.usd * share};
    lines.push_back(line_of(paid, *facts.account, recorder.classes()[i].requests.completed));
  }
  if (lines.size() < 2) lines.clear();
  return lines;
}

}  // namespace

void AccountLine::fields(Fields& f) {
  f.field("item", item,
          "what is paid for (GPUs of a pool, spare GPUs, nodes, egress of a group, a stage of the gateway, an API, "
          "all), or whose requests");
  f.figure("gpu_hours", gpu_hours, "GPUs times hours that they were held",
           {.heading = "GPU-hours", .better = Better::lower});
  f.figure("kwh", kwh, "energy at the building's meter", {.heading = "kWh", .better = Better::lower});
  f.figure("cost", cost, "in the account's currency, electricity included where it is paid for",
           {.heading = "cost", .better = Better::lower});
  f.figure("cost_per_request", cost_per_request, "by completed requests",
           {.heading = "per request", .better = Better::lower});
  f.figure("co2_g", co2_g, "grams of CO2 equivalent", {.heading = "g CO2", .better = Better::lower});
  f.figure("co2_g_per_request", co2_g_per_request, "by completed requests",
           {.heading = "per request", .better = Better::lower});
}

void AccountSummary::fields(Fields& f) {
  f.field("currency", currency, "of all amounts in here");
  f.figure("per_usd", per_usd, "how much a dollar buys");
  f.list("items", items, "what is paid for; the last one is the sum");
  f.list("classes", classes,
         "the sum, shared out by seconds in service (E2E less queueing); empty unless there are several classes");
}

std::optional<AccountSummary> account_of(const Recorder& recorder, const RunFacts& facts, std::int64_t completed) {
  if (!facts.account) return std::nullopt;
  std::vector<Paid> paid = paid_for(facts);
  const Paid all = sum_of(paid);
  paid.push_back(all);
  AccountSummary account{.currency = facts.account->currency, .per_usd = facts.account->per_usd};
  for (const Paid& item : paid) account.items.push_back(line_of(item, *facts.account, completed));
  account.classes = shared_out(all, recorder, facts);
  return account;
}

}  // namespace servecast
