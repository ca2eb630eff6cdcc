#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/report/record/series.h"
#include "sim/report/summary/summary.h"

namespace servecast {

/// What a reader should know before trusting the numbers: a queue that grows, a full KV cache, requests that were not
/// served, steps outside the fitted range. One sentence or two each. `series` may be empty: then nothing is said
/// about the queue.
std::vector<std::string> warnings(const Summary& summary, std::span<const SeriesRow> series);

}  // namespace servecast
