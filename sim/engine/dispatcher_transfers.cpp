// What replicas have under way over the cluster's links.
#include <algorithm>

#include "sim/engine/dispatcher.h"
#include "sim/engine/replica_transfers.h"
#include "sim/input/scenario.h"

namespace servecast {

void Dispatcher::connect(ReplicaTransfers& transfers) {
  transfers_ = &transfers;
  steps_become_flows_ = std::ranges::any_of(scenario_.pools, &Pool::across_nodes);
  for (ReplicaPool& pool : pools_) pool.connect(transfers);
}

// Until then blocks are held for some of them, whether anybody waits for these or not.
void Dispatcher::arrived(const ReplicaAt& at, Token token, double now_s) {
  if (pools_[at.pool].arrived(at.replica, token, now_s, *this)) lasts_until(now_s);
  touch(at.pool, at.replica);
}

bool Dispatcher::begins_write(const ReplicaAt& at, const KvWrite& write, double now_s) {
  return pools_[at.pool][at.replica].begins_write(write, now_s);
}

void Dispatcher::written(const ReplicaAt& at, std::span<const KvWrite> writes, double now_s) {
  advanced(at, now_s).written(writes, now_s);
  pools_[at.pool].refresh(at.replica);
  touch(at.pool, at.replica);
}

// Flows begin last in an instant: what that makes of replicas is settled right away.
void Dispatcher::set_contended(const ReplicaAt& at, OwnTraffic traffic, bool contended, double now_s) {
  pools_[at.pool].set_contended(at.replica, traffic, contended, now_s, *this);
  if (!contended) return;
  touch(at.pool, at.replica);
  start_touched(now_s);
}

}  // namespace servecast
