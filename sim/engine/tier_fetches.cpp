#include "sim/engine/tier_fetches.h"

#include <algorithm>

namespace servecast {

TierFetches::TierFetches(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher)
    : scenario_(scenario), wiring_(wiring), dispatcher_(dispatcher) {
  std::size_t first = 0;
  for (const Pool& pool : scenario.pools) {
    first_.push_back(first);
    first += pool.places.size();
  }
}

const ReplicaPlace& TierFetches::place(PoolId pool, ReplicaId replica) const {
  return scenario_.pools[index(pool)].places[index(replica) - first_[index(pool)]];
}

/// Where the share of one of the reader's GPUs lies.
Part TierFetches::from(PoolId pool, const KvSource& source, ReplicaId to, std::size_t gpu) const {
  const std::string& kind = scenario_.pools[index(pool)].spec.kv_tiers.levels[source.tier].kind;
  if (kind == "shared") return {.kind = Part::Kind::host, .place = place(pool, source.owner).gpus[gpu]};
  return {.kind = kind == "host" ? Part::Kind::host : Part::Kind::disk, .place = place(pool, to).gpus[gpu]};
}

std::vector<Transfer> TierFetches::transfers(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const {
  std::map<std::pair<std::size_t, ReplicaId>, std::int64_t> tokens;  // one flow per GPU from each place
  for (const KvSource& source : sources) tokens[{source.tier, source.owner}] += source.tokens;
  const std::vector<GpuPlace>& gpus = place(pool, to).gpus;
  std::vector<Transfer> transfers;
  for (const auto& [where, count] : tokens)
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Part source = from(pool, {.tier = where.first, .owner = where.second}, to, gpu);
      const Part target{.kind = Part::Kind::gpu, .place = gpus[gpu]};
      transfers.push_back(
          {.kind = "kv_fetch",
           .from = Wiring::name(source),
           .to = Wiring::name(target),
           .path = wiring_.path(source, target),
           .bytes = static_cast<double>(count) * scenario_.pools[index(pool)].kv_token_bytes_per_gpu()});
    }
  return transfers;
}

/// As long as the link with the most to carry takes, which is exact where all flows are alike.
double TierFetches::alone_s(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const {
  std::map<std::size_t, double> link_bytes;
  double latency_s = 0;
  for (const Transfer& transfer : transfers(pool, to, sources)) {
    latency_s = std::max(latency_s, transfer.path.latency_s);
    for (const std::size_t link : transfer.path.links) link_bytes[link] += transfer.bytes;
  }
  double longest_s = 0;
  for (const auto& [link, bytes] : link_bytes)
    longest_s = std::max(longest_s, bytes / wiring_.platform().links[link].bytes_per_s);
  return latency_s + longest_s;
}

void TierFetches::fetch(PoolId pool, ReplicaId to, Slot slot, std::span<const KvSource> sources, double now_s) {
  const std::size_t number = index(pool);
  const std::size_t replica = index(to) - first_[number];
  const std::uint64_t life = dispatcher_.pools()[number].life(replica);
  dispatcher_.flows().start(transfers(pool, to, sources), now_s, [=, this](double done_s) {
    if (dispatcher_.pools()[number].life(replica) == life) dispatcher_.fetched(number, replica, slot, done_s);
  });
}

}  // namespace servecast
