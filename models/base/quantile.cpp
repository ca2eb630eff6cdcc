#include "models/base/quantile.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace servecast {

std::int64_t nearest_rank(double q, std::int64_t count) {
  assert(q > 0 && q <= 1 && count > 0);
  // 0.95 * 20 is 19.000000000000000 in decimal but may come out a hair above 19 in binary: forgive a rounding error.
  const double rank = q * static_cast<double>(count);
  const double nearest = std::round(rank);
  const bool whole = std::abs(rank - nearest) <= 1e-12 * rank;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole ? nearest : std::ceil(rank)));
}

double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + (nearest_rank(q, static_cast<std::int64_t>(values.size())) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace servecast
