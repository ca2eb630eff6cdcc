#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/replica_capacity.h"
#include "sim/engine/replica_access.h"
#include "sim/input/scaling_spec.h"
#include "sim/report/run_facts.h"
#include "sim/report/scaling_facts.h"

namespace servecast {

class Flows;
class Recorder;
class Wiring;
struct Pool;
struct ReplicaPlace;
struct Scenario;

/// Carries out the pools' Autoscaler: which replicas are switched on, how they start, and how they go.
///
/// A replica that is wanted gets a machine, its image, its weights from shared storage over the modelled links, its
/// engine starts, and it serves; or it waits in the warm reserve until it is wanted. One that is not wanted takes no
/// further requests, and is switched off (or goes back to the reserve) when it has done those it has. Rent is paid
/// from the first moment to the last.
class Scaling {
 public:
  /// What it does to the rest of the run, and sees of it.
  class Cluster {
   public:
    virtual ~Cluster() = default;
    virtual void serve(const ReplicaAt& at, double now_s) = 0;
    /// It can compute, though it gets no requests.
    virtual void make_ready(const ReplicaAt& at, double now_s) = 0;
    virtual void withdraw(const ReplicaAt& at) = 0;
    /// Brought up to `now_s`, it has nothing left to do.
    virtual bool is_done(const ReplicaAt& at, double now_s) = 0;
    virtual double next_due_s(const ReplicaAt& at) const = 0;
    virtual void switch_off(const ReplicaAt& at, double now_s) = 0;
    /// Its parts are whole, and nobody has said that they will break.
    virtual bool whole(const ReplicaAt& at) const = 0;
    virtual std::vector<ReplicaView> serving(std::size_t pool, double now_s) = 0;
    /// That wait or run there, as of `now_s`.
    virtual std::int64_t requests(const ReplicaAt& at, double now_s) = 0;
    virtual std::int64_t waiting_outside(std::size_t pool) const = 0;
    virtual const PoolProbe& steps(std::size_t pool) const = 0;
  };

  Scaling(const Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster);

  /// When something of it is due that requests do not bring about. Of no use once no request is left.
  double next_s() const;
  /// When the next step of a replica that drains may end.
  double next_drained_s() const;
  void act_due(double now_s);
  /// Some replica is on its way.
  bool starts() const { return !dues_.empty(); }
  /// Those who were to go and have done all they had are switched off. At every instant at which anything happens.
  /// Whether anybody was.
  bool retire_drained(double now_s);
  /// Something changed that it may want to make good: a replica has failed, or a part is whole again.
  void settle(double now_s);
  bool scales(std::size_t pool) const { return pools_[pool].scaler != nullptr; }

  // What happens meanwhile:
  void arrived(const Request& request);
  void finished(const RequestRecord& record);
  /// A request waits before a pool of which nobody serves.
  void knock(std::size_t pool, double now_s);
  /// It has stopped, with what it had in hand.
  void failed(const ReplicaAt& at, double now_s);
  /// It will stop: it drains.
  void doomed(const ReplicaAt& at, double now_s);
  bool rented(const ReplicaAt& at) const { return life(at).state != State::off; }
  /// As replicas.csv calls it. Of a pool with an autoscaler.
  std::string_view state(const ReplicaAt& at) const;
  bool leaves(const ReplicaAt& at) const { return scales(at.pool) && life(at).state == State::draining; }

  /// Replicas that are to compute a copy of this request's prompt.
  std::vector<ReplicaAt> mirrors_of(const Request& request);

  /// Of a run that ended at `duration_s`: tells what was rented when.
  void close(double duration_s, Recorder& recorder);
  /// By pool; those that no autoscaler has are left out.
  std::vector<ScalingTotals> totals() const;
  /// Replicas rented, integrated over time.
  double rented_s(std::size_t pool) const { return pools_[pool].totals.rented_s; }
  double serving_s(std::size_t pool) const { return pools_[pool].totals.serving_s; }
  /// For how long this one was rented.
  double rented_s(const ReplicaAt& at) const {
    double seconds = 0;
    for (const auto& [from_s, to_s] : life(at).rents) seconds += to_s - from_s;
    return seconds;
  }
  /// For how long some replica on this node was rented.
  double node_rented_s(std::int64_t node) const;

 private:
  enum class State : std::uint8_t {
    off,
    provisioning,
    loading,
    starting,
    warm,
    waking,
    mirroring,
    serving,
    draining
  };
  struct Life {
    State state = State::off;
    double since_s = 0;
    double rented_since_s = 0;
    double wanted_since_s = 0;  // a start that is under way
    std::uint64_t changes = 0;  // what an earlier state began is of no use
    std::int64_t load = 0;      // the group of flows, while it loads
    std::vector<std::pair<double, double>> rents{};
  };
  struct PoolState {
    ScalingSpec spec{};
    std::unique_ptr<Autoscaler> scaler{};  // null: none
    std::unique_ptr<ReplicaCapacity> capacity{};
    std::vector<Life> lives{};
    std::int64_t wanted = 0;
    double next_look_s = 0;
    PoolLoad load{};  // since the last look
    Rng mirror_rng{0, ""};
    ScalingTotals totals{};
  };
  struct Due {
    double at_s = 0;
    ReplicaAt who{};
    std::uint64_t change = 0;
    auto operator<=>(const Due&) const = default;
  };

  void add_pool(const Pool& pool, std::size_t number);
  CapacityBounds capacity_bounds(std::size_t pool) const;
  std::vector<PoolState*> concerned(PoolId pool);
  void look(std::size_t pool, double now_s);
  void settle(std::size_t pool, double now_s);
  void grow(std::size_t pool, std::int64_t missing, double now_s);
  void shrink(std::size_t pool, std::int64_t surplus, double now_s);
  void set_on_the_way(std::size_t pool, std::int64_t wanted, double now_s);
  void turn_on(const ReplicaAt& at, double now_s);
  void load(const ReplicaAt& at, double now_s);
  void ready(const ReplicaAt& at, double now_s);
  void enter(const ReplicaAt& at, double now_s);
  void leave(const ReplicaAt& at, double now_s);
  void check_drained(const ReplicaAt& at, double now_s);
  void next_stage(const ReplicaAt& at, double now_s);
  void set(const ReplicaAt& at, State state, double now_s);
  void set_for(const ReplicaAt& at, State state, double seconds, double now_s);
  std::int64_t count(std::size_t pool, std::initializer_list<State> states) const;
  std::vector<ReplicaAt> in(std::size_t pool, std::initializer_list<State> states) const;
  Life& life(const ReplicaAt& at) { return pools_[at.pool].lives[at.replica]; }
  const Life& life(const ReplicaAt& at) const { return pools_[at.pool].lives[at.replica]; }
  const ReplicaPlace& place(const ReplicaAt& at) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Flows& flows_;
  Cluster& cluster_;
  SloFacts slo_;
  std::vector<PoolState> pools_;
  std::set<Due> dues_;
  std::set<ReplicaAt> draining_;
};

/// Whether any pool has an autoscaler.
bool scales(const Scenario& scenario);

}  // namespace servecast
