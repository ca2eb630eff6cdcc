#pragma once
#include <vector>

#include "sim/engine/links/replica_at.h"

namespace servecast {

struct MovingSequence;

/// Hears what becomes of replicas.
class ClusterListener {
 public:
  virtual ~ClusterListener() = default;
  /// Something may have happened to replicas within this instant.
  virtual void settle(double /*now_s*/) {}
  /// It can compute from now on; and it gets requests.
  virtual void ready(const ReplicaAt&, double /*now_s*/) {}
  virtual void serves(const ReplicaAt&, double /*now_s*/) {}
  /// It has stopped. Requests that were on their way from or to it are added to those that it had.
  virtual void stopped(const ReplicaAt&, std::vector<MovingSequence>& /*interrupted*/, double /*now_s*/) {}
  /// It is on other GPUs now.
  virtual void relocated(const ReplicaAt&, double /*now_s*/) {}
};

}  // namespace servecast
