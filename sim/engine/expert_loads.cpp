#include "sim/engine/expert_loads.h"

#include <algorithm>

#include "sim/engine/dispatcher.h"
#include "sim/engine/replica_numbers.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

constexpr const char* load_kind = "expert_load";

}  // namespace

ExpertLoads::ExpertLoads(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher)
    : scenario_(scenario),
      wiring_(wiring),
      dispatcher_(dispatcher),
      first_(first_replicas(scenario)),
      by_link_(wiring.platform().links.size()) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    if (!scenario.pools[pool].experts) continue;
    for (std::size_t replica = 0; replica < scenario.pools[pool].places.size(); ++replica)
      users_.push_back({.pool = pool, .replica = replica});
  }
  for (std::size_t user = 0; user < users_.size(); ++user) {
    const bool disk = scenario.pools[users_[user].pool].experts->host_experts <
                      scenario.pools[users_[user].pool].experts->shape.layers *
                          scenario.pools[users_[user].pool].experts->experts();
    for (const Transfer& transfer : transfers(users_[user], {.from_disk = disk, .bytes = 1}))
      for (const std::size_t link : transfer.path.links)
        if (by_link_[link].empty() || by_link_[link].back() != user) by_link_[link].push_back(user);
  }
  find_always_shared();
}

/// A GPU's own link is the most that its loads can take.
void ExpertLoads::find_always_shared() {
  for (std::size_t link = 0; link < by_link_.size(); ++link) {
    if (by_link_[link].size() < 2) continue;
    double most = 0;
    for (const std::size_t user : by_link_[link])
      for (const Transfer& transfer : transfers(users_[user], {.from_disk = true, .bytes = 1}))
        if (std::ranges::find(transfer.path.links, link) != transfer.path.links.end())
          most += scenario_.pools[users_[user].pool].gpu.pcie_h2d_bytes_per_s;
    if (most <= wiring_.platform().links[link].bytes_per_s) continue;
    for (const std::size_t user : by_link_[link]) users_[user].always = true;
  }
}

void ExpertLoads::tell_always_shared() {
  for (const User& user : users_)
    if (user.always) dispatcher_.share_links(user.pool, user.replica, 0);
}

/// Every GPU gets its slice. Copies that do not reach the links' rate take them for longer.
std::vector<Transfer> ExpertLoads::transfers(const User& user, const ExpertLoad& load) const {
  const Pool& pool = scenario_.pools[user.pool];
  const std::vector<GpuPlace>& gpus = pool.places[user.replica].gpus;
  std::vector<Transfer> all;
  for (const GpuPlace& gpu : gpus) {
    const Part source{.kind = load.from_disk ? Part::Kind::disk : Part::Kind::host, .place = gpu};
    const Part target{.kind = Part::Kind::gpu, .place = gpu};
    const double bytes = load.bytes / static_cast<double>(gpus.size()) / pool.spec.expert_offload->copy_rate_fraction;
    all.push_back(wiring_.transfer(load_kind, source, target, bytes));
  }
  return all;
}

void ExpertLoads::load(PoolId pool, ReplicaId to, const ExpertLoad& load, double now_s) {
  const std::size_t number = index(pool);
  const std::size_t replica = index(to) - first_[number];
  dispatcher_.flows().start(
      transfers({.pool = number, .replica = replica}, load), now_s,
      [this, number, replica, load](double done_s) { dispatcher_.expert_loaded(number, replica, load, done_s); });
}

std::vector<std::size_t> ExpertLoads::users_of(const Transfer& transfer) const {
  std::vector<std::size_t> users;
  if (transfer.kind == load_kind) return users;
  for (const std::size_t link : transfer.path.links)
    users.insert(users.end(), by_link_[link].begin(), by_link_[link].end());
  std::ranges::sort(users);
  users.erase(std::unique(users.begin(), users.end()), users.end());
  return users;
}

void ExpertLoads::begins(const Transfer& transfer, double now_s) {
  for (const std::size_t user : users_of(transfer))
    if (users_[user].others++ == 0 && !users_[user].always)
      dispatcher_.share_links(users_[user].pool, users_[user].replica, now_s);
}

void ExpertLoads::ended(const Transfer& transfer, double) {
  for (const std::size_t user : users_of(transfer))
    if (--users_[user].others == 0 && !users_[user].always)
      dispatcher_.own_links(users_[user].pool, users_[user].replica);
}

}  // namespace servecast
