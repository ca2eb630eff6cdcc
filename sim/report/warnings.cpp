#include "sim/report/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/report/human.h"
#include "sim/report/over_time.h"

namespace servecast {
namespace {

constexpr std::size_t shortest_trend = 20;           // seconds with arrivals from which a trend is looked for
constexpr double growth = 1.5;                       // of the mean queue, from the second quarter to the last
constexpr double full_from_fraction = 0.99;          // of KV blocks
constexpr double extrapolated_from_fraction = 0.05;  // of step time

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// A queue that is longer in the last quarter of the arrivals than in the second, by half and by more than one
/// request per replica. The first quarter is left out, where a system fills up; the time after the last arrival,
/// where it empties.
void queue_grows(const Summary& summary, std::span<const SeriesRow> series, std::vector<std::string>& out) {
  const OverTime all = sum_over_pools(series);
  const auto last = std::ranges::find_if(all.arrivals.rbegin(), all.arrivals.rend(), [](double n) { return n > 0; });
  const auto span = static_cast<std::size_t>(all.arrivals.rend() - last);
  if (span < shortest_trend) return;
  const std::span<const double> waiting(all.waiting);
  const std::size_t quarter = span / 4;
  const double before = mean(waiting.subspan(quarter, quarter));
  const double at_end = mean(waiting.subspan(span - quarter, quarter));
  double replicas = 0;
  for (const PoolSummary& pool : summary.pools) replicas += static_cast<double>(pool.replicas);
  if (at_end <= growth * before + replicas) return;
  out.push_back(
      fmt::format("The queue grows: {} requests wait on average in the second quarter of the arrivals, {} in "
                  "the last. The cluster is saturated, and latencies depend on how long the trace is.",
                  human::number(before), human::number(at_end)));
}

void not_served(const RequestCounts& requests, std::vector<std::string>& out) {
  if (requests.timed_out > 0)
    out.push_back(fmt::format("The clients of {} of {} requests gave up waiting; the latencies leave them out.",
                              human::count(requests.timed_out), human::count(requests.arrived)));
  if (requests.unfinished > 0)
    out.push_back(fmt::format("{} of {} requests were unfinished at the end; the latencies leave them out.",
                              human::count(requests.unfinished), human::count(requests.arrived)));
  if (requests.rejected > 0)
    out.push_back(fmt::format("{} of {} requests were rejected.", human::count(requests.rejected),
                              human::count(requests.arrived)));
}

void kv_full(const PoolSummary& pool, std::vector<std::string>& out) {
  if (pool.kv_used_fraction_max < full_from_fraction) return;
  const std::string cost =
      pool.preemptions == 0 ? "" : fmt::format("; {} preemptions", human::count(pool.preemptions));
  out.push_back(fmt::format("Pool '{}': a replica's KV cache was full{}. More memory or fewer sequences would help.",
                            pool.name, cost));
}

void extrapolated(const RestsOn& basis, std::vector<std::string>& out) {
  if (basis.extrapolated_fraction < extrapolated_from_fraction) return;
  out.push_back(fmt::format("Pool '{}': {} of step time lies outside the range that its latency model was fitted on.",
                            basis.pool, human::percent(basis.extrapolated_fraction)));
}

}  // namespace

std::vector<std::string> warnings(const Summary& summary, std::span<const SeriesRow> series) {
  std::vector<std::string> out;
  queue_grows(summary, series, out);
  not_served(summary.requests, out);
  for (const PoolSummary& pool : summary.pools) kv_full(pool, out);
  for (const RestsOn& basis : summary.rests_on) extrapolated(basis, out);
  return out;
}

}  // namespace servecast
