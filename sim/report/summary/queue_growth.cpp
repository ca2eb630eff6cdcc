#include "sim/report/summary/queue_growth.h"

#include <algorithm>
#include <numeric>

#include "sim/report/record/over_time.h"

namespace servecast {
namespace {

constexpr std::size_t shortest_trend = 20;  // seconds with arrivals from which a trend is looked for
constexpr double growth = 1.5;              // of the mean queue, from the second quarter to the last

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Seconds until the last arrival.
std::size_t span_of(const std::vector<double>& arrivals) {
  const auto last = std::ranges::find_if(arrivals.rbegin(), arrivals.rend(), [](double n) { return n > 0; });
  return static_cast<std::size_t>(arrivals.rend() - last);
}

}  // namespace

std::optional<QueueGrowth> queue_growth(std::span<const SeriesRow> series, double replicas) {
  const OverTime all = sum_over_pools(series);
  const std::size_t span = span_of(all.arrivals);
  if (span < shortest_trend) return std::nullopt;
  const std::span<const double> waiting(all.waiting);
  const std::size_t quarter = span / 4;
  const QueueGrowth queue{.before = mean(waiting.subspan(quarter, quarter)),
                          .at_end = mean(waiting.subspan(span - quarter, quarter))};
  if (queue.at_end <= growth * queue.before + replicas) return std::nullopt;
  return queue;
}

bool keep_arriving(std::span<const SeriesRow> series) {
  const std::vector<double> arrivals = sum_over_pools(series).arrivals;
  return 2 * span_of(arrivals) >= arrivals.size();
}

bool only_leaving_bounds_queue(const RequestCounts& all, std::int64_t left_queue, std::span<const SeriesRow> series) {
  constexpr double few_fraction = 0.01;
  const double few = std::max(1.0, few_fraction * static_cast<double>(all.arrived));
  if (static_cast<double>(left_queue) >= few) return true;
  const OverTime over = sum_over_pools(series);
  return static_cast<double>(all.timed_out) >= few && mean(over.waiting) > mean(over.running);
}

}  // namespace servecast
