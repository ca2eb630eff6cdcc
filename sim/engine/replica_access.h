#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/serving/sequence.h"

namespace servecast {

class Replica;
struct Departure;
struct MovingSequence;

/// A replica of the cluster.
struct ReplicaAt {
  std::size_t pool = 0;
  std::size_t replica = 0;
  auto operator<=>(const ReplicaAt&) const = default;
};

/// A rank of it: the GPUs that have the KV of its requests.
struct RankAt {
  ReplicaAt replica{};
  std::int64_t rank = 0;
  auto operator<=>(const RankAt&) const = default;
};

/// What those who move requests between replicas need of them.
class ReplicaAccess {
 public:
  virtual ~ReplicaAccess() = default;
  /// The pool's router picks, or turns the request away.
  virtual std::optional<ReplicaAt> route(std::size_t pool, const Request& request, double now_s) = 0;
  /// Whether the pool's gate lets a computed prompt go on to be decoded there; if not, its client has been told.
  virtual bool admits_decode(const Request& request, std::size_t decode_pool, double now_s) = 0;
  /// All of the pool brought up to `now_s`.
  virtual void advance_pool(std::size_t pool, double now_s) = 0;
  virtual const Replica& replica(const ReplicaAt& at) const = 0;
  /// It gets requests; or it does so no longer, and goes when it has done those it has.
  virtual bool serves(const ReplicaAt& at) const = 0;
  virtual bool leaves(const ReplicaAt& at) const = 0;
  /// Brought up to `now_s`; changed() once something was done to it.
  virtual Replica& advanced(const ReplicaAt& at, double now_s) = 0;
  virtual void changed(const ReplicaAt& at) = 0;
  virtual bool anyone_serves(std::size_t pool) const = 0;
  /// Replica::depart(), recall_import().
  virtual Departure depart(const ReplicaAt& at, Slot slot, double now_s) = 0;
  virtual std::optional<MovingSequence> recall_import(const ReplicaAt& at, Slot slot, double now_s) = 0;
  /// Its KV is ready to be handed over to a pool of which nobody serves: it waits until somebody does.
  virtual void wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) = 0;
  /// Its KV is given up: it is computed again there.
  virtual void compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) = 0;
};

}  // namespace servecast
