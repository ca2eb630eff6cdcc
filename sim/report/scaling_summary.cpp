#include "sim/report/scaling_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/units.h"
#include "sim/report/human.h"
#include "sim/report/run_facts.h"
#include "sim/report/share_left.h"
#include "sim/report/spread.h"

namespace servecast {
namespace {

std::optional<Statistics> statistics(std::span<const double> values) {
  Spread spread;
  for (const double value : values) spread.add(value);
  return spread.statistics();
}

}  // namespace

void ScalingSummary::fields(Fields& f) {
  f.field("pool", pool, "pool");
  f.field("autoscaler", autoscaler, "what decides how many of its replicas serve");
  f.field("serving_mean", serving_mean, "replicas that served, mean over the run");
  f.field("serving_max", serving_max, "at most");
  f.field("rented_mean", rented_mean, "replicas paid for, mean over the run: those that start, drain or wait, too");
  f.field("gpu_hours", gpu_hours, "paid for");
  f.field("saved_fraction", saved_fraction, "of what all its replicas would have cost all the time", fraction);
  f.field("starts", starts, "replicas that began to start");
  f.field("woken", woken, "times that one came from the warm reserve");
  f.field("stops", stops, "times that one had done all and was switched off, or went to the reserve");
  f.group("start_s", start_s, "from the decision until it served");
  f.group("drain_s", drain_s, "from its last request until it had done all");
  f.field("mirrored", mirrored, "prompts computed to fill caches of new replicas");
}

std::vector<ScalingSummary> scaling_of(const RunFacts& facts) {
  std::vector<ScalingSummary> all;
  for (const ScalingTotals& t : facts.scaling) {
    const PoolFacts& pool = *std::ranges::find(facts.pools, t.pool, &PoolFacts::name);
    const double run_s = std::max(facts.duration_s, 1e-9);
    all.push_back({.pool = t.pool,
                   .autoscaler = t.autoscaler,
                   .serving_mean = t.serving_s / run_s,
                   .serving_max = t.most_serving,
                   .rented_mean = t.rented_s / run_s,
                   .gpu_hours = pool.paid_gpus() * facts.duration_s / seconds_per_hour,
                   .saved_fraction = share_left(pool.paid_gpus(), static_cast<double>(pool.gpus)),
                   .starts = t.starts,
                   .woken = t.woken,
                   .stops = t.stops,
                   .start_s = statistics(t.start_s),
                   .drain_s = statistics(t.drain_s),
                   .mirrored = t.mirrored});
  }
  return all;
}

std::optional<TextTable> scaling_table(std::span<const ScalingSummary> scaling) {
  if (scaling.empty()) return std::nullopt;
  const auto mean = [](const std::optional<Statistics>& s) { return s ? human::seconds(s->mean) : "-"; };
  TextTable table(2);
  table.row(
      {"", "autoscaler", "serving", "most", "rented", "GPU hours", "saved", "starts", "stops", "a start", "a stop"});
  for (const ScalingSummary& p : scaling)
    table.row({p.pool, p.autoscaler, fmt::format("{:.1f}", p.serving_mean), human::count(p.serving_max),
               fmt::format("{:.1f}", p.rented_mean), fmt::format("{:.2f}", p.gpu_hours),
               human::percent(p.saved_fraction), human::count(p.starts + p.woken), human::count(p.stops),
               mean(p.start_s), mean(p.drain_s)});
  return table;
}

}  // namespace servecast
