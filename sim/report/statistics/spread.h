#pragma once
#include <deque>
#include <optional>

#include "sim/report/statistics/histogram.h"

namespace servecast {

/// One latency of many requests: every value while they are few, a histogram of them from coarsen() on. The order of
/// the values makes no difference.
class Spread {
 public:
  void add(double value_s) {
    if (histogram_)
      histogram_->add(value_s);
    else
      values_s_.push_back(value_s);
  }
  void add(std::optional<double> value_s) {
    if (value_s) add(*value_s);
  }
  /// Adds those of another one; coarse if either was.
  Spread& operator+=(const Spread& other);
  /// Forgets the single values: from now on percentiles are within Histogram::max_error_fraction.
  void coarsen();

  std::int64_t count() const {
    return histogram_ ? histogram_->count() : static_cast<std::int64_t>(values_s_.size());
  }
  std::optional<Statistics> statistics() const;

 private:
  std::deque<double> values_s_;  // up to a million, which a vector would move, and hold twice meanwhile
  std::optional<Histogram> histogram_;
};

}  // namespace servecast
