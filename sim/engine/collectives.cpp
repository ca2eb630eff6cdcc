#include "sim/engine/collectives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "sim/engine/dispatcher.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

constexpr std::string_view collective_kind = "collective";
constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

/// The GPUs of a replica, node by node.
std::vector<std::vector<GpuPlace>> by_node(const ReplicaPlace& place) {
  std::map<std::int64_t, std::vector<GpuPlace>> nodes;
  for (const GpuPlace& gpu : place.gpus) nodes[gpu.node].push_back(gpu);
  std::vector<std::vector<GpuPlace>> all;
  for (auto& [node, gpus] : nodes) all.push_back(std::move(gpus));
  return all;
}

/// Uplinks that carry whatever the ports below them send cannot hold anybody up.
bool may_bind(const PlatformLink& link, const Fabric& fabric) {
  return link.kind != "fabric" || fabric.oversubscription > 1;
}

}  // namespace

bool has_collectives(const Scenario& scenario) { return std::ranges::any_of(scenario.pools, &Pool::across_nodes); }

Collectives::Collectives(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher)
    : wiring_(wiring), dispatcher_(dispatcher), users_by_link_(wiring.platform().links.size()) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool)
    for (std::size_t replica = 0; replica < scenario.pools[pool].places.size(); ++replica) {
      group_of_.push_back(scenario.pools[pool].across_nodes() ? groups_.size() : no_group);
      if (group_of_.back() != no_group) add(scenario.pools[pool], {pool, replica});
    }
  const auto fabric_of = [&](const Group& group) -> const Fabric& {
    return scenario.group_of(scenario.pools[group.at.pool]).fabric;
  };
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const Transfer& transfer : groups_[g].transfers)
      for (const std::size_t link : transfer.path.links)
        if (may_bind(wiring.platform().links[link], fabric_of(groups_[g]))) users_by_link_[link].push_back(g);
  for (std::vector<std::size_t>& users : users_by_link_)
    users.erase(std::unique(users.begin(), users.end()), users.end());
  dispatcher.connect(*this);
  dispatcher.flows().add_watcher(*this);
  cross_each_other();
}

void Collectives::add(const Pool& pool, const ReplicaAt& at) {
  Group group{.at = at};
  const auto nodes = by_node(pool.places[at.replica]);
  std::map<std::size_t, double> flows_on_link;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (std::size_t i = 0; i < nodes[node].size(); ++i) {
      const std::size_t distance = pool.spec.expert_parallel > 1 ? 1 + i % (nodes.size() - 1) : 1;
      const GpuPlace& from = nodes[node][i];
      const GpuPlace& to = nodes[(node + distance) % nodes.size()][i];
      Path path = wiring_.peer_path(from, to);
      path.latency_s = 0;  // is in the step's time
      for (const std::size_t link : path.links) flows_on_link[link] += 1;
      group.transfers.push_back({.kind = std::string(collective_kind),
                                 .from = Wiring::name(from),
                                 .to = Wiring::name(to),
                                 .path = std::move(path)});
    }
  for (const auto& [link, flows] : flows_on_link)
    group.s_per_byte = std::max(group.s_per_byte, flows / wiring_.platform().links[link].bytes_per_s);
  groups_.push_back(std::move(group));
}

// Those that share a link never have it for themselves.
void Collectives::cross_each_other() {
  for (const std::vector<std::size_t>& users : users_by_link_)
    if (users.size() > 1)
      for (const std::size_t user : users) ++groups_[user].crossing;
  for (const Group& group : groups_)
    if (group.crossing > 0) dispatcher_.set_crossed(group.at, true, 0);
}

void Collectives::send(PoolId, ReplicaId replica, double at_s, double alone_s) {
  const Group& group = groups_[group_of_[index(replica)]];
  std::vector<Transfer> transfers = group.transfers;
  for (Transfer& transfer : transfers) transfer.bytes = alone_s / group.s_per_byte;
  dispatcher_.flows().start(std::move(transfers), at_s,
                            [this, at = group.at](double now_s) { dispatcher_.collective_sent(at, now_s); });
}

template <class Do>
void Collectives::for_each_crossed(const Transfer& transfer, Do&& act) {
  if (transfer.kind == collective_kind) return;
  for (const std::size_t link : transfer.path.links)
    for (const std::size_t user : users_by_link_[link]) act(groups_[user]);
}

void Collectives::begins(const Transfer& transfer, double now_s) {
  for_each_crossed(transfer, [&](Group& group) {
    if (++group.crossing == 1) dispatcher_.set_crossed(group.at, true, now_s);
  });
}

void Collectives::ended(const Transfer& transfer, double now_s) {
  for_each_crossed(transfer, [&](Group& group) {
    if (--group.crossing == 0) dispatcher_.set_crossed(group.at, false, now_s);
  });
}

}  // namespace servecast
