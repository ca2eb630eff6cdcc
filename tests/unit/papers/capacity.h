#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace servecast {

/// Where a search for the highest rate begins and how fine it becomes.
struct RateSearch {
  double low = 0;   // kept for sure
  double high = 0;  // broken for sure
  double precision = 0.03;
};

/// The highest rate that keeps what was promised, by bisection of its logarithm; a rate that is kept is taken to be
/// kept at all lower ones. Fails the test where the two ends do not hold what they promise.
inline double highest_rate(const RateSearch& search, const std::function<bool(double rate)>& keeps) {
  double low = search.low;
  double high = search.high;
  EXPECT_TRUE(keeps(low)) << "broken already at " << low;
  EXPECT_FALSE(keeps(high)) << "kept still at " << high;
  while (high / low > 1 + search.precision) {
    const double middle = std::sqrt(low * high);
    (keeps(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace servecast
