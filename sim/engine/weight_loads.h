#pragma once
#include <functional>

#include "sim/engine/network.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {

/// Which replica's weights have arrived, and how.
using WeightsLoaded =
    std::function<void(std::size_t pool, std::size_t replica, const std::vector<FinishedTransfer>&)>;

/// For every replica of a pool that starts cold: one flow per GPU with its share of the weights, all at once from
/// shared storage. `loaded` is told when a replica has all of its own. Returns how many replicas load.
std::int64_t add_weight_loads(const Scenario& scenario, const Wiring& wiring, Network& network, WeightsLoaded loaded);

}  // namespace servecast
