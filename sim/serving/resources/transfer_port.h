#pragma once
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "models/hw/latency/step_latency.h"
#include "sim/serving/resources/expert_timeline.h"
#include "sim/serving/resources/kv_tiers.h"

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

/// What the collectives of a step send between the GPUs of a pipeline stage, by how long that takes on links that
/// carry nothing else.
struct StepTraffic {
  std::size_t stage = 0;
  Reach reach = Reach::across_nodes;
  double alone_s = 0;
};

using ReplicaTransfer = std::variant<KvFetch, ExpertLoad, AdapterLoad, StepTraffic>;

/// Starts every byte that moves to, from or within a replica while others may use the same links.
class TransferPort : public TierWrites {
 public:
  /// From `at_s` on, which is not in the past; Replica::arrived() is called when the last byte is there.
  virtual Token start(ReplicaId replica, const ReplicaTransfer& transfer, double at_s) = 0;
  /// How long this takes if nothing else uses the links.
  virtual double alone_s(ReplicaId replica, const ReplicaTransfer& transfer) const = 0;
};

/// Traffic that a replica works out in closed form as long as its links carry nothing else: loads of experts, and
/// collectives by their reach.
enum class OwnTraffic : std::uint8_t { experts, inside_node, across_nodes };
inline constexpr std::array all_own_traffic{OwnTraffic::experts, OwnTraffic::inside_node, OwnTraffic::across_nodes};
inline constexpr std::array all_reaches{Reach::inside_node, Reach::across_nodes};
constexpr OwnTraffic own_traffic(Reach reach) {
  return reach == Reach::inside_node ? OwnTraffic::inside_node : OwnTraffic::across_nodes;
}

}  // namespace servecast
