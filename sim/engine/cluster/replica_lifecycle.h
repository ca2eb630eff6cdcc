#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/links/replica_at.h"
#include "sim/input/scenario/pool_start.h"
#include "sim/input/specs/scaling_spec.h"
#include "sim/report/record/scaling_facts.h"

namespace servecast {

class Recorder;
struct Pool;
struct Scenario;

/// How the replicas of one pool come up, and how many are kept.
struct LifeRules {
  std::size_t replicas = 0;
  bool standing = true;   // no autoscaler: all are wanted all the time, and their machines are there
  bool cold = false;      // their weights are loaded at the start of the run
  ScalingSpec scaling{};
  PoolStart start{};
};

LifeRules life_rules(const Scenario& scenario, const Pool& pool);

/// The one owner of where each replica is in its life.
///
///   off -> provisioning -> loading -> starting -> (mirroring ->) serving -> draining -> off
///                                        |-> warm -> waking -> serving         |-> warm
///
/// Parts that break and are repaired say `broken`, `doomed` and `whole`; scaling says how many are wanted. From
/// these the lifecycle decides which replica starts, serves, drains and stops, and calls `Callbacks`. A state's
/// generation is the token of what it began: the end of a load or a wait that a later state no longer wants is
/// ignored. Rent is paid from the first moment of a start until the replica is off.
class ReplicaLifecycle {
 public:
  /// What a replica's life does to the rest of the run.
  class Callbacks {
   public:
    virtual ~Callbacks() = default;
    /// It can compute, though it gets no requests by that.
    virtual void make_ready(const ReplicaAt& at, double now_s) = 0;
    /// It can compute and gets requests; or gets no more.
    virtual void serve(const ReplicaAt& at, double now_s) = 0;
    virtual void withdraw(const ReplicaAt& at) = 0;
    /// It stops. What it had in hand is dealt with when all that breaks at this instant is broken.
    virtual void crash(const ReplicaAt& at, double now_s) = 0;
    /// It has nothing in hand and stops, and its nodes forget what they held for others.
    virtual void switch_off(const ReplicaAt& at, double now_s) = 0;
    /// Brought up to `now_s`, it has nothing left to do; if it has, when its next step starts or ends. What it keeps
    /// for others may have left at this very instant.
    virtual bool is_done(const ReplicaAt& at, double now_s) = 0;
    virtual double next_due_s(const ReplicaAt& at) const = 0;
    /// Requests that wait or run there, as of `now_s`.
    virtual std::int64_t requests(const ReplicaAt& at, double now_s) = 0;
  };

  /// What a replica loads before its engine starts.
  class Loads {
   public:
    virtual ~Loads() = default;
    virtual void start(const ReplicaAt& at, double now_s, std::function<void(double now_s)> loaded) = 0;
    virtual void cancel(const ReplicaAt& at, double now_s) = 0;
    /// How much of its latest load was the container image.
    virtual double image_s(const ReplicaAt& at) const = 0;
  };

  /// By pool. All serve until begin(), or take requests and wait for their weights.
  ReplicaLifecycle(const std::vector<LifeRules>& rules, Callbacks& callbacks);
  /// The run begins: pools that an autoscaler has start with as many replicas as it wants, cold ones with loads.
  void begin(Loads& loads);

  /// A part under the replica is out of service. Whether it was there to be stopped.
  bool broken(const ReplicaAt& at, double now_s);
  /// A part under it will be: it gets no further requests.
  void doomed(const ReplicaAt& at, double now_s);
  /// All parts under it are in service, and will be for all that is known. Whether it starts at once.
  bool whole(const ReplicaAt& at, double now_s);
  bool is_whole(const ReplicaAt& at) const { return life(at).whole; }
  /// It is off, and the pool has fewer replicas than it wants because parts are broken: with other parts it would
  /// start.
  bool waits_for_parts(const ReplicaAt& at) const;

  /// So many are to serve. Takes effect with settle().
  void want(std::size_t pool, std::int64_t replicas) { pools_[pool].wanted = replicas; }
  void settle(double now_s);
  /// A request waits before a pool of which no replica serves: one is wanted at once.
  void demand(std::size_t pool, double now_s);

  /// When a wait in a replica's start is over, and when a step of a replica that drains may be. The former is of no
  /// use once no request is left.
  double next_s() const { return dues_.empty() ? forever : dues_.begin()->at_s; }
  double next_drained_s() const;
  void act_due(double now_s);
  /// Replicas that drain and have done all they had stop. Whether any did.
  bool retire_drained(double now_s);

  /// It gets requests; or it does so no longer, and goes when it has done those it has.
  bool serves(const ReplicaAt& at) const { return takes_requests(life(at)) && !life(at).withdrawn; }
  bool drains(const ReplicaAt& at) const { return life(at).state == State::draining; }
  /// As replicas.csv calls it.
  std::string_view name(const ReplicaAt& at) const;
  /// How many will serve beside those that do, once what is on the way has filled the reserve.
  std::int64_t coming(std::size_t pool) const;
  std::vector<ReplicaAt> mirroring(std::size_t pool) const { return in(pool, {State::mirroring}); }

  /// The end of the run: reports what was rented when.
  void close(double duration_s, Recorder& recorder);
  const ScalingTotals& totals(std::size_t pool) const { return pools_[pool].totals; }
  /// Of a run that is closed: its replicas' time, or what of it was rented, and how long of that they did not serve.
  std::pair<double, double> replica_and_down_s(std::size_t pool, double duration_s) const;
  using Rents = std::vector<std::pair<double, double>>;
  const Rents& rents(const ReplicaAt& at) const { return life(at).rents; }

 private:
  enum class State : std::uint8_t {
    off,
    provisioning,
    loading,
    starting,
    warm,
    waking,
    mirroring,
    cold,  // it takes requests, which wait for its first weights
    serving,
    draining
  };
  static constexpr std::initializer_list<State> on_the_way{State::provisioning, State::loading, State::starting};
  static constexpr double forever = std::numeric_limits<double>::infinity();
  struct Life {
    State state = State::off;
    bool whole = true;
    bool withdrawn = false;        // it serves and is doomed
    std::uint64_t generation = 0;  // of states: what an earlier one began is of no use
    double since_s = 0;
    double down_s = 0;  // of a standing one, until it last came back
    double down_since_s = 0;
    double rented_since_s = 0;
    double wanted_since_s = 0;  // a start that is under way
    StartTimes start{};         // likewise
    Rents rents{};
  };
  struct PoolLife {
    LifeRules rules{};
    std::vector<Life> lives{};
    std::int64_t wanted = 0;
    ScalingTotals totals{};
  };
  struct Due {
    double at_s = 0;
    ReplicaAt replica{};
    std::uint64_t generation = 0;
    auto operator<=>(const Due&) const = default;
  };
  static bool takes_requests(const Life& l) { return l.state == State::serving || l.state == State::cold; }
  bool standing(const ReplicaAt& at) const { return pools_[at.pool].rules.standing; }
  const ScalingSpec& spec(const ReplicaAt& at) const { return pools_[at.pool].rules.scaling; }
  Life& life(const ReplicaAt& at) { return pools_[at.pool].lives[at.replica]; }
  const Life& life(const ReplicaAt& at) const { return pools_[at.pool].lives[at.replica]; }
  std::int64_t count(std::size_t pool, std::initializer_list<State> states) const;
  std::vector<ReplicaAt> in(std::size_t pool, std::initializer_list<State> states) const;
  /// They serve, or will without further ado.
  std::int64_t active(std::size_t pool) const {
    return count(pool, {State::waking, State::mirroring, State::serving});
  }
  /// Replicas that are to be on the way, so that as many as are wanted serve and the warm reserve is full.
  std::int64_t wanted_on_the_way(std::size_t pool) const;
  void begin(std::size_t pool);
  void settle(std::size_t pool, double now_s);
  void grow(std::size_t pool, std::int64_t missing, double now_s);
  void shrink(std::size_t pool, std::int64_t surplus, double now_s);
  void set_on_the_way(std::size_t pool, std::int64_t wanted, double now_s);
  void load(const ReplicaAt& at, double now_s);
  void loaded(const ReplicaAt& at, double now_s);
  void next_stage(const ReplicaAt& at, double now_s);
  void ready(const ReplicaAt& at, double now_s);
  void enter(const ReplicaAt& at, double now_s);
  void drain(const ReplicaAt& at, double now_s);
  bool retire(const ReplicaAt& at, double now_s);
  void set(const ReplicaAt& at, State state, double now_s);
  void set_for(const ReplicaAt& at, State state, double seconds, double now_s);
  void account(Life& l, PoolLife& pool, State next, double now_s);

  Callbacks& callbacks_;
  Loads* loads_ = nullptr;
  std::vector<PoolLife> pools_;
  std::set<Due> dues_;
  std::set<ReplicaAt> draining_;  // so that finding them does not walk all replicas
};

}  // namespace servecast
