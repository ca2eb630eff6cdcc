#pragma once
#include <optional>
#include <span>
#include <string>

#include "sim/report/summary/summary.h"

namespace servecast {

/// The range that a forecast's figures fall into 9 times out of 10, figure by figure: what is left of a summary when
/// every number in it is replaced by its 5 % and its 95 % quantile over the replicates.
struct Interval {
  std::int64_t replicates = 0;
  Summary p05{};
  Summary p95{};
};

/// How much wider the calibration's error is drawn where batches are larger than any that it was tested on. Of the
/// three measured servers that were saturated, two were 11 and 14 % slower than forecast.
double wider_by(const Summary& best);

/// By nearest rank among the replicates that have the figure. Requires replicates.
Interval interval_of(const Summary& best, std::span<const Summary> replicates);

/// summary.json with the interval: the keys "replicates", "p05" and "p95", the latter two with the keys of the
/// summary.
std::string to_json(const Summary& best, const Interval& interval);

/// None where the file was written without replicates. Throws UserError as read_summary() does.
std::optional<Interval> read_interval(const std::string& file);

}  // namespace servecast
