#include "sim/engine/tier_flows.h"

#include <algorithm>
#include <utility>

#include "sim/engine/dispatcher.h"
#include "sim/engine/flows.h"
#include "sim/engine/replica_numbers.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {

TierFlows::TierFlows(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher)
    : scenario_(scenario), wiring_(wiring), dispatcher_(dispatcher), first_(first_replicas(scenario)) {}

std::uint64_t TierFlows::life(PoolId pool, ReplicaId replica) const {
  return dispatcher_.pools()[index(pool)].life(place_in_pool(pool, replica));
}

const ReplicaPlace& TierFlows::place(PoolId pool, ReplicaId replica) const {
  return scenario_.pools[index(pool)].places[index(replica) - first_[index(pool)]];
}

/// Where the share of one of the reader's GPUs lies.
Part TierFlows::from(PoolId pool, const KvSource& source, ReplicaId to, std::size_t gpu) const {
  const bool shared = kind(pool, source.tier) == "shared";
  return own(pool, shared ? source.owner : to, source.tier, gpu);
}

const std::string& TierFlows::kind(PoolId pool, std::size_t tier) const {
  return scenario_.pools[index(pool)].spec.kv_tiers.levels[tier].kind;
}

/// One of a replica's GPUs, or what a tier has of it in the replica's own node.
Part TierFlows::own(PoolId pool, ReplicaId replica, std::optional<std::size_t> tier, std::size_t gpu) const {
  const GpuPlace& at = place(pool, replica).gpus[gpu];
  if (!tier) return {.kind = Part::Kind::gpu, .place = at};
  return {.kind = kind(pool, *tier) == "nvme" ? Part::Kind::disk : Part::Kind::host, .place = at};
}

/// What one GPU has of so many tokens.
Transfer TierFlows::share(PoolId pool, const char* what, const Part& from, const Part& to, std::int64_t tokens) const {
  const double bytes = static_cast<double>(tokens) * scenario_.pools[index(pool)].kv_token_bytes_per_gpu();
  return wiring_.transfer(what, from, to, bytes);
}

std::vector<Transfer> TierFlows::transfers(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const {
  std::map<std::pair<std::size_t, ReplicaId>, std::int64_t> tokens;  // one flow per GPU from each place
  for (const KvSource& source : sources) tokens[{source.tier, source.owner}] += source.tokens;
  const std::vector<GpuPlace>& gpus = place(pool, to).gpus;
  std::vector<Transfer> transfers;
  for (const auto& [where, count] : tokens)
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Part source = from(pool, {.tier = where.first, .owner = where.second}, to, gpu);
      const Part target{.kind = Part::Kind::gpu, .place = gpus[gpu]};
      transfers.push_back(share(pool, "kv_fetch", source, target, count));
    }
  return transfers;
}

/// As long as the link with the most to carry takes, which is exact where all flows are alike.
double TierFlows::alone_s(PoolId pool, ReplicaId to, std::span<const KvSource> sources) const {
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

void TierFlows::fetch(PoolId pool, ReplicaId to, Slot slot, std::span<const KvSource> sources, double now_s) {
  const std::size_t number = index(pool);
  const std::size_t replica = place_in_pool(pool, to);
  const std::uint64_t asked_by = life(pool, to);
  dispatcher_.flows().start(transfers(pool, to, sources), now_s, [=, this](double done_s) {
    if (life(pool, to) == asked_by) dispatcher_.fetched(number, replica, slot, done_s);
  });
}

void TierFlows::write(PoolId pool, ReplicaId replica, const KvWrite& write, double /*now_s*/) {
  wanted_.push_back({.pool = pool, .replica = replica, .write = write, .life = life(pool, replica)});
}

// In the order of the replicas, whatever brought them to this instant.
void TierFlows::begin_writes(double now_s) {
  while (!wanted_.empty()) {  // one that is there already may push another out
    std::vector<Wanted> now = std::exchange(wanted_, {});
    std::ranges::stable_sort(now, {}, &Wanted::way);
    std::erase_if(now, [&](const Wanted& w) {
      return life(w.pool, w.replica) != w.life ||
             !dispatcher_.begins_write(index(w.pool), place_in_pool(w.pool, w.replica), w.write, now_s);
    });
    for (auto first = now.begin(); first != now.end();) {
      const auto last = std::find_if(first, now.end(), [&](const Wanted& w) { return w.way() != first->way(); });
      begin({first, last}, now_s);
      first = last;
    }
  }
}

std::vector<Transfer> TierFlows::transfers(std::span<const Wanted> together) const {
  const Wanted& one = together.front();
  std::int64_t tokens = 0;
  for (const Wanted& w : together) tokens += w.write.unit.tokens;
  std::vector<Transfer> transfers;
  for (std::size_t gpu = 0; gpu < place(one.pool, one.replica).gpus.size(); ++gpu) {
    const Part source = own(one.pool, one.replica, one.write.from_tier, gpu);
    const Part target = own(one.pool, one.replica, one.write.tier, gpu);
    transfers.push_back(share(one.pool, "kv_write", source, target, tokens));
  }
  return transfers;
}

void TierFlows::begin(std::span<const Wanted> together, double now_s) {
  const Wanted one = together.front();
  std::vector<KvWrite> writes;
  for (const Wanted& w : together) writes.push_back(w.write);
  dispatcher_.flows().start(transfers(together), now_s, [=, this](double done_s) {
    if (life(one.pool, one.replica) != one.life) return;
    dispatcher_.written(index(one.pool), place_in_pool(one.pool, one.replica), writes, done_s);
  });
}

}  // namespace servecast
