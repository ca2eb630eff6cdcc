#pragma once
#include <bit>
#include <memory>
#include <vector>

#include "models/base/rng.h"
#include "sim/input/scenario.h"
#include "sim/serving/replica.h"

namespace servecast {

/// The replicas of one pool, its router, and the views that the router sees.
class ReplicaPool {
 public:
  ReplicaPool(const Pool& pool, PoolId id, ReplicaId first, std::uint64_t seed, bool ask_every_step);

  /// Brings the pool up to `now_s` as far as the router looks at it and lets the router pick. Returns the replica's
  /// place in the pool.
  std::size_t route(const Request& request, double now_s, ReplicaListener& listener);
  /// The same, and hands the request over.
  std::size_t deliver(const Request& request, double now_s, ReplicaListener& listener);
  void advance(std::size_t i, double until_s, ReplicaListener& listener);
  void advance_all(double until_s, ReplicaListener& listener);
  /// All that arrives at this instant has arrived.
  void start(std::size_t i, ReplicaListener& listener);
  void start_all(ReplicaListener& listener);
  void set_ready(std::size_t i, double now_s);
  void abandon(double now_s, ReplicaListener& listener);
  /// Somebody did something to a replica: its view follows.
  void refresh(std::size_t i);
  bool busy() const { return next_due_s() < Replica::infinity; }
  /// When the next step of any replica starts or ends.
  double next_due_s() const { return std::bit_cast<double>(next_due_.key(next_due_.least())); }

  std::size_t size() const { return replicas_.size(); }
  Replica& operator[](std::size_t i) { return replicas_[i]; }
  const Replica& operator[](std::size_t i) const { return replicas_[i]; }

 private:
  std::unique_ptr<Router> router_;
  Rng rng_;
  std::size_t first_;
  std::vector<Replica> replicas_;
  std::vector<ReplicaView> views_;
  std::vector<std::uint32_t> changed_;  // views, since the router last looked
  LeastBy<std::int64_t> next_due_;      // by replica: the bits of the time, which are in the order of times from 0 on
};

}  // namespace servecast
