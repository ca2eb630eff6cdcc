#pragma once
#include "sim/serving/state/replica_core.h"

namespace servecast {

/// Sequences preempted while they decoded, whose blocks are copied to host memory and back. Those admitted first come
/// back first.
class Swapping {
 public:
  explicit Swapping(ReplicaCore& core) : core_(core), space_(core.setup.swap) {}

  /// False where there is no room, or it would need more to come back than there ever is: then it is recomputed.
  bool out(Slot slot);
  /// A sequence that finds room, with the blocks that the next step takes, decodes in this step already.
  void in(Lane& lane);
  /// Its client has given up.
  void drop(Lane& lane, Slot slot);

 private:
  bool comes_back(Lane& lane, Slot slot);
  std::int64_t blocks_to_come_back(const Lane& lane, const Sequence& s) const;

  ReplicaCore& core_;
  const SwapSpace& space_;
  std::int64_t blocks_ = 0;  // in host memory
};

}  // namespace servecast
