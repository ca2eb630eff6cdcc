#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/hw/memory/kv_shards.h"
#include "sim/engine/links/flows.h"
#include "sim/engine/links/replica_at.h"

namespace servecast {

class Wiring;
struct GpuPlace;
struct Pool;
struct Scenario;

/// Tokens of a sequence, counted from its start.
struct KvSpan {
  double from = 0;
  double to = 0;
  bool last = true;  // none of this sequence are sent later
};

/// The ways of KV from replica to replica: every GPU sends what another one will keep of it. Where a replica has
/// several ranks, a request's KV is on the GPUs of one of them: see rank_of().
class KvRoutes {
 public:
  /// `kind` is that of the transfers.
  KvRoutes(const Scenario& scenario, const Wiring& wiring, std::string kind)
      : scenario_(scenario), wiring_(wiring), kind_(std::move(kind)) {}

  std::vector<Transfer> transfers(const ReplicaAt& from, const ReplicaAt& to, RequestId request, KvSpan tokens);
  /// A replica is somewhere else now.
  void forget_routes() { routes_.clear(); }
  double bytes(const ReplicaAt& from, const ReplicaAt& to, KvSpan tokens);

 private:
  struct Route {
    std::vector<KvShard> shards{};
    std::vector<Transfer> transfers{};  // without bytes
    KvGroups groups{};                  // of the replica that drops tokens, where one does
  };
  RankAt rank(const ReplicaAt& at, RequestId request) const;
  /// Of the rank's GPUs, counted stage by stage.
  static const GpuPlace& gpu(const Pool& pool, const RankAt& at, std::int64_t of_rank);
  const Route& route(const RankAt& from, const RankAt& to);

  const Scenario& scenario_;
  const Wiring& wiring_;
  std::string kind_;
  std::map<std::pair<RankAt, RankAt>, Route> routes_{};
};

}  // namespace servecast
