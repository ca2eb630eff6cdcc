#pragma once
#include <vector>

#include "calibrate/measure/activity_records.h"

namespace servecast {

/// CUPTI's activity records of kernels and copies. One at a time.
class Activity {
 public:
  /// Throws DeviceError where CUPTI is missing or may not be used.
  Activity();
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// What ran since the last call; the device must be idle.
  std::vector<ActivityRecord> take();
};

}  // namespace servecast
