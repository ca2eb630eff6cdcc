#include "sim/report/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/report/any_order_sum.h"

namespace servecast {

std::int64_t nearest_rank(double q, std::int64_t count) {
  assert(q > 0 && q <= 1 && count > 0);
  // 0.95 * 20 is 19.000000000000000 in decimal but may come out a hair above 19 in binary: forgive a rounding error.
  const double rank = q * static_cast<double>(count);
  const double nearest = std::round(rank);
  const bool whole = std::abs(rank - nearest) <= 1e-12 * rank;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole ? nearest : std::ceil(rank)));
}

std::optional<Statistics> statistics_of(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(values.size());
  AnyOrderSum sum;
  for (const double value : values) sum.add(value);
  auto sorted_to = values.begin();       // everything before it is no larger than everything after it
  const auto quantile = [&](double q) {  // asked in rising order, so that each search starts where the last one ended
    const auto at = values.begin() + (nearest_rank(q, count) - 1);
    std::nth_element(sorted_to, at, values.end());
    sorted_to = at;
    return *at;
  };
  Statistics d{.mean = sum.value() / static_cast<double>(count)};
  d.p50 = quantile(0.50);
  d.p90 = quantile(0.90);
  d.p95 = quantile(0.95);
  d.p99 = quantile(0.99);
  d.max = *std::max_element(sorted_to, values.end());
  return d;
}

}  // namespace servecast
