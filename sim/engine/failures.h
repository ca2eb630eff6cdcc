#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sim/engine/failure_times.h"
#include "sim/engine/replica_access.h"
#include "sim/report/failure_facts.h"
#include "sim/serving/replica.h"

namespace servecast {

class Flows;
class Wiring;
struct Scenario;

/// Carries out `failures`: which parts are broken, which replicas that stops, and how these come back.
///
/// A replica stops when one of its GPUs does, with its node or alone, or its engine. Once all it needs is whole
/// again, or a spare stands in, its weights are loaded from storage, its engine starts, and it serves. Network ports,
/// cables, switches and storage only hold up what travels over them: a broken one lets (nearly) nothing through.
class Failures {
 public:
  /// What it does to the rest of the run.
  class Cluster {
   public:
    virtual ~Cluster() = default;
    /// It stops; what it had in hand is dealt with when all that breaks at this instant is broken.
    virtual void crash(const ReplicaAt& at, double now_s) = 0;
    virtual void serve(const ReplicaAt& at, double now_s) = 0;
    virtual void set_pace(const ReplicaAt& at, const StepPace& pace, double now_s) = 0;
    /// It goes to other GPUs, and leaves behind what the memory of its nodes held for others.
    virtual void moved(const ReplicaAt& at, double now_s) = 0;
    virtual void lose_memory(const ReplicaAt& at, double now_s) = 0;
    /// It will stop: it gets no further requests.
    virtual void warned(const ReplicaAt& at, double now_s) = 0;
    /// The pool has an autoscaler, which starts others in place of those that stop; and this one is switched on.
    virtual bool scales(std::size_t pool) const = 0;
    virtual bool rented(const ReplicaAt& at) const = 0;
  };

  /// Puts replicas that spares stand in for on other GPUs: changes their places in `scenario`.
  Failures(Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster);

  double next_s() const;
  void act_due(double now_s);
  /// Something is broken, or a replica starts.
  bool repairs() const { return !broken_.empty() || !warned_.empty() || !starts_.empty(); }
  /// All it needs is whole, and will be for all that is known.
  bool can_start(const ReplicaAt& at) const;
  /// A new replica is as slow as the parts under it.
  void set_pace(const ReplicaAt& at, double now_s);
  /// As replicas.csv calls it. Of a pool without an autoscaler.
  std::string_view state(const ReplicaAt& at) const;
  FailureTotals& totals(std::size_t pool) { return totals_[pool]; }
  /// Of a run that ended at `duration_s`.
  FailureFacts facts(double duration_s) const;

 private:
  enum class State : std::uint8_t { serving, broken, loading, starting };
  struct Life {
    State state = State::serving;
    double since_s = 0;          // it does not serve
    double down_s = 0;           // until then
    std::uint64_t attempts = 0;  // to start again; what an earlier one began is of no use
    std::int64_t load = 0;       // the group of flows, while it loads
  };
  struct Start {
    double at_s = 0;
    ReplicaAt who{};
    std::uint64_t attempt = 0;
    auto operator<=>(const Start&) const = default;
  };
  struct KindTotals {
    std::int64_t failures = 0;
    double down_s = 0;
  };
  using Kind = BreakablePart::Kind;

  std::vector<BreakablePart> parts(Kind kind) const;
  std::vector<std::string> links_of(const BreakablePart& part) const;
  bool whole(const BreakablePart& part) const;
  bool whole(const GpuPlace& gpu) const;
  bool uses(const ReplicaAt& at, const BreakablePart& part) const;
  void apply(const PartChange& change, double now_s);
  void warn(const BreakablePart& part, double now_s);
  void count(const PartChange& change);
  void set_links(const BreakablePart& part, bool broken, double now_s);
  void set_slow(const PartChange& change, double now_s);
  void stop(const ReplicaAt& at, double now_s);
  void start_what_can(double now_s);
  void take_spares(const ReplicaAt& at, double now_s);
  void load(const ReplicaAt& at, double now_s);
  std::size_t number(const ReplicaAt& at) const { return first_[at.pool] + at.replica; }
  ReplicaPlace& place(const ReplicaAt& at);
  const ReplicaPlace& place(const ReplicaAt& at) const;

  Scenario& scenario_;
  const FailureSpec& spec_;
  const Wiring& wiring_;
  Flows& flows_;
  Cluster& cluster_;
  FailureTimes times_;
  std::vector<std::size_t> first_;                // ReplicaId, by pool
  std::vector<ReplicaAt> replicas_;               // by ReplicaId
  std::vector<Life> lives_;                       // likewise
  std::map<BreakablePart, std::int64_t> broken_;  // how many times over
  std::map<BreakablePart, double> broken_since_s_;
  std::multiset<BreakablePart> warned_;  // these will break
  std::map<BreakablePart, std::vector<StepPace>> slow_;
  std::map<std::size_t, std::int64_t> cut_;               // links
  std::set<std::pair<std::int64_t, std::int64_t>> free_;  // GPUs of spares that nobody uses: node, number
  std::set<Start> starts_;
  std::vector<FailureTotals> totals_;  // by pool
  std::map<Kind, KindTotals> kinds_;
};

}  // namespace servecast
