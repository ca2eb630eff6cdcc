#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/base/ids.h"

namespace servecast {

class Replica;
class SharedTier;
struct Node;
struct Pool;
struct Scenario;

/// Makes the replicas of one pool, as they are before anything has reached them, and the tier that they share.
class ReplicaMaker {
 public:
  ReplicaMaker(const Scenario& scenario, PoolId id, ReplicaId first, bool ask_every_step);
  ~ReplicaMaker();
  /// The one at this place of the pool.
  Replica operator()(std::size_t i) const;
  /// Null: none.
  SharedTier* shared_tier() const { return shared_tier_.get(); }

 private:
  const Pool& pool_;
  const Node& node_;
  PoolId id_;
  std::size_t first_;
  std::uint64_t seed_;
  bool ask_every_step_;
  std::unique_ptr<SharedTier> shared_tier_;
};

}  // namespace servecast
