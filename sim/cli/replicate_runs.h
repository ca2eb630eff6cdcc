#pragma once
#include <vector>

#include "sim/cli/options.h"
#include "sim/report/summary.h"

namespace servecast {

/// The scenario `count` times more, each with another seed and another draw of what the calibration may be off by, in
/// child processes, `spread` times as wide as the engine says: SimGrid allows one simulation per process.
std::vector<Summary> run_replicates(const ScenarioArguments& scenario, std::int64_t seed, std::int64_t count,
                                    double spread);

}  // namespace servecast
