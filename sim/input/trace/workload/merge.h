#pragma once
#include <memory>
#include <vector>

#include "models/policy/workload.h"

namespace servecast {

/// All requests of all sources by time of arrival; at the same time the source named first goes first. Ids are given
/// anew, 0, 1, 2, ... in the order in which requests are given out. Sessions of different sources stay apart.
std::unique_ptr<Workload> merge(std::vector<std::unique_ptr<Workload>> sources);

}  // namespace servecast
