#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/replica_capacity.h"
#include "sim/engine/replica_lifecycle.h"
#include "sim/input/scaling_spec.h"
#include "sim/report/run_facts.h"

namespace servecast {

/// Carries out the pools' Autoscaler: shows it the load at its instants, and tells the lifecycle how many replicas it
/// wants. Says, too, which replicas compute copies of prompts before they serve.
class Scaling {
 public:
  /// What it sees of the pools.
  class Pools {
   public:
    virtual ~Pools() = default;
    virtual std::vector<ReplicaView> serving(std::size_t pool, double now_s) = 0;
    virtual std::int64_t waiting_outside(std::size_t pool) const = 0;
    virtual const PoolProbe& steps(std::size_t pool) const = 0;
  };

  Scaling(const Scenario& scenario, ReplicaLifecycle& lifecycle, Pools& pools);

  /// When it looks. Of no use once no request is left.
  double next_s() const;
  void look_due(double now_s);
  void arrived(const Request& request);
  void finished(const RequestRecord& record);
  /// Replicas that are to compute a copy of this request's prompt.
  std::vector<ReplicaAt> mirrors_of(const Request& request);
  /// By pool; those that no autoscaler has are left out.
  std::vector<ScalingTotals> totals() const;

 private:
  struct PoolState {
    std::unique_ptr<Autoscaler> scaler{};  // null: none
    std::unique_ptr<ReplicaCapacity> capacity{};
    ScalingSpec spec{};
    double next_look_s = 0;
    PoolLoad load{};  // since the last look
    Rng mirror_rng{0, ""};
    std::int64_t mirrored = 0;
  };
  PoolState state(std::size_t pool) const;
  CapacityBounds capacity_bounds(std::size_t pool) const;
  std::vector<PoolState*> concerned(PoolId pool);
  void look(std::size_t pool, double now_s);

  const Scenario& scenario_;
  ReplicaLifecycle& lifecycle_;
  Pools& pools_;
  SloFacts slo_;
  std::vector<PoolState> states_;  // by pool
};

/// Whether any pool has an autoscaler.
bool scales(const Scenario& scenario);

}  // namespace servecast
