#pragma once
#include <memory>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/generate/arrivals.h"

namespace servecast {

/// A load test whose stages begin only when the one before is over and all its requests have ended, as inference-perf
/// and other benchmark tools run a ladder. `source` gives the stages' requests by the clock, in their order; all of
/// them become awaited. Sessions count with the stage in which they begin. A stage's own pause lies before its first
/// request.
std::unique_ptr<Workload> drain_stages(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals);

}  // namespace servecast
