#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/plan/series.h"

namespace servecast {

/// The same calls on two clocks: a profiler's records and the device's events, [call].
struct TwoClocks {
  std::vector<double> record_s{};
  std::vector<double> event_s{};
};

/// Holds a sample of what is measured by a profiler's records against the device's events. Events count what lies
/// between the kernels of a call, too, so only calls that take far longer are compared: a few of each operator.
class ClockCheck {
 public:
  /// Whether calls that take `seconds` are worth comparing.
  bool wants(const MeasureTarget& target, double seconds) const;
  /// Nothing happens where either list is empty.
  void add(const MeasureTarget& target, const TwoClocks& clocks);

  std::int64_t targets() const { return targets_; }
  /// Records over events: the median of a target's calls, of the target where it is farthest from 1. 1 without any.
  double worst_ratio() const { return worst_ratio_; }
  /// One line for a person: what was compared, how far apart it is, and a warning beyond 2 %. Empty without any.
  std::string text() const;

 private:
  std::map<std::string, int> compared_{};  // by operator
  std::int64_t targets_ = 0;
  double worst_ratio_ = 1;
  std::string worst_{};
};

}  // namespace servecast
