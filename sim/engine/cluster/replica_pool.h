#pragma once
#include <bit>
#include <span>
#include <vector>

#include "sim/engine/cluster/pool_routing.h"
#include "sim/engine/cluster/replica_maker.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

/// The replicas of one pool, each with a clock of its own: brings them up to instants, and keeps which one is due
/// next.
class ReplicaPool {
 public:
  ReplicaPool(const Scenario& scenario, PoolId id, ReplicaId first, ReplicaListener& listener, bool ask_every_step);
  ReplicaPool(const ReplicaPool&) = delete;  // its routing looks at its replicas

  std::size_t size() const { return replicas_.size(); }
  Replica& operator[](std::size_t i) { return replicas_[i]; }
  const Replica& operator[](std::size_t i) const { return replicas_[i]; }
  /// Those that have stopped, as they were then.
  std::span<const Replica> former() const { return former_; }
  /// Null: none. What one replica finds there may be what another has written: then all are brought up to an instant
  /// together.
  const SharedTier* shared_tier() const { return make_.shared_tier(); }

  /// Admission and router, with the pool brought up to `now_s` as far as they look at it; and as they are.
  PoolRouting& routing(double now_s);
  PoolRouting& routing() { return routing_; }
  const PoolRouting& routing() const { return routing_; }

  void advance(std::size_t i, double until_s);
  /// As far as admission and router look at them.
  void advance_seen(double until_s);
  void advance_all(double until_s);
  /// Does something to a replica that has been brought up to `now_s`, exactly.
  template <class Do>
  void change(std::size_t i, double now_s, Do something) {
    replicas_[i].advance(now_s, listener_);
    something(replicas_[i]);
    refresh(i);
  }
  /// A replica has changed.
  void refresh(std::size_t i);
  /// A request reaches its replica, and before it the KV of so many tokens that were copied for it.
  void deliver(std::size_t i, const Request& request, Serve serve, std::int64_t copied_tokens, double now_s);
  /// All that arrives at this instant has arrived.
  void start(std::size_t i);
  void start_all();
  bool busy() const { return next_due_s() < Replica::infinity; }
  /// A replica has admitted requests, though all of these may wait for a transfer.
  bool runs_any() const {
    return std::ranges::any_of(replicas_, [](const Replica& r) { return r.core().book.sums().running > 0; });
  }
  /// When the next step of any replica starts or ends, if every step matters (step by step); else, when the next one
  /// does that is looked at.
  double next_due_s() const { return std::bit_cast<double>(next_due_.key(next_due_.least())); }

  void connect(TransferPort& port);
  /// A transfer is done. Whether KV blocks were held for it.
  bool arrived(std::size_t i, Token token, double now_s);
  /// It stops at `now_s` and starts over as an empty one that is not ready. Returns the sequences that were there, by
  /// id.
  std::vector<MovingSequence> stop(std::size_t i, double now_s);
  /// The memory of its nodes is gone, and with it what it wrote to a tier that all share.
  void lose_memory(std::size_t i, double now_s);
  /// The run is cut off.
  void abandon(double now_s);

 private:
  /// Nothing looks at replicas while the same sequences decode.
  bool skips_decodes() const { return may_skip_ && !routing_.reads_kv(); }
  std::vector<Replica> make_all(const Pool& pool) const;

  ReplicaListener& listener_;
  ReplicaMaker make_;
  std::vector<Replica> replicas_;
  std::vector<Replica> former_{};
  PoolRouting routing_;
  bool may_skip_;                     // no other replica sees what these do between arrivals
  LeastBy<std::int64_t> next_due_{};  // by replica: the bits of the time, which are in the order of times from 0 on
};

}  // namespace servecast
