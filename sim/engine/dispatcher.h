#pragma once
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/failures.h"
#include "sim/engine/gateway.h"
#include "sim/engine/hand_overs.h"
#include "sim/engine/migrations.h"
#include "sim/engine/replica_pool.h"
#include "sim/engine/replica_sampler.h"
#include "sim/engine/run.h"
#include "sim/engine/scaling.h"
#include "sim/engine/waiting_room.h"
#include "sim/engine/watchdog.h"
#include "sim/engine/weight_loads.h"

namespace servecast {

class ReplicaTransfers;

/// Source and gateway: takes requests from the workload when they are due, sends each to its pool, and where a client
/// waits for an answer before it goes on (closed loop) notices the answer. Knows no SimGrid: `next_s()` says when to
/// come back, `handle(now_s)` does all that is due at that instant.
///
/// Times are the dispatcher's own, not the engine's clock: SimGrid merges instants closer than 1e-9 s.
class Dispatcher final : public ReplicaListener,
                         private ReplicaAccess,
                         private Gateway::Exits,
                         private Failures::Cluster,
                         private ReplicaLifecycle::Replicas,
                         private Scaling::Pools {
 public:
  Dispatcher(Scenario& scenario, Recorder& recorder, const RunOptions& options);

  /// The next instant at which something is due outside the replicas; infinite when nothing will be.
  double next_s();
  void handle(double now_s);
  /// Nothing is due any more but the replicas' own steps: lets them come to their end, or to the scenario's
  /// `until_s`.
  void drain();

  /// Over what the replicas' transfers go.
  void connect(ReplicaTransfers& transfers);
  void arrived(const ReplicaAt& at, Token token, double now_s);
  bool begins_write(const ReplicaAt& at, const KvWrite& write, double now_s);
  void written(const ReplicaAt& at, std::span<const KvWrite> writes, double now_s);
  /// Whether others use the links of a replica's own traffic.
  void set_contended(const ReplicaAt& at, OwnTraffic traffic, bool contended, double now_s);

  Flows& flows() { return flows_; }
  /// Over which KV moves; needed where some pool's requests go from replica to replica.
  void set_wiring(const Wiring& wiring);
  /// How far it has come.
  double now_s() const { return now_s_; }
  double duration_s() const { return duration_s_; }
  const std::vector<ReplicaPool>& pools() const { return pools_; }
  /// Null where nothing can fail.
  const Failures* failures() const { return failures_ ? &*failures_ : nullptr; }
  const ReplicaLifecycle& lifecycle() const { return lifecycle_; }
  /// Null where no pool has an autoscaler.
  const Scaling* scaling() const { return scaling_ ? &*scaling_ : nullptr; }
  /// Null where the scenario has none.
  const Gateway* gateway() const { return gateway_ ? &*gateway_ : nullptr; }

  void request_done(const Request& request, const RequestRecord& record) override;
  void request_waited(PoolId pool, double from_s, double to_s) override;
  void request_ran(PoolId pool, double from_s, double to_s) override;
  void token_gap(PoolId pool, double gap_s, std::int64_t count) override;
  void step_done(const StepRecord& step, std::span<const StepMember> who) override;
  void prompt_done(ReplicaId replica, Ticket place, const MovingSequence& sequence) override;
  void chunk_launched(const PromptChunk& chunk) override;
  void prompt_restarts(RequestId id) override;
  void import_has_room(RequestId id, Ticket place, std::int64_t cached_tokens) override;
  bool wants_members(double start_s) const override;

 private:
  struct Awaited {  // a replica on which a client may get its answer at `time_s`, not earlier
    double time_s = 0;
    std::size_t pool = 0;
    std::size_t replica = 0;
    std::uint64_t generation = 0;  // of the replica when this was worked out; stale once it has changed
  };
  struct Inbound {  // a request on its way from the client to the engine's queue
    double due_s = 0;
    Request request{};
  };
  struct Copying {  // a request that waits for the beginning of its prompt to be copied to its replica
    double due_s = 0;
    double since_s = 0;
    Request request{};
    Serve serve = Serve::whole;
    Destination to{};
  };
  struct Later {
    bool operator()(const Awaited& a, const Awaited& b) const {
      return std::tie(a.time_s, a.pool, a.replica) > std::tie(b.time_s, b.pool, b.replica);
    }
    bool operator()(const Inbound& a, const Inbound& b) const {
      return std::tie(a.due_s, a.request.id) > std::tie(b.due_s, b.request.id);
    }
    bool operator()(const Copying& a, const Copying& b) const {
      return std::tie(a.due_s, a.request.id) > std::tie(b.due_s, b.request.id);
    }
  };
  struct Touched {
    std::size_t pool = 0;
    std::size_t replica = 0;
  };
  std::optional<ReplicaAt> route(std::size_t pool, const Request& request, double now_s) override;
  bool admits_decode(const Request& request, std::size_t decode_pool, double now_s) override;
  void advance_pool(std::size_t pool, double now_s) override { pools_[pool].advance_all(now_s, *this); }
  const Replica& replica(const ReplicaAt& at) const override { return pools_[at.pool][at.replica]; }
  Replica& advanced(const ReplicaAt& at, double now_s) override;
  void changed(const ReplicaAt& at) override;
  bool anyone_serves(std::size_t pool) const override { return pools_[pool].anyone_serves(); }
  Departure depart(const ReplicaAt& at, Slot slot, double now_s) override;
  std::optional<MovingSequence> recall_import(const ReplicaAt& at, Slot slot, double now_s) override;
  void wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) override;
  void compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) override;
  bool serves(const ReplicaAt& at) const override { return lifecycle_.serves(at); }
  bool leaves(const ReplicaAt& at) const override { return lifecycle_.leaves(at); }
  double next_migration_check_s();
  void send_pass(const Request& pass) override { send_to_pool(pass); }
  void answered(const Request& as_it_came, const RequestRecord& record, const GatewayRecord& gateway,
                double now_s) override;
  // Where replicas may fail (dispatcher_failures.cpp):
  void crash(const ReplicaAt& at, double now_s) override;
  void serve(const ReplicaAt& at, double now_s) override;
  void set_pace(const ReplicaAt& at, const StepPace& pace, double now_s) override;
  void moved(const ReplicaAt& at, double now_s) override;
  void lose_memory(const ReplicaAt& at, double now_s) override { pools_[at.pool].lose_memory(at.replica, now_s); }
  // Where autoscalers have replicas come and go (dispatcher_scaling.cpp):
  void make_ready(const ReplicaAt& at, double now_s) override;
  void withdraw(const ReplicaAt& at) override;
  bool is_done(const ReplicaAt& at, double now_s) override;
  double next_due_s(const ReplicaAt& at) const override { return pools_[at.pool][at.replica].next_due_s(); }
  void switch_off(const ReplicaAt& at, double now_s) override;
  std::vector<ReplicaView> serving(std::size_t pool, double now_s) override;
  std::int64_t requests(const ReplicaAt& at, double now_s) override;
  std::int64_t waiting_outside(std::size_t pool) const override { return waiting_room_.count(PoolId(pool)); }
  const PoolProbe& steps(std::size_t pool) const override { return step_models_[pool]; }
  void scale_due(double now_s);
  void mirror(const Request& request, double now_s);
  bool is_mirrored(RequestId id) const;
  bool requests_left();
  std::vector<MovingSequence> stop(const ReplicaAt& at, double now_s);
  void fail_due(double now_s);
  void go_on_elsewhere(MovingSequence struck, double now_s);
  void resume(const MovingSequence& begun, double now_s);
  void wait_outside(const WaitingRoom::Guest& guest);
  void give_up(const WaitingRoom::Guest& guest);
  void give_up_waiting(double now_s);
  void open_gateway();
  double next_arrival_s() const;
  void send_to_pool(const Request& request);
  void fetch_kv_for(const Request& pass, Destination& to) const;
  void lasts_until(double at_s);
  void finish(const RequestRecord& record);
  void send(const Request& request);
  void read_ahead();
  void expect_looks_of_gates();
  double next_signal_s(double at_s) const;
  void collect_signals(double now_s);
  void arrive(const Request& request, double now_s);
  void enter_pool(const Request& request, double now_s);
  void enter_replica(const Request& request, double now_s);
  void deliver(const Request& request, Serve serve, const Destination& to, double now_s);
  void copy_first(Copying copying, double now_s);
  double next_copy_due_s();
  void copied(RequestId id, double end_s);
  void deliver_copied(double now_s);
  void turn_away(const Request& request, RequestStatus status);
  void follow_up(const Request& request, const RequestRecord& record, double earliest_s);
  void abandon_inbound(double end_s);
  void abandon(const Request& request);
  void touch(std::size_t pool, std::size_t replica);
  void watch_touched();
  void watch(std::size_t pool, std::size_t replica);
  void start_touched(double now_s);
  void sample_replicas();
  bool samples() const { return options_.detail && options_.detail->wants_replicas(); }
  void count_event(double now_s);
  void poll();
  // What happens within one instant (dispatcher_instant.cpp):
  static constexpr bool rides_along = true;
  struct Part {
    const char* name;                // as the watchdog calls it
    double (Dispatcher::*next_s)();  // null: it is never due by itself
    void (Dispatcher::*act)(double now_s);
    bool rides = false;  // nobody need come for that alone
  };
  static const Part parts_[];
  double next_step_s();
  void end_steps(double now_s);
  double next_flow_s();
  void end_flows(double now_s);
  double next_hand_over_s();
  void hand_over(double now_s);
  double next_role_check_s();
  void check_roles(double now_s);
  void migrate(double now_s);
  double next_failure_s();
  double next_give_up_s();
  double next_scaling_s();
  double next_at_gateway_s();
  void act_at_gateway(double now_s);
  double next_inbound_s();
  void take_inbound(double now_s);
  double next_sample_s();
  void sample_due(double now_s);
  void start_steps(double now_s);
  void begin_flows(double now_s);
  // Whether that leads anywhere (dispatcher_turns.cpp):
  void watch_turn(double now_s);
  bool something_comes() const;
  std::string requests_left_by_pool() const;

  Scenario& scenario_;
  Recorder& recorder_;
  const RunOptions& options_;
  double until_s_;
  std::vector<ReplicaPool> pools_;
  ReplicaLifecycle lifecycle_;
  std::vector<std::vector<std::uint64_t>> generations_;  // by pool and replica
  double least_inbound_s_ = Replica::infinity;           // of all pools
  std::optional<Request> next_;                          // from the workload
  std::priority_queue<Inbound, std::vector<Inbound>, Later> inbound_;
  std::priority_queue<Copying, std::vector<Copying>, Later> copying_;
  std::map<RequestId, Copying> copied_by_flows_;          // while these are under way
  std::set<std::pair<double, RequestId>> copy_give_ups_;  // of those whose clients will not wait for ever
  std::priority_queue<Awaited, std::vector<Awaited>, Later> awaited_;
  std::vector<Touched> touched_;  // replicas with awaited requests that changed in this instant
  Flows flows_;
  ReplicaTransfers* transfers_ = nullptr;
  std::optional<KvRoutes> prefix_routes_;  // of prefixes that a router has copied; none: as if links were free
  std::optional<HandOvers> hand_overs_;    // where some pool has any
  std::optional<Migrations> migrations_;   // likewise
  std::optional<Gateway> gateway_;         // likewise
  std::optional<Failures> failures_;       // likewise
  std::optional<WeightLoads> weight_loads_;
  std::optional<Scaling> scaling_;        // likewise
  std::vector<PoolAnswers> step_models_;  // by pool, for autoscalers
  std::uint32_t mirrored_ = 0;
  std::vector<MovingSequence> struck_;  // at this instant, by failures
  WaitingRoom waiting_room_;
  std::int64_t in_pools_ = 0;  // requests that have arrived there and whose records are not out
  ReplicaSampler sampler_;
  double now_s_ = 0;
  double duration_s_ = 0;
  bool signals_ = false;             // some pool shows its load at intervals
  bool steps_become_flows_ = false;  // of some replica, perhaps: it must not be passed over when one starts
  std::int64_t arrived_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t events_ = 0;
  std::int64_t polls_ = 0;
  Watchdog watchdog_;
  std::int64_t progress_ = 0;  // requests that arrived and ended, steps that were done
  std::int64_t comings_ = 0;   // replicas that came or went
  std::int64_t comings_seen_ = 0;
};

}  // namespace servecast
