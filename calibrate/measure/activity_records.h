#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// What a profiler says of one kernel or copy: when it ran, on the GPU's own clock.
struct ActivityRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool copy = false;  // else a kernel
};

/// What of its records makes a call's time.
enum class CallTime {
  busy,    // all together, but not what the GPU waited between two
  span,    // from the first's start to the last's end: waiting belongs to it
  copies,  // as busy, of copies alone: kernels run beside them
};

/// Seconds that each of `calls` calls took; what ran at the same time counts once. Records in any order; calls come
/// one after the other and leave as many records each. Throws DeviceError where the records are none or cannot be
/// shared out, which means that some were lost.
std::vector<double> seconds_of_calls(std::vector<ActivityRecord> records, int calls, CallTime time = CallTime::busy);

}  // namespace servecast
