#pragma once
#include <cstdint>
#include <vector>

#include "sim/report/record/run_facts.h"

namespace servecast {

class ReplicaLifecycle;
struct Scenario;

/// For how long some replica on this node was rented, where replicas come and go.
double node_rented_s(const Scenario& scenario, const ReplicaLifecycle& lifecycle, std::int64_t node);

/// GPUs that are paid for because their nodes are rented whole, though no replica of any pool holds them: by group of
/// nodes, at the price of the dearest GPU on their node. A node is rented while any of its replicas is.
std::vector<UnusedGpus> unused_gpus(const Scenario& scenario, const ReplicaLifecycle& lifecycle, double duration_s);

/// Of a GPU of this group: that of the first pool there.
double idle_w(const Scenario& scenario, std::size_t group);
/// What unused GPUs draw.
double unused_idle_j(const Scenario& scenario, const ReplicaLifecycle& lifecycle, double duration_s);

}  // namespace servecast
