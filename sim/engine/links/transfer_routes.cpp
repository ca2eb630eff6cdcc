#include "sim/engine/links/transfer_routes.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "sim/engine/links/replica_numbers.h"
#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

TransferRoutes::TransferRoutes(const Scenario& scenario, const Wiring& wiring)
    : scenario_(scenario), wiring_(wiring), first_(first_replicas(scenario)), tier_places_(tier_places(scenario)) {
  for (const Pool& pool : scenario.pools) {
    const auto layers = static_cast<double>(pool.spec.kv_tiers.layer_wise ? pool.llm.layers : 1);
    piece_tokens_.push_back(static_cast<double>(pool.make_kv_cache()->growth_tokens()) / layers);
  }
}

/// A block has the KV of all layers together, as vLLM lays it out for tiers since 0.12, unless layers are fetched one
/// after the other.
double TransferRoutes::kv_pieces(std::size_t pool, std::int64_t tokens) const {
  return piece_tokens_[pool] > 0 ? std::max(1.0, std::ceil(static_cast<double>(tokens) / piece_tokens_[pool])) : 1;
}

ReplicaAt TransferRoutes::at(ReplicaId replica) const {
  const auto behind = std::ranges::upper_bound(first_, index(replica));
  const auto pool = static_cast<std::size_t>(behind - first_.begin()) - 1;
  return {pool, index(replica) - first_[pool]};
}

std::vector<Transfer> TransferRoutes::of(const ReplicaAt& at, const ReplicaTransfer& transfer) const {
  return std::visit([&](const auto& what) { return flows(at, what); }, transfer);
}

const ReplicaPlace& TransferRoutes::place(const ReplicaAt& at) const {
  return scenario_.pools[at.pool].places[at.replica];
}

/// The GPUs of one pipeline stage.
std::span<const GpuPlace> TransferRoutes::stage(const ReplicaAt& at, std::size_t stage) const {
  const auto gpus = static_cast<std::size_t>(scenario_.pools[at.pool].shape().gpus_per_stage());
  return std::span(place(at).gpus).subspan(stage * gpus, gpus);
}

std::vector<std::vector<TransferRoutes::TierPlace>> TransferRoutes::tier_places(const Scenario& scenario) {
  std::vector<std::vector<TierPlace>> places;
  for (const Pool& pool : scenario.pools) {
    places.emplace_back();
    for (const KvTierSpec& level : pool.spec.kv_tiers.levels)
      places.back().push_back(level.kind == "shared" ? TierPlace::shared
                              : level.kind == "nvme" ? TierPlace::disk
                                                     : TierPlace::host);
  }
  return places;
}

/// One of a rank's GPUs, or what a tier has of it in that GPU's own node.
Part TransferRoutes::tier_part(const RankAt& at, std::optional<std::size_t> tier, std::int64_t gpu) const {
  const Shape shape = scenario_.pools[at.replica.pool].shape();
  const GpuPlace& own = place(at.replica).gpus[static_cast<std::size_t>(shape.gpu_of_rank(at.rank, gpu))];
  if (!tier) return {.kind = Part::Kind::gpu, .place = own};
  const bool on_disk = tier_places_[at.replica.pool][*tier] == TierPlace::disk;
  return {.kind = on_disk ? Part::Kind::disk : Part::Kind::host, .place = own};
}

/// So many tokens of one rank, each of whose GPUs has its share of them.
std::vector<Transfer> TransferRoutes::kv_shares(const char* what, const TierEnd& from, const TierEnd& to,
                                                std::int64_t tokens) const {
  const Pool& pool = scenario_.pools[to.rank.replica.pool];
  const double bytes = static_cast<double>(tokens) * pool.kv_token_bytes_of_rank_gpu();
  const std::int64_t gpus = pool.gpus_per_replica() / pool.shape().ranks();
  const Copy copy{.bytes = bytes, .pieces = kv_pieces(to.rank.replica.pool, tokens), .beside_products = true};
  std::vector<Transfer> transfers;
  for (std::int64_t gpu = 0; gpu < gpus; ++gpu)
    transfers.push_back(
        wiring_.transfer(what, tier_part(from.rank, from.tier, gpu), tier_part(to.rank, to.tier, gpu), copy));
  return transfers;
}

/// To the GPUs of the request's rank; from the memory of the node whose rank wrote it, which where the tier is shared
/// may be another replica's.
std::vector<Transfer> TransferRoutes::flows(const ReplicaAt& at, const KvFetch& fetch) const {
  std::map<std::tuple<std::size_t, ReplicaId, std::int64_t>, std::int64_t>
      tokens;  // one flow per GPU from each place
  for (const KvSource& source : fetch.sources) tokens[{source.tier, source.owner, source.rank}] += source.tokens;
  const RankAt reader{at, rank_of(fetch.request, scenario_.pools[at.pool].shape().ranks())};
  std::vector<Transfer> transfers;
  for (const auto& [where, count] : tokens) {
    const auto& [tier, owner, rank] = where;
    const ReplicaAt writer = tier_places_[at.pool][tier] == TierPlace::shared ? this->at(owner) : at;
    for (Transfer& share : kv_shares("kv_fetch", {{writer, rank}, tier}, {reader}, count))
      transfers.push_back(std::move(share));
  }
  return transfers;
}

std::vector<Transfer> TransferRoutes::of_write(const ReplicaAt& at, const KvWrite& write, std::int64_t tokens) const {
  const RankAt rank{at, write.unit.rank};
  return kv_shares("kv_write", {rank, write.from_tier}, {rank, write.tier}, tokens);
}

/// Every GPU that has the expert gets its slice. Copies that do not reach the links' rate take them for longer.
std::vector<Transfer> TransferRoutes::flows(const ReplicaAt& at, const ExpertLoad& load) const {
  const Pool& pool = scenario_.pools[at.pool];
  const std::span<const GpuPlace> all = stage(at, load.stage);
  const std::size_t each = all.size() / static_cast<std::size_t>(pool.spec.expert_parallel);
  const std::span<const GpuPlace> gpus = all.subspan(load.group * each, each);
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  const Copy copy{.bytes = load.bytes / static_cast<double>(gpus.size()) / spec.copy_rate_fraction,
                  .side_by_side = spec.streams > 1,
                  .pageable = !spec.page_locked};
  std::vector<Transfer> transfers;
  for (const GpuPlace& gpu : gpus) {
    const Part source{.kind = load.from_disk ? Part::Kind::disk : Part::Kind::host, .place = gpu};
    transfers.push_back(wiring_.transfer(expert_load_kind, source, {.kind = Part::Kind::gpu, .place = gpu}, copy));
    transfers.back().path.latency_s = load.start_s;  // what is left of it
  }
  return transfers;
}

/// Those that a step waits for go together, as one copy after the other on a GPU's stream takes as long.
std::vector<Transfer> TransferRoutes::flows(const ReplicaAt& at, const AdapterLoad& load) const {
  const Pool& pool = scenario_.pools[at.pool];
  const auto adapters = static_cast<double>(load.adapters);
  std::vector<Transfer> transfers;
  for (const GpuPlace& gpu : place(at).gpus) {
    transfers.push_back(wiring_.transfer(adapter_load_kind, {.kind = Part::Kind::host, .place = gpu},
                                         {.kind = Part::Kind::gpu, .place = gpu},
                                         {.bytes = adapters * pool.adapters.gpu_bytes}));
    transfers.back().path.latency_s = adapters * pool.transfers.h2d.start_s;
  }
  return transfers;
}

std::vector<Transfer> TransferRoutes::flows(const ReplicaAt& at, const StepTraffic& traffic) const {
  const auto [found, fresh] = steps_.try_emplace({at, {traffic.stage, traffic.reach}});
  StepRoutes& routes = found->second;
  if (fresh) routes = step_routes(scenario_.pools[at.pool], stage(at, traffic.stage), traffic.reach, wiring_);
  std::vector<Transfer> transfers = routes.transfers;
  for (Transfer& transfer : transfers) transfer.bytes = traffic.alone_s / routes.s_per_byte;
  return transfers;
}

/// As long as the link with the most to carry takes, which is exact where all flows are alike.
double TransferRoutes::alone_s(const ReplicaAt& at, const ReplicaTransfer& what) const {
  std::map<std::size_t, double> link_bytes;
  double latency_s = 0;
  for (const Transfer& transfer : of(at, what)) {
    latency_s = std::max(latency_s, transfer.path.latency_s);
    for (const std::size_t link : transfer.path.links) link_bytes[link] += transfer.bytes;
  }
  double longest_s = 0;
  for (const auto& [link, bytes] : link_bytes)
    longest_s = std::max(longest_s, bytes / wiring_.platform().links[link].bytes_per_s);
  return latency_s + longest_s;
}

}  // namespace servecast
