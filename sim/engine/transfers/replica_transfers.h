#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/links/transfer_routes.h"
#include "sim/engine/transfers/contention.h"

namespace servecast {

class RunClock;

/// The port of all replicas: their transfers as flows over the cluster's links. Those of a replica that stops are
/// broken off, so no replica hears of what an earlier life began.
class ReplicaTransfers final : public TransferPort, public ClusterListener {
 public:
  /// These outlive it.
  ReplicaTransfers(const Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster, RunClock& clock);

  Token start(ReplicaId replica, const ReplicaTransfer& transfer, double at_s) override;
  double alone_s(ReplicaId replica, const ReplicaTransfer& transfer) const override;
  void write(ReplicaId replica, const KvWrite& write) override;

  /// All that is written at this instant is known. What one replica writes to a tier goes together.
  void begin_writes(double now_s);
  /// All that the replica has under way stops with it.
  void stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) override;
  void relocated(const ReplicaAt& at, double now_s) override;
  /// Before anything arrives: tells replicas that never have their links to themselves.
  void mark_contended() { contention_.mark_always_contended(); }

 private:
  struct Wanted {  // a write that has not begun
    ReplicaAt replica{};
    KvWrite write{};
    auto way() const { return std::tuple(replica, write.tier, write.from_tier, write.unit.rank); }
  };
  template <class Done>
  Token start_flows(const ReplicaAt& at, std::vector<Transfer> transfers, double at_s, Done done);
  void begin(std::span<const Wanted> together, double now_s);
  void arrived(const ReplicaAt& at, Token token, double now_s);
  void written(const ReplicaAt& at, std::span<const KvWrite> writes, double now_s);

  TransferRoutes routes_;
  Flows& flows_;
  Cluster& cluster_;
  RunClock& clock_;
  Contention contention_;
  std::uint64_t started_ = 0;
  std::map<std::pair<ReplicaAt, Token>, std::int64_t> under_way_;  // groups of flows
  std::vector<Wanted> wanted_{};
};

}  // namespace servecast
