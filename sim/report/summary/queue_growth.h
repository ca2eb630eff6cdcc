#pragma once
#include <optional>
#include <span>

#include "sim/report/record/request_totals.h"
#include "sim/report/record/series.h"

namespace servecast {

/// Waiting requests on average, in the second and the last quarter of the time in which requests arrive.
struct QueueGrowth {
  double before = 0;
  double at_end = 0;
};

/// A queue that is longer in the last quarter of the arrivals than in the second, by half and by more than one
/// request per replica. The first quarter is left out, where a system fills up; the time after the last arrival,
/// where it empties. Nothing where it does not grow, or the arrivals are too short to tell.
std::optional<QueueGrowth> queue_growth(std::span<const SeriesRow> series, double replicas);

/// Whether requests come for half of the run or longer, and not all at its beginning.
bool keep_arriving(std::span<const SeriesRow> series);

/// Whether a queue is only as short as it is because clients give up: 1 % of the requests or more left it
/// (`left_queue`), or were given up at all while more requests wait than run, so that by Little's law they wait for
/// longer than they are served.
bool only_leaving_bounds_queue(const RequestCounts& all, std::int64_t left_queue, std::span<const SeriesRow> series);

}  // namespace servecast
