#pragma once
#include <cstdint>
#include <vector>

#include "sim/serving/replica_setup.h"

namespace servecast {

class Dispatcher;
class Wiring;
struct ReplicaAt;
struct Scenario;
struct Transfer;

/// Loads of LoRA adapters as flows: every GPU of a replica gets its share from the memory of its node. Those that a
/// step waits for go together, as one copy after the other on a GPU's stream takes as long.
class AdapterLoads final : public AdapterLinks {
 public:
  /// These outlive it.
  AdapterLoads(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher);

  void load(PoolId pool, ReplicaId to, std::size_t lane, std::int64_t adapters, double at_s) override;

 private:
  std::vector<Transfer> transfers(const ReplicaAt& to, std::int64_t adapters) const;
  std::uint64_t life(const ReplicaAt& at) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Dispatcher& dispatcher_;
  std::vector<std::size_t> first_;  // by pool: the number of its first replica
};

}  // namespace servecast
