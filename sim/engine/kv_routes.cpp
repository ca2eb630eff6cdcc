#include "sim/engine/kv_routes.h"

namespace servecast {

const KvRoutes::Route& KvRoutes::route(const ReplicaAt& from, const ReplicaAt& to) {
  const auto [found, fresh] = routes_.try_emplace({from, to});
  Route& route = found->second;
  if (!fresh) return route;
  const Pool& a = scenario_.pools[from.pool];
  const Pool& b = scenario_.pools[to.pool];
  route.shards = kv_shards(a.llm, *data_type(a.spec.kv_cache_dtype), a.shape(), b.shape());
  for (const KvShard& shard : route.shards) {
    const GpuPlace& source = a.places[from.replica].gpus[static_cast<std::size_t>(shard.from_gpu)];
    const GpuPlace& sink = b.places[to.replica].gpus[static_cast<std::size_t>(shard.to_gpu)];
    route.transfers.push_back({.kind = kind_,
                               .from = Wiring::name(source),
                               .to = Wiring::name(sink),
                               .path = wiring_.peer_path(source, sink)});
  }
  return route;
}

std::vector<Transfer> KvRoutes::transfers(const ReplicaAt& from, const ReplicaAt& to, double tokens) {
  const Route& way = route(from, to);
  std::vector<Transfer> transfers = way.transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].bytes = tokens * way.shards[i].bytes_per_token;
  return transfers;
}

double KvRoutes::bytes(const ReplicaAt& from, const ReplicaAt& to, double tokens) {
  double bytes = 0;
  for (const KvShard& shard : route(from, to).shards) bytes += tokens * shard.bytes_per_token;
  return bytes;
}

}  // namespace servecast
