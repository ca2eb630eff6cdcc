#include "sim/engine/links/kv_routes.h"

#include <algorithm>

#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

RankAt KvRoutes::rank(const ReplicaAt& at, RequestId request) const {
  return {at, rank_of(request, scenario_.pools[at.pool].shape().ranks())};
}

const GpuPlace& KvRoutes::gpu(const Pool& pool, const RankAt& at, std::int64_t of_rank) {
  const ReplicaPlace& place = pool.places[at.replica.replica];
  return place.gpus[static_cast<std::size_t>(pool.shape().gpu_of_rank(at.rank, of_rank))];
}

const KvRoutes::Route& KvRoutes::route(const RankAt& from, const RankAt& to) {
  const auto [found, fresh] = routes_.try_emplace({from, to});
  Route& route = found->second;
  if (!fresh) return route;
  const Pool& a = scenario_.pools[from.replica.pool];
  const Pool& b = scenario_.pools[to.replica.pool];
  route.shards = kv_shards(a.llm, *data_type(a.spec.kv_cache_dtype), a.shape(), b.shape());
  route.groups = a.kv_groups.windowed > 0 ? a.kv_groups : b.kv_groups;
  for (const KvShard& shard : route.shards) {
    const GpuPlace& source = gpu(a, from, shard.from_gpu);
    const GpuPlace& sink = gpu(b, to, shard.to_gpu);
    route.transfers.push_back(wiring_.transfer(kind_, {.kind = Part::Kind::gpu, .place = source},
                                               {.kind = Part::Kind::gpu, .place = sink}, {}));
  }
  return route;
}

std::vector<Transfer> KvRoutes::transfers(const ReplicaAt& from, const ReplicaAt& to, RequestId request,
                                          KvSpan tokens) {
  const Route& way = route(rank(from, request), rank(to, request));
  std::vector<Transfer> transfers = way.transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    transfers[i].bytes = way.shards[i].bytes(tokens.from, tokens.to, way.groups, tokens.last);
  return transfers;
}

double KvRoutes::bytes(const ReplicaAt& from, const ReplicaAt& to, KvSpan tokens) {
  const Route& way = route({from}, {to});
  double bytes = 0;
  for (const KvShard& shard : way.shards) bytes += shard.bytes(tokens.from, tokens.to, way.groups, tokens.last);
  return bytes;
}

}  // namespace servecast
