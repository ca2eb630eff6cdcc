#include "sim/report/statistics/statistics.h"

#include <algorithm>

#include "models/base/quantile.h"
#include "sim/report/statistics/any_order_sum.h"

namespace servecast {

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
