#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/measure/measure.h"
#include "calibrate/measure/step_bench.h"

namespace servecast {

struct StepsRequest {
  std::string gpu{};      // name of a GPU file, for the samples
  std::string version{};  // of this program, likewise
  StepModel model{};
  std::string out{};  // steps.csv; goes on where it is there already
  double budget_s = 0;
  std::vector<StepShape> shapes{};
  RepeatRule repeats{};
};

/// Measures one shape after the other until the budget is spent or none is left; one that is in the file is not
/// measured again. None is begun that would pass the budget if it took as long as the longest so far. Each sample is
/// in the file before the next is begun. Throws DeviceError; what is in the file stays.
MeasureProgress measure_steps(const StepsRequest& request, StepBench& bench,
                              const std::function<void(const MeasureProgress&)>& show);

}  // namespace servecast
