#pragma once
#include "sim/engine/cluster/pending_queue.h"
#include "sim/engine/cluster/pool_routing.h"
#include "sim/engine/flow/flow_parts.h"
#include "sim/engine/transfers/hand_overs.h"

namespace servecast {

class Arrivals;
class Cluster;
class PrefixCopies;
class Recorder;
class RequestEnds;
class RunClock;

/// The way of a request to its replica: it arrives at its pool, admission lets it in, the router sends it, perhaps
/// the beginning of its prompt is copied first, and it is delivered. It waits before a pool of which no replica
/// serves, and goes on elsewhere where its replica has failed.
class RequestFlow final : public ClusterListener, private HandOvers::Callbacks {
 public:
  RequestFlow(const Scenario& scenario, Recorder& recorder, RunClock& clock, Cluster& cluster, Arrivals& arrivals,
              RequestEnds& ends, PrefixCopies& copies, const FlowParts& parts);

  /// Whether anything can still happen to a request. Requires that replicas are as far as the run knows them.
  bool any_left();
  /// Requests that wait before a pool.
  const PendingQueue& pending() const { return pending_; }
  /// For hand-overs, which let go of requests.
  HandOvers::Callbacks& callbacks() { return *this; }

  // Within one instant:
  void ask_gateway(double now_s);
  void take_arrivals(double now_s);
  void deliver_copied(double now_s);
  double next_give_up_s() const { return pending_.next_give_up_s(); }
  void give_up_pending(double now_s);
  /// Those that failures have interrupted.
  void go_on_elsewhere(double now_s);
  /// The run is cut off: requests that were sent before that but have not reached an engine.
  void abandon(double end_s);

 private:
  /// What becomes of a request that a failure interrupts (FailureSpec::in_flight).
  enum class InFlight : std::uint8_t { lost, retry, recompute };
  static InFlight in_flight(const Scenario& scenario);

  void serves(const ReplicaAt& at, double now_s) override;
  void stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) override;
  std::optional<ReplicaAt> route(std::size_t pool, const Request& request, double now_s) override;
  bool admits_decode(const Request& request, std::size_t decode_pool, double now_s) override;
  void wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) override;
  void compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) override;

  void record_arrival(const Request& request, double until_s);
  void arrive(const Request& request, double now_s);
  void enter_pool(const Request& request, double now_s);
  void enter_replica(const Request& request, double now_s);
  void deliver(const Request& request, Serve serve, const Destination& to, double now_s);
  void deliver_to(const ReplicaAt& at, const Request& request, Serve serve, std::int64_t copied_tokens, double now_s);
  void fetch_kv_for(const Request& call, Destination& to) const;
  void go_on(MovingSequence interrupted, double now_s);
  void resume(const MovingSequence& begun, double now_s);
  void wait(const PendingQueue::PendingRequest& waiting);
  void give_up(const PendingQueue::PendingRequest& waiting);

  const Scenario& scenario_;
  Recorder& recorder_;
  RunClock& clock_;
  Cluster& cluster_;
  Arrivals& arrivals_;
  RequestEnds& ends_;
  PrefixCopies& copies_;
  const FlowParts& parts_;
  InFlight in_flight_;
  std::int64_t max_retries_;
  PendingQueue pending_{};
};

}  // namespace servecast
