#include "sim/report/text/warnings.h"

#include <fmt/format.h>

#include "sim/report/layout/human.h"
#include "sim/report/summary/queue_growth.h"

namespace servecast {
namespace {

constexpr double full_from_fraction = 0.99;          // of KV blocks
constexpr double busy_from_fraction = 0.9;           // of a front end's time, or its tokenisers'
constexpr double extrapolated_from_fraction = 0.05;  // of step time

void saturation(const Summary& summary, std::span<const SeriesRow> series, std::vector<std::string>& out) {
  double replicas = 0;
  for (const PoolSummary& pool : summary.pools) replicas += static_cast<double>(pool.replicas);
  if (const auto queue = queue_growth(series, replicas))
    return out.push_back(
        fmt::format("The queue grows: {} requests wait on average in the second quarter of the arrivals, {} in "
                    "the last. The cluster is saturated, and latencies depend on how long the trace is.",
                    human::number(queue->before), human::number(queue->at_end)));
  if (summary.saturated)
    return out.push_back(
        "The cluster is saturated: the queue stays as long as it is only because clients give up waiting, and "
        "latencies depend on how long they wait.");
  for (const PoolSummary& pool : summary.pools)
    if (summary.near_saturation && pool.sequences_used_fraction > nearly_all_sequences)
      out.push_back(
          fmt::format("Pool '{}' is near saturation: at its busiest it runs {} of the sequences it may. A "
                      "small error of the step time is a large one of the queue there.",
                      pool.name, human::percent(pool.sequences_used_fraction)));
}

void not_served(const RequestCounts& requests, std::vector<std::string>& out) {
  if (requests.timed_out > 0)
    out.push_back(fmt::format("The clients of {} of {} requests gave up waiting; the latencies leave them out.",
                              human::count(requests.timed_out), human::count(requests.arrived)));
  if (requests.unfinished > 0)
    out.push_back(fmt::format("{} of {} requests were unfinished at the end; the latencies leave them out.",
                              human::count(requests.unfinished), human::count(requests.arrived)));
  if (requests.shed > 0)
    out.push_back(fmt::format("{} of {} requests were turned away for the load (HTTP 429).",
                              human::count(requests.shed), human::count(requests.arrived)));
  if (requests.rejected > 0)
    out.push_back(fmt::format("{} of {} requests were rejected.", human::count(requests.rejected),
                              human::count(requests.arrived)));
  if (requests.lost > 0)
    out.push_back(fmt::format("{} of {} requests were lost with the replicas that served them.",
                              human::count(requests.lost), human::count(requests.arrived)));
}

void promised_to_nobody(const ClassSummary& c, std::vector<std::string>& out) {
  if (c.requests.arrived == 0) out.push_back(fmt::format("slo.classes: no request of class '{}' arrived.", c.name));
}

void kv_full(const PoolSummary& pool, std::vector<std::string>& out) {
  if (pool.kv_used_fraction_max < full_from_fraction) return;
  const std::string cost =
      pool.preemptions == 0 ? "" : fmt::format("; {} preemptions", human::count(pool.preemptions));
  out.push_back(fmt::format("Pool '{}': a replica's KV cache was full{}. More memory or fewer sequences would help.",
                            pool.name, cost));
}

void front_end_full(const PoolSummary& pool, std::vector<std::string>& out) {
  if (pool.front_end_busy_fraction < busy_from_fraction) return;
  out.push_back(fmt::format(
      "Pool '{}': its front ends are busy {} of the time with pieces of answers, and the GPUs wait for them. "
      "A larger stream_interval or more replicas would help.",
      pool.name, human::percent(pool.front_end_busy_fraction)));
}

void tokenizers_full(const PoolSummary& pool, std::vector<std::string>& out) {
  if (pool.tokenizer_busy_fraction < busy_from_fraction) return;
  out.push_back(fmt::format(
      "Pool '{}': its tokenisers are busy {} of the time, and prompts wait for them, not for the GPUs. More "
      "tokenizer_workers or replicas would help.",
      pool.name, human::percent(pool.tokenizer_busy_fraction)));
}

void extrapolated(const RestsOn& basis, std::vector<std::string>& out) {
  if (basis.extrapolated_fraction < extrapolated_from_fraction) return;
  out.push_back(fmt::format("Pool '{}': {} of step time lies outside the range that its latency model was fitted on.",
                            basis.pool, human::percent(basis.extrapolated_fraction)));
}

}  // namespace

std::vector<std::string> warnings(const Summary& summary, std::span<const SeriesRow> series) {
  std::vector<std::string> out;
  saturation(summary, series, out);
  not_served(summary.requests, out);
  for (const ClassSummary& c : summary.classes) promised_to_nobody(c, out);
  for (const PoolSummary& pool : summary.pools) kv_full(pool, out);
  for (const PoolSummary& pool : summary.pools) tokenizers_full(pool, out);
  for (const PoolSummary& pool : summary.pools) front_end_full(pool, out);
  for (const RestsOn& basis : summary.rests_on) extrapolated(basis, out);
  return out;
}

}  // namespace servecast
