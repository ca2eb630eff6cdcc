#pragma once
#include <functional>
#include <string>

#include "calibrate/measure/repeats.h"
#include "calibrate/plan/series.h"

namespace servecast {

struct MeasureRequest {
  std::string gpu{};      // name of a GPU file, for the samples
  std::string version{};  // of this program, likewise
  std::string out{};      // samples.csv; goes on where it is there already
  double budget_s = 0;
  std::vector<Series> series{};
  RepeatRule repeats{};
};

struct MeasureProgress {
  std::int64_t samples = 0;    // of this run
  std::int64_t found = 0;      // in the file before
  std::int64_t throttled = 0;  // left out
  std::int64_t skipped = 0;    // do not fit, or cannot run here
  ClockCheck clocks{};
  double spent_s = 0;
};

/// Measures what the planner asks for until the budget is spent or nothing is left; each sample is in the file before
/// the next is begun. Throws DeviceError; what is in the file stays.
MeasureProgress measure(const MeasureRequest& request, GpuBench& bench,
                        const std::function<void(const MeasureProgress&)>& show);

}  // namespace servecast
