#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "sim/serving/expert_timeline.h"
#include "sim/serving/kv_tiers.h"

namespace servecast {

/// A transfer of a replica while it is under way.
enum class Token : std::uint64_t {};

/// KV of a request's prompt, from tiers below the GPU's memory.
struct KvFetch {
  RequestId request{};
  std::vector<KvSource> sources{};
};

/// LoRA adapters from host memory, one copy after the other.
struct AdapterLoad {
  std::int64_t adapters = 0;
};

/// What the collectives of a step send between the nodes of a pipeline stage, by how long that takes while nobody
/// else uses the links.
struct StepTraffic {
  std::size_t stage = 0;
  double alone_s = 0;
};

using ReplicaTransfer = std::variant<KvFetch, ExpertLoad, AdapterLoad, StepTraffic>;

/// Starts every byte that moves to, from or within a replica while others may use the same links.
class TransferPort : public TierWrites {
 public:
  /// From `at_s` on, which is not in the past; Replica::arrived() is told when the last byte is there.
  virtual Token start(ReplicaId replica, const ReplicaTransfer& transfer, double at_s) = 0;
  /// How long this takes if nobody else uses the links.
  virtual double alone_s(ReplicaId replica, const ReplicaTransfer& transfer) const = 0;
};

/// Traffic that a replica works out in closed form as long as nobody else uses its links.
enum class OwnTraffic : std::uint8_t { experts, collectives };

}  // namespace servecast
