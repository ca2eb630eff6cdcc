#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// What a profiler says of one kernel or copy: when it ran, on the GPU's own clock.
struct ActivityRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// Seconds in which each of `calls` calls kept the GPU busy: what ran at the same time counts once, what the GPU
/// waited between two kernels does not count. Records in any order; calls come one after the other and leave as many
/// records each. Throws DeviceError where the records are none or cannot be shared out, which means that some were
/// lost.
std::vector<double> seconds_of_calls(std::vector<ActivityRecord> records, int calls);

}  // namespace servecast
