#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "sim/engine/dispatcher.h"
#include "sim/engine/wiring.h"

namespace servecast {

/// Fetches from KV tiers as flows: every GPU of a replica gets its share over its own way from host memory, disk, or
/// the memory of the node whose replica wrote it.
class TierFetches final : public TierLinks {
 public:
  /// These outlive it.
  TierFetches(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher);

  double alone_s(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const override;
  void fetch(PoolId pool, ReplicaId to, Slot slot, std::span<const KvSource> sources, double now_s) override;

 private:
  std::vector<Transfer> transfers(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const;
  const ReplicaPlace& place(PoolId pool, ReplicaId replica) const;
  Part from(PoolId pool, const KvSource& source, ReplicaId to, std::size_t gpu) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Dispatcher& dispatcher_;
  std::vector<std::size_t> first_{};  // by pool: the number of its first replica
};

}  // namespace servecast
