#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/hw/kv_shards.h"
#include "sim/engine/flows.h"
#include "sim/engine/replica_access.h"
#include "sim/engine/wiring.h"

namespace servecast {

/// The ways of KV from replica to replica: every GPU sends what another one will keep of it.
class KvRoutes {
 public:
  /// `kind` is that of the transfers.
  KvRoutes(const Scenario& scenario, const Wiring& wiring, std::string kind)
      : scenario_(scenario), wiring_(wiring), kind_(std::move(kind)) {}

  std::vector<Transfer> transfers(const ReplicaAt& from, const ReplicaAt& to, double tokens);
  double bytes(const ReplicaAt& from, const ReplicaAt& to, double tokens);

 private:
  struct Route {
    std::vector<KvShard> shards{};
    std::vector<Transfer> transfers{};  // without bytes
  };
  const Route& route(const ReplicaAt& from, const ReplicaAt& to);

  const Scenario& scenario_;
  const Wiring& wiring_;
  std::string kind_;
  std::map<std::pair<ReplicaAt, ReplicaAt>, Route> routes_{};
};

}  // namespace servecast
