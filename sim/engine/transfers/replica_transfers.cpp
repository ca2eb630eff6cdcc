#include "sim/engine/transfers/replica_transfers.h"

#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/links/flows.h"
#include "sim/engine/time/run_clock.h"

namespace servecast {

ReplicaTransfers::ReplicaTransfers(const Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster,
                                   RunClock& clock)
    : routes_(scenario, wiring),
      flows_(flows),
      cluster_(cluster),
      clock_(clock),
      contention_(scenario, wiring, routes_, flows, cluster) {}

template <class Done>
Token ReplicaTransfers::start_flows(const ReplicaAt& at, std::vector<Transfer> transfers, double at_s, Done done) {
  const Token token{++started_};
  under_way_[{at, token}] = flows_.start(std::move(transfers), at_s, [=, this](double done_s) {
    under_way_.erase({at, token});
    done(token, done_s);
  });
  return token;
}

Token ReplicaTransfers::start(ReplicaId replica, const ReplicaTransfer& transfer, double at_s) {
  const ReplicaAt at = routes_.at(replica);
  return start_flows(at, routes_.of(at, transfer), at_s,
                     [=, this](Token token, double done_s) { arrived(at, token, done_s); });
}

double ReplicaTransfers::alone_s(ReplicaId replica, const ReplicaTransfer& transfer) const {
  return routes_.alone_s(routes_.at(replica), transfer);
}

void ReplicaTransfers::write(ReplicaId replica, const KvWrite& write) {
  wanted_.push_back({.replica = routes_.at(replica), .write = write});
}

// In the order of the replicas, whatever brought them to this instant.
void ReplicaTransfers::begin_writes(double now_s) {
  while (!wanted_.empty()) {  // one that is there already may push another out
    std::vector<Wanted> now = std::exchange(wanted_, {});
    std::ranges::stable_sort(now, {}, &Wanted::way);
    std::erase_if(now, [&](const Wanted& w) {
      return !cluster_.replica(w.replica).core().setup.tiers->begins_write(w.write, now_s);
    });
    for (auto first = now.begin(); first != now.end();) {
      const auto last = std::find_if(first, now.end(), [&](const Wanted& w) { return w.way() != first->way(); });
      begin({first, last}, now_s);
      first = last;
    }
  }
}

void ReplicaTransfers::begin(std::span<const Wanted> together, double now_s) {
  const ReplicaAt at = together.front().replica;
  std::int64_t tokens = 0;
  std::vector<KvWrite> writes;
  for (const Wanted& w : together) {
    tokens += w.write.unit.tokens;
    writes.push_back(w.write);
  }
  start_flows(at, routes_.of_write(at, writes.front(), tokens), now_s,
              [=, this](Token, double done_s) { written(at, writes, done_s); });
}

// Until then blocks are held for some of them, whether a request waits for these or not.
void ReplicaTransfers::arrived(const ReplicaAt& at, Token token, double now_s) {
  if (cluster_.pools()[at.pool].arrived(at.replica, token, now_s)) clock_.lasts_until(now_s);
  cluster_.touch(at);
}

void ReplicaTransfers::written(const ReplicaAt& at, std::span<const KvWrite> writes, double now_s) {
  cluster_.advanced(at, now_s).core().setup.tiers->written(writes, now_s);
  cluster_.pools()[at.pool].refresh(at.replica);
  cluster_.touch(at);
}

void ReplicaTransfers::relocated(const ReplicaAt& at, double now_s) {
  routes_.relocated(at);
  contention_.relocated(at, now_s);
}

void ReplicaTransfers::stopped(const ReplicaAt& at, std::vector<MovingSequence>&, double now_s) {
  std::erase_if(wanted_, [&](const Wanted& w) { return w.replica == at; });
  const auto first = under_way_.lower_bound({at, Token{}});
  auto last = first;
  for (; last != under_way_.end() && last->first.first == at; ++last) flows_.cancel(last->second, now_s);
  under_way_.erase(first, last);
}

}  // namespace servecast
