#pragma once
#include <optional>
#include <vector>

#include "models/policy/router.h"
#include "models/policy/support/hash_ring.h"

namespace servecast {

/// Sends what belongs together to one replica: by session, or by client where there is no session. Requests with
/// neither go where the fewest requests are (production-stack: fewest per second).
class SessionRing {
 public:
  explicit SessionRing(std::int64_t points_per_replica = HashRing::usual_points) : ring_(points_per_replica) {}

  ReplicaId pick(const Request& request, const ReplicaViews& replicas) {
    const ReplicaId least =
        least_.of(replicas, [](const ReplicaView& r) { return r.waiting_requests + r.running_requests; });
    const auto key = key_of(request);
    if (!key) return least;
    if (ring_.size() != replicas.size() || membership_version_ != replicas.membership_version()) assign(replicas);
    return ring_.owner(*key);
  }

 private:
  static std::optional<std::uint64_t> key_of(const Request& r) {
    constexpr std::uint64_t sessions = std::uint64_t{1} << 32;  // apart from clients of the same number
    if (r.session != SessionId{}) return sessions + index(r.session);
    if (r.client != ClientId{}) return index(r.client);
    return std::nullopt;
  }
  void assign(const ReplicaViews& replicas) {
    std::vector<ReplicaId> ids;
    for (const ReplicaView& r : replicas) ids.push_back(r.id);
    ring_.assign(ids);
    membership_version_ = replicas.membership_version();
  }

  HashRing ring_;
  std::uint64_t membership_version_ = 0;
  LeastReplica<std::int64_t> least_;
};

}  // namespace servecast
