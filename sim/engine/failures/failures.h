#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/failures/failure_times.h"
#include "sim/report/record/failure_facts.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

class Cluster;
class Flows;
class ReplicaLifecycle;
class Wiring;
struct Scenario;

/// Carries out `failures`: which parts are broken, and where spares stand in.
///
/// A replica stops when one of its GPUs does, with its node or alone, or its engine; ReplicaLifecycle hears it, and
/// when all that it needs is whole again. Network ports, cables, switches and storage only hold up what travels over
/// them: a broken one lets (nearly) nothing through.
class Failures final : public ClusterListener {
 public:
  /// Puts replicas that spares stand in for on other GPUs: changes their places in `scenario`.
  Failures(Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster);

  double next_s() const { return times_.next_s(); }
  void act_due(double now_s);
  /// Replicas whose parts are whole again may start; spares stand in for those whose parts are not.
  void look_for_parts(double now_s);
  /// Something is broken, or will be.
  bool repairs() const { return !broken_.empty() || !warned_.empty(); }
  /// A new replica is as slow as the parts under it.
  void ready(const ReplicaAt& at, double now_s) override { set_pace(at, now_s); }
  FailureTotals& totals(std::size_t pool) { return totals_[pool]; }
  /// Of a run that ended at `duration_s`, without the time of replicas.
  FailureFacts facts(double duration_s) const;

 private:
  struct KindTotals {
    std::int64_t failures = 0;
    double down_s = 0;
  };
  using Kind = BreakablePart::Kind;

  std::vector<BreakablePart> parts(Kind kind) const;
  std::vector<std::string> links_of(const BreakablePart& part) const;
  bool whole(const BreakablePart& part) const;
  bool whole(const GpuPlace& gpu) const;
  bool whole(const ReplicaAt& at) const;
  bool uses(const ReplicaAt& at, const BreakablePart& part) const;
  void apply(const PartChange& change, double now_s);
  void warn(const BreakablePart& part, double now_s);
  void count(const PartChange& change);
  void set_links(const BreakablePart& part, bool broken, double now_s);
  void set_slow(const PartChange& change, double now_s);
  void set_pace(const ReplicaAt& at, double now_s);
  void stop(const ReplicaAt& at, double now_s);
  void evaluate(const ReplicaAt& at, double now_s);
  void take_spares(const ReplicaAt& at, double now_s);
  std::size_t number(const ReplicaAt& at) const { return first_[at.pool] + at.replica; }
  ReplicaPlace& place(const ReplicaAt& at);
  const ReplicaPlace& place(const ReplicaAt& at) const;

  Scenario& scenario_;
  const FailureSpec& spec_;
  const Wiring& wiring_;
  Flows& flows_;
  Cluster& cluster_;
  ReplicaLifecycle& lifecycle_;
  FailureTimes times_;
  std::vector<std::size_t> first_;                // ReplicaId, by pool
  std::vector<ReplicaAt> replicas_;               // by ReplicaId
  std::map<BreakablePart, std::int64_t> broken_;  // how many times over
  std::map<BreakablePart, double> broken_since_s_;
  std::multiset<BreakablePart> warned_;  // these will break
  std::map<BreakablePart, std::vector<StepPace>> slow_;
  std::map<std::size_t, std::int64_t> cut_;               // links
  std::set<std::pair<std::int64_t, std::int64_t>> free_;  // unused GPUs of spares: node, number
  std::vector<FailureTotals> totals_;                     // by pool
  std::map<Kind, KindTotals> kinds_;
};

}  // namespace servecast
