#pragma once
#include <string>

#include "models/base/error.h"
#include "models/hw/latency/step_tables.h"

namespace servecast {

/// Reads `<operator>.csv` or `<operator>.csv.gz` for every operator of StepTables from a folder (layout: the Vidur
/// simulator's, times in milliseconds). all_reduce is there where the tables were made with tensor parallelism;
/// send_recv must be there with more than one stage. Throws UserError with file and line for what is missing or
/// broken.
StepTables load_step_tables(const std::string& folder, const Place& where, std::int64_t stages = 1);

}  // namespace servecast
