#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/links/replica_at.h"
#include "sim/engine/links/step_routes.h"
#include "sim/serving/resources/transfer_port.h"

namespace servecast {

class Wiring;
struct Part;
struct ReplicaPlace;
struct Scenario;

constexpr const char* expert_load_kind = "expert_load";
constexpr const char* adapter_load_kind = "adapter_load";

/// Which flows a replica's transfers are: every GPU of it gets or sends its share over its own way. KV of a request
/// is on the GPUs of one rank, so only these get or send it.
class TransferRoutes {
 public:
  /// These outlive it.
  TransferRoutes(const Scenario& scenario, const Wiring& wiring);

  ReplicaAt at(ReplicaId replica) const;

  std::vector<Transfer> of(const ReplicaAt& at, const ReplicaTransfer& transfer) const;
  /// So many tokens of the unit's rank into a tier.
  std::vector<Transfer> of_write(const ReplicaAt& at, const KvWrite& write, std::int64_t tokens) const;
  /// How long the whole transfer takes while nothing else uses the links.
  double alone_s(const ReplicaAt& at, const ReplicaTransfer& transfer) const;
  /// It is on other GPUs now.
  void relocated(const ReplicaAt& at) {
    std::erase_if(steps_, [&](const auto& step) { return step.first.first == at; });
  }

 private:
  std::vector<Transfer> flows(const ReplicaAt& at, const KvFetch& fetch) const;
  std::vector<Transfer> flows(const ReplicaAt& at, const ExpertLoad& load) const;
  std::vector<Transfer> flows(const ReplicaAt& at, const AdapterLoad& load) const;
  std::vector<Transfer> flows(const ReplicaAt& at, const StepTraffic& traffic) const;
  struct TierEnd {  // a rank's GPUs, or what a tier has of them
    RankAt rank{};
    std::optional<std::size_t> tier{};
  };
  std::vector<Transfer> kv_shares(const char* what, const TierEnd& from, const TierEnd& to,
                                  std::int64_t tokens) const;
  double kv_pieces(std::size_t pool, std::int64_t tokens) const;
  Part tier_part(const RankAt& at, std::optional<std::size_t> tier, std::int64_t gpu) const;
  /// Where a KV tier is (KvTierSpec::kind).
  enum class TierPlace : std::uint8_t { host, disk, shared };
  static std::vector<std::vector<TierPlace>> tier_places(const Scenario& scenario);
  const ReplicaPlace& place(const ReplicaAt& at) const;
  std::span<const GpuPlace> stage(const ReplicaAt& at, std::size_t stage) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  std::vector<std::size_t> first_;                   // by pool: the number of its first replica
  std::vector<double> piece_tokens_;                 // by pool: of KV that lies together
  std::vector<std::vector<TierPlace>> tier_places_;  // by pool and tier
  using StageReach = std::pair<std::size_t, Reach>;
  mutable std::map<std::pair<ReplicaAt, StageReach>, StepRoutes>
      steps_;  // of those that have sent something; they do so every step
};

}  // namespace servecast
