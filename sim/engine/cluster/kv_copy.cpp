#include "sim/engine/cluster/kv_copy.h"

#include <algorithm>

#include "sim/input/scenario/scenario.h"

namespace servecast {

KvCopy::KvCopy(const Pool& pool, const Node& node, const Fabric& fabric)
    : gpu_token_bytes_(pool.kv_token_bytes_of_rank_gpu()) {
  const auto gpus = static_cast<double>(pool.gpus_per_replica());
  const auto ports = static_cast<double>(std::min(pool.gpus_per_replica(), node.nics));
  within_ = {.bytes_per_s = pool.transfers.peer_bytes_per_s(),
             .latency_s = node.gpu_link_latency_s + pool.transfers.peer_start_s()};
  between_ = {.bytes_per_s = std::min(pool.transfers.d2h.link_bytes_per_s(),
                                      ports / gpus * node.nic_bytes_per_s * fabric.efficiency_fraction),
              .latency_s = fabric.end_latency_s + fabric.hop_latency_s};
  for (const ReplicaPlace& place : pool.places) node_of_.push_back(place.gpus.front().node);
}

double KvCopy::seconds(std::size_t from, std::size_t to, std::int64_t tokens) const {
  const Way& way = node_of_[from] == node_of_[to] ? within_ : between_;
  return way.latency_s + static_cast<double>(tokens) * gpu_token_bytes_ / way.bytes_per_s;
}

}  // namespace servecast
