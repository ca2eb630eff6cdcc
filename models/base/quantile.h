#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// Rank, from 1, of the q-quantile among `count` sorted values: the smallest rank that leaves a share q at or below
/// it. Requires 0 < q <= 1 and count > 0.
std::int64_t nearest_rank(double q, std::int64_t count);

/// The value of that rank. Requires values.
double quantile(std::vector<double> values, double q);

/// The value in the middle, or the mean of the two that are. Requires values.
double median(std::vector<double> values);

}  // namespace servecast
