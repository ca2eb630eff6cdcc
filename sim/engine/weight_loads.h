#pragma once
#include <functional>
#include <vector>

namespace servecast {

class Flows;
class Wiring;
struct Pool;
struct ReplicaPlace;
struct Scenario;
struct Transfer;

/// Which replica's weights have arrived.
using WeightsLoaded = std::function<void(std::size_t pool, std::size_t replica, double now_s)>;

/// One transfer per GPU with its share of the weights, from shared storage.
std::vector<Transfer> weight_shards(const Pool& pool, const ReplicaPlace& place, const Wiring& wiring);

/// For every replica of a pool that starts cold: one flow per GPU with its share of the weights, all at once from
/// shared storage, at the start of the run. `loaded` is told when a replica has all of its own.
void start_weight_loads(const Scenario& scenario, const Wiring& wiring, Flows& flows, const WeightsLoaded& loaded);

}  // namespace servecast
