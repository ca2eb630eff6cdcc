#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/shared/replica_capacity.h"
#include "sim/engine/links/replica_at.h"
#include "sim/input/specs/scaling_spec.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/record/scaling_facts.h"

namespace servecast {

class Cluster;
class PendingQueue;
struct Scenario;

/// Carries out the pools' Autoscaler: shows it the load at its instants, and tells the lifecycle how many replicas it
/// wants. Makes the copies of prompts, too, that replicas compute before they serve.
class Scaling {
 public:
  Scaling(const Scenario& scenario, Cluster& cluster, const PendingQueue& pending);

  /// When it looks. Of no use once no request is left.
  double next_s() const;
  void evaluate_due(double now_s);
  void arrived(const Request& request);
  void finished(const RequestRecord& record);
  /// Copies of a request's prompt that fill the caches of replicas before these serve. They ask for one token, have
  /// ids of their own and no records, and may outlive the request.
  struct Copy {
    ReplicaAt replica{};
    Request request{};
  };
  std::vector<Copy> copies_of(const Request& request);
  /// Whether what has ended is a copy; then its prompt's blocks are forgotten after this instant.
  bool copy_ended(RequestId id);
  /// By pool; those that no autoscaler has are left out.
  std::vector<ScalingTotals> totals() const;

 private:
  struct PoolState {
    std::unique_ptr<Autoscaler> scaler{};  // null: none
    std::unique_ptr<PoolProbe> steps{};
    std::unique_ptr<ReplicaCapacity> capacity{};
    ScalingSpec spec{};
    double next_evaluation_s = 0;
    PoolLoad load{};  // since the last look
    Rng mirror_rng{0, ""};
    std::int64_t mirrored = 0;
  };
  PoolState state(std::size_t pool) const;
  CapacityBounds capacity_bounds(std::size_t pool) const;
  std::vector<PoolState*> concerned(PoolId pool);
  void evaluate(std::size_t pool, double now_s);
  void keep_blocks(Request& copy);
  void forget_ended();

  const Scenario& scenario_;
  Cluster& cluster_;
  const PendingQueue& pending_;
  SloFacts slo_;
  std::vector<PoolState> states_;  // by pool
  std::uint32_t copies_ = 0;
  std::unordered_map<RequestId, std::vector<BlockHash>> blocks_{};  // of copies under way; never walked
  std::vector<RequestId> ended_{};
};

/// Whether any pool has an autoscaler.
bool scales(const Scenario& scenario);

}  // namespace servecast
