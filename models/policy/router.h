#pragma once
#include <span>

#include "models/base/registry.h"
#include "models/base/rng.h"
#include "models/policy/request.h"

namespace servecast {

/// What a router may know about a replica. A copy: a router cannot change the cluster.
struct ReplicaView {
  ReplicaId id{};
  std::int64_t waiting_requests = 0;
  std::int64_t waiting_tokens = 0;    // prompt tokens not yet computed, of waiting and admitted requests
  std::int64_t running_requests = 0;  // admitted: prefilling or decoding
  std::int64_t used_blocks = 0;       // KV blocks held
  std::int64_t total_blocks = 0;
};

/// Chooses the replica that serves a request.
class Router {
 public:
  static constexpr std::string_view kind = "router";
  virtual ~Router() = default;

  /// `replicas` is never empty, is sorted by id and shows the pool exactly as it is at the request's arrival: steps
  /// that end at that instant have ended, none that starts then has started. Called once per request, in arrival
  /// order.
  virtual ReplicaId pick(const Request& request, std::span<const ReplicaView> replicas, Rng& rng) = 0;

  /// False for a router that never looks at the views' numbers: then nobody needs to bring them up to date.
  virtual bool reads_state() const { return true; }
};

}  // namespace servecast
