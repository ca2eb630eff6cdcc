#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/cluster/replica_lifecycle.h"
#include "sim/engine/cluster/replica_pool.h"

namespace servecast {

class RunClock;

/// The replicas of all pools and their lives. Brings replicas up to instants, visits those on which a client waits
/// for something, and does to them what their lives say; its listeners hear that.
class Cluster final : private ReplicaLifecycle::Callbacks {
 public:
  using Pools = std::deque<ReplicaPool>;  // that stay where they are

  Cluster(const Scenario& scenario, ReplicaListener& listener, RunClock& clock, bool step_by_step);
  /// In the order in which they are called.
  void add_listener(ClusterListener& listener) { listeners_.push_back(&listener); }

  Pools& pools() { return pools_; }
  const Pools& pools() const { return pools_; }
  ReplicaLifecycle& lifecycle() { return lifecycle_; }
  const ReplicaLifecycle& lifecycle() const { return lifecycle_; }
  const Replica& replica(const ReplicaAt& at) const { return pools_[at.pool][at.replica]; }
  bool anyone_serves(std::size_t pool) const { return pools_[pool].routing().shows_any(); }

  /// Brought up to `now_s`; changed() once something was done to it.
  Replica& advanced(const ReplicaAt& at, double now_s);
  void changed(const ReplicaAt& at);
  /// The same where the pool knows already, and no request holds the replica.
  void touch(const ReplicaAt& at);
  void advance_all(double now_s);
  /// Exports::detach(), Imports::recall().
  DetachedSequence detach(const ReplicaAt& at, Slot slot, double now_s);
  std::optional<MovingSequence> recall(const ReplicaAt& at, Slot slot, double now_s);

  // From parts that break:
  void set_pace(const ReplicaAt& at, const StepPace& pace, double now_s);
  /// It goes to other GPUs, and leaves behind what the memory of its nodes held for others.
  void relocated(const ReplicaAt& at, double now_s);
  void lose_memory(const ReplicaAt& at, double now_s) { pools_[at.pool].lose_memory(at.replica, now_s); }
  /// Sequences of replicas that have stopped since, by id.
  std::vector<MovingSequence> take_interrupted();
  /// Times that replicas came or went since this was last asked.
  std::int64_t take_membership_changes() { return std::exchange(membership_changes_, 0); }

  // Within one instant:
  /// When a step ends that a client or a part of the run waits for.
  double next_step_s();
  void end_steps(double now_s);
  void settle(double now_s);
  /// All that is due is done: changed replicas go on, and so does what waits for them.
  void start_steps(double now_s);
  /// Others use the links of its own traffic from now on, or do so no longer. Settled at once, as flows begin last.
  void set_contended(const ReplicaAt& at, OwnTraffic traffic, bool contended, double now_s);

 private:
  struct Awaited {  // a replica on which a client may get its answer at `time_s`, not earlier
    double time_s = 0;
    ReplicaAt replica{};
    std::uint64_t generation = 0;  // of the replica when this was worked out; stale once it has changed
    bool operator<(const Awaited& other) const {  // the earliest on top
      return std::tie(time_s, replica) > std::tie(other.time_s, other.replica);
    }
  };
  void make_ready(const ReplicaAt& at, double now_s) override;
  void serve(const ReplicaAt& at, double now_s) override;
  void withdraw(const ReplicaAt& at) override;
  void crash(const ReplicaAt& at, double now_s) override;
  void switch_off(const ReplicaAt& at, double now_s) override;
  bool is_done(const ReplicaAt& at, double now_s) override;
  double next_due_s(const ReplicaAt& at) const override;
  std::int64_t requests(const ReplicaAt& at, double now_s) override;
  std::vector<MovingSequence> stop(const ReplicaAt& at, double now_s);
  std::uint64_t& generation(const ReplicaAt& at) { return generations_[at.pool][at.replica]; }
  bool stale(const Awaited& a) { return generation(a.replica) != a.generation; }
  void start_touched(double now_s);
  void watch_touched();

  ReplicaListener& listener_;
  RunClock& clock_;
  bool step_by_step_;
  Pools pools_{};
  ReplicaLifecycle lifecycle_;
  std::vector<ClusterListener*> listeners_{};
  std::vector<std::vector<std::uint64_t>> generations_{};  // by pool and replica
  std::priority_queue<Awaited> awaited_{};
  std::vector<ReplicaAt> touched_{};  // replicas with awaited requests that changed in this instant
  std::vector<MovingSequence> interrupted_{};
  std::int64_t membership_changes_ = 0;
};

}  // namespace servecast
