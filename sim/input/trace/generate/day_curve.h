#pragma once
#include <vector>

#include "sim/input/trace/generate/arrivals.h"

namespace servecast {

/// Turns the time of a process with an even rate into the time at which the same happens when the rate follows a
/// curve: even time e belongs to the time t at which the curve's integral from 0 to t is e. The curve is constant
/// within each of its equal segments (24 hours, or 96 steps of a sine wave) and its mean is 1.
class DayCurve {
 public:
  explicit DayCurve(const DayCurveSpec& spec);

  /// `even_s` must not decrease from call to call.
  double time_s(double even_s);

  const std::vector<double>& factors() const { return factors_; }

 private:
  std::vector<double> factors_;
  double segment_s_ = 0;
  std::size_t segment_ = 0;  // counted on through the days
  double even_begin_s_ = 0;  // even time at which it begins
};

}  // namespace servecast
