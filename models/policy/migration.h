#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/registry.h"
#include "models/policy/router.h"

namespace servecast {

/// One sequence that decodes on `from` is to go on on `to`: positions among the replicas that were shown.
struct MigrationPair {
  std::size_t from = 0;
  std::size_t to = 0;
  bool operator==(const MigrationPair&) const = default;
};

/// Moves sequences that decode already between the replicas of a pool. Their KV is copied while they go on decoding;
/// what they have made meanwhile is copied in a further stage, and so on until little is left. Then they stop, the
/// rest is copied, and the other replica goes on. A sequence that finishes or is preempted before it stops stays.
class Migration {
 public:
  static constexpr std::string_view kind = "migration";
  static constexpr PolicyListing listing{"migrations", "which sequences move while they decode"};
  virtual ~Migration() = default;

  /// Time between two evaluations of the replicas; infinite: no sequence moves.
  virtual double check_every_s() const = 0;

  /// Which replica sends a sequence to which; each replica at most once. Shown are those that may do so now: ready,
  /// and not sending or receiving one already.
  virtual std::vector<MigrationPair> pairs(std::span<const ReplicaView> replicas,
                                           std::int64_t block_tokens) const = 0;

  /// The sequence stops when no more blocks than these are left to copy.
  virtual std::int64_t last_stage_blocks() const { return 1; }

  /// What is wrong with the settings taken together; asked once, when the scenario is loaded.
  virtual std::optional<std::string> problem() const { return std::nullopt; }
};

}  // namespace servecast
