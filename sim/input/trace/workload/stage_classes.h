#pragma once
#include <memory>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/generate/arrivals.h"
#include "sim/input/trace/rows/workload_notes.h"

namespace servecast {

/// Puts the requests of each stage into a class of their own, "stage 1", "stage 2" ..., by their number, further
/// turns of sessions by their time of arrival; `source` itself where there are fewer than two stages.
std::unique_ptr<Workload> class_by_stage(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals,
                                         WorkloadNotes& notes);

}  // namespace servecast
