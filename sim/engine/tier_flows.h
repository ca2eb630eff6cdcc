#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "sim/serving/replica_setup.h"

namespace servecast {

class Dispatcher;
class Wiring;
struct Part;
struct ReplicaPlace;
struct Scenario;
struct Transfer;

/// Fetches from KV tiers, and writes to them, as flows: every GPU of a replica gets or sends its share over its own
/// way from or to host memory, disk, or the memory of the node whose replica wrote it. What one replica writes to a
/// tier at an instant goes together.
class TierFlows final : public TierLinks {
 public:
  /// These outlive it.
  TierFlows(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher);

  double alone_s(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const override;
  void fetch(PoolId pool, ReplicaId to, Slot slot, std::span<const KvSource> sources, double now_s) override;
  void write(PoolId pool, ReplicaId replica, const KvWrite& write, double now_s) override;
  void begin_writes(double now_s) override;

 private:
  struct Wanted {  // a write that has not begun
    PoolId pool{};
    ReplicaId replica{};
    KvWrite write{};
    std::uint64_t life = 0;  // of the replica
    auto way() const { return std::tuple(pool, replica, write.tier, write.from_tier); }
  };
  std::vector<Transfer> transfers(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const;
  Transfer share(PoolId pool, const char* what, const Part& from, const Part& to, std::int64_t tokens) const;
  const ReplicaPlace& place(PoolId pool, ReplicaId replica) const;
  const std::string& kind(PoolId pool, std::size_t tier) const;
  Part from(PoolId pool, const KvSource& source, ReplicaId to, std::size_t gpu) const;
  Part own(PoolId pool, ReplicaId replica, std::optional<std::size_t> tier, std::size_t gpu) const;
  std::vector<Transfer> transfers(std::span<const Wanted> together) const;
  void begin(std::span<const Wanted> together, double now_s);
  std::size_t place_in_pool(PoolId pool, ReplicaId replica) const { return index(replica) - first_[index(pool)]; }
  std::uint64_t life(PoolId pool, ReplicaId replica) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Dispatcher& dispatcher_;
  std::vector<std::size_t> first_;  // by pool: the number of its first replica
  std::vector<Wanted> wanted_{};
};

}  // namespace servecast
