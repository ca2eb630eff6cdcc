#pragma once
#include <algorithm>
#include <cassert>

#include "sim/serving/state/first_uses.h"
#include "sim/serving/state/kv_blocks.h"
#include "sim/serving/state/lanes.h"
#include "sim/serving/state/replica_setup.h"
#include "sim/serving/step/pipeline.h"

namespace servecast {

/// How far a replica has come, and whether it has something to start.
struct ReplicaClock {
  double now_s = 0;
  bool ready = true;       // steps may start; without its weights they may not
  bool may_start = false;  // something changed now: look whether a batch can start

  void reach(double at_s) { now_s = std::max(now_s, at_s); }
  /// Something comes from outside to a replica that has been advanced to this instant.
  void wake(double at_s) {
    assert(at_s >= now_s || !ready);
    reach(at_s);
    may_start = true;
  }
};

/// What all parts of a replica work on. Each member keeps its own books; a part takes what it needs.
struct ReplicaCore {
  explicit ReplicaCore(ReplicaSetup settings);
  ReplicaCore(const ReplicaCore&) = delete;  // its members look at each other

  KvCache& cache() const { return blocks.cache(); }
  ReplicaId id() const { return setup.id; }
  PoolId pool() const { return setup.pool; }
  /// Something came free, or a sequence came, from outside.
  void changed(double at_s);

  ReplicaSetup setup;
  ReplicaClock clock{};
  ReplicaTotals totals{};
  OpenTransfers links;
  Pipeline pipeline;
  AdapterLoads adapters;
  FirstUses first_uses;
  SequenceBook book;
  Lanes lanes;
  KvBlocks blocks;
};

// What can be said of one of its sequences, wherever it is on its way:
/// What it did until now, where it stops.
void report_until(const ReplicaCore& core, const Sequence& s, double now_s, ReplicaListener& listener);
/// How far it has come.
MovingSequence stand_of(const ReplicaCore& core, Slot slot);

}  // namespace servecast
