#pragma once
#include <vector>

#include "sim/report/run_facts.h"

namespace servecast {

class Scaling;
struct Scenario;

/// GPUs that are paid for because their nodes are rented whole, though no replica of any pool holds them: by group of
/// nodes, at the price of the dearest GPU on their node. A node is rented while any of its replicas is; `scaling`
/// knows which are, where replicas come and go.
std::vector<UnusedGpus> unused_gpus(const Scenario& scenario, const Scaling* scaling, double duration_s);

}  // namespace servecast
