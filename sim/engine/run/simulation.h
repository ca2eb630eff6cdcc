#pragma once
#include <optional>
#include <string>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/failures/failures.h"
#include "sim/engine/flow/arrivals.h"
#include "sim/engine/flow/request_ends.h"
#include "sim/engine/flow/request_flow.h"
#include "sim/engine/flow/run_listener.h"
#include "sim/engine/gateway/gateway.h"
#include "sim/engine/links/copy_tally.h"
#include "sim/engine/links/egress_tally.h"
#include "sim/engine/scaling/scaling.h"
#include "sim/engine/time/run_clock.h"
#include "sim/engine/time/watchdog.h"
#include "sim/engine/transfers/hand_overs.h"
#include "sim/engine/transfers/migrations.h"
#include "sim/engine/transfers/prefix_copies.h"
#include "sim/engine/transfers/replica_transfers.h"
#include "sim/engine/transfers/weight_loads.h"

namespace servecast {

/// One run, put together from its parts, and the table of what these do within an instant. Knows no SimGrid:
/// `next_s()` says when to come back, `handle(now_s)` does all that is due at that instant.
class Simulation {
 public:
  Simulation(Scenario& scenario, Recorder& recorder, const RunOptions& options);
  Simulation(const Simulation&) = delete;  // its parts know each other
  /// There are links, and flows have a carrier: whatever moves over them, breaks and scales is set up.
  void connect(const Wiring& wiring);

  /// The next instant at which something is due outside the replicas; infinite when nothing will be.
  double next_s();
  void handle(double now_s);
  /// Nothing is due any more but the replicas' own steps: lets them come to their end, or to the scenario's
  /// `until_s`.
  void finish();

  Flows& flows() { return flows_; }
  const RunClock& clock() const { return clock_; }
  const Cluster& cluster() const { return cluster_; }
  const FlowParts& parts() const { return parts_; }
  const Tokenizers& tokenizers() const { return arrivals_.tokenizers(); }
  const PendingQueue& pending() const { return flow_.pending(); }
  /// Why the run ended before its requests did, in words; empty: it did not.
  const std::string& standstill() const { return standstill_; }
  const auto& copies_moved() const { return tally_.moved(); }
  const EgressTally& egress() const { return egress_; }

 private:
  /// What happens within one instant (simulation_instant.cpp).
  struct Moment {
    const char* name;                   // as the watchdog calls it
    double (*next_s)(Simulation& run);  // null: it is never due by itself
    void (*act)(Simulation& run, double now_s);
    bool rides = false;  // the run does not come back for that alone
  };
  static const Moment moments_[];
  bool only_rides_ = false;  // the run is where nothing is due by itself, while a flow is under way
  double next_due_s();
  double next_riding_s();
  double next_migration_s();
  double next_failure_s();
  double next_start_s();
  double next_sample_s();
  void end_steps(double now_s);
  void end_flows(double now_s);
  void break_parts(double now_s);
  void end_if_in_vain(double now_s);
  void start_and_drain(double now_s);
  void collect_load(double now_s);
  void sample_replicas(double now_s);
  void watch_turn(double now_s);
  bool something_comes() const;

  Scenario& scenario_;
  Recorder& recorder_;
  const RunOptions& options_;
  RunClock clock_;
  FlowParts parts_{};
  Flows flows_{};
  CopyTally tally_{};
  EgressTally egress_{};
  Arrivals arrivals_;
  RequestEnds ends_;
  RunListener listener_;
  Cluster cluster_;
  PrefixCopies copies_;
  RequestFlow flow_;
  std::optional<Gateway> gateway_{};
  std::optional<ReplicaTransfers> transfers_{};
  std::optional<HandOvers> hand_overs_{};
  std::optional<Migrations> migrations_{};
  std::optional<Failures> failures_{};
  std::optional<Scaling> scaling_{};
  std::optional<WeightLoads> weight_loads_{};
  bool load_is_collected_ = false;   // some pool shows its load at intervals
  bool steps_become_flows_ = false;  // of some replica, perhaps
  Watchdog watchdog_{};
  std::string standstill_{};
};

}  // namespace servecast
