#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/policy/router.h"

namespace servecast {

/// The replicas that a router saw serve last, where it remembers something of each.
class ServingReplicas {
 public:
  /// Calls `forget(id)` for each that has gone since: one that comes back has an empty cache. Returns whether any
  /// came or went.
  template <class Forget>
  bool follow(const ReplicaViews& replicas, Forget forget) {
    if (!ids_.empty() && membership_version_ == replicas.membership_version()) return false;
    std::vector<ReplicaId> ids;
    for (const ReplicaView& r : replicas) ids.push_back(r.id);
    for (const ReplicaId id : ids_)
      if (!std::ranges::binary_search(ids, id)) forget(id);
    ids_ = std::move(ids);
    membership_version_ = replicas.membership_version();
    return true;
  }
  /// One above the highest id.
  std::size_t room() const { return index(ids_.back()) + 1; }

 private:
  std::vector<ReplicaId> ids_;
  std::uint64_t membership_version_ = 0;
};

}  // namespace servecast
