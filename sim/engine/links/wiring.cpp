#include "sim/engine/links/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

std::string node_name(std::int64_t node) { return fmt::format("node{}", node); }
std::string leaf_name(std::int64_t leaf) { return fmt::format("leaf{}", leaf); }

}  // namespace

std::string Wiring::trunk_name(std::size_t link) { return fmt::format("trunk{}", link); }

std::string Wiring::name(const GpuPlace& gpu) { return fmt::format("node{}/gpu{}", gpu.node, gpu.gpu); }

std::string Wiring::name(const Part& part) {
  switch (part.kind) {
    case Part::Kind::gpu:
      return name(part.place);
    case Part::Kind::host:
      return node_name(part.place.node) + "/host";
    case Part::Kind::disk:
      return node_name(part.place.node) + "/disk";
    case Part::Kind::storage:
      return "storage";
  }
  std::abort();
}

Transfer Wiring::transfer(std::string kind, const Part& from, const Part& to, const Copy& copy) const {
  Transfer transfer{
      .kind = std::move(kind), .from = name(from), .to = name(to), .path = path(from, to), .bytes = copy.bytes};
  const TransferLaw* copies = law(from, to, copy);
  transfer.basis = copies ? copies->basis : "data sheet";
  if (!copies) return transfer;
  transfer.path.latency_s += copies->start_s;
  const bool from_host = from.kind == Part::Kind::host;
  if (!from_host && to.kind != Part::Kind::host) return transfer;
  const TransferLaws& of_gpu = *laws_.at(name(from_host ? to : from));
  transfer.bytes = copies->link_bytes(copy, (from_host ? of_gpu.h2d : of_gpu.d2h).link_bytes_per_s());
  return transfer;
}

/// Null where no GPU's copy engine is at work: between hosts and disks, and where adapters read the GPU's memory.
const TransferLaw* Wiring::law(const Part& from, const Part& to, const Copy& copy) const {
  using enum Part::Kind;
  if (from.kind != gpu && to.kind != gpu) return nullptr;
  if (from.kind != gpu) return &laws_.at(name(to))->from_host(copy);
  const TransferLaws& laws = *laws_.at(name(from));
  if (to.kind != gpu) return &laws.d2h;
  if (from.place.node != to.place.node) return nullptr;
  return bridged(from.place, to.place) ? &laws.peer : &laws.d2h;
}

std::string Wiring::pcie(const GpuPlace& p) const { return name(p) + "/pcie"; }
std::string Wiring::nvlink(const GpuPlace& p) const { return name(p) + "/nvlink"; }
std::string Wiring::root(const GpuPlace& p) const {
  return fmt::format("node{}/root{}", p.node, p.gpu / node(p).gpus_per_pcie_root);
}
std::string Wiring::nic(const GpuPlace& p) const { return fmt::format("node{}/nic{}", p.node, p.gpu % node(p).nics); }
std::string Wiring::leaf(const GpuPlace& p) const { return leaf_name(groups_.of(p.node).switch_of(p.node)); }
// Of the only group: without its name.
std::string Wiring::of_group(const std::string& what, const NodeGroup& group) const {
  return groups_.several() ? what + "-" + group.name : what;
}

Wiring::Wiring(const Scenario& scenario) : groups_(scenario.groups) {
  add_storage();
  for (const NodeGroup& group : groups_) add_switches_and_nodes(group);
  for (std::size_t link = 0; link < groups_.links().size(); ++link) add_trunk(link);
  std::int64_t id = 0;
  for (const Pool& pool : scenario.pools) {
    for (const ReplicaPlace& place : pool.places) {
      PlatformReplica replica{.replica = id++, .pool = pool.spec.name};
      for (const GpuPlace& gpu : place.gpus) {
        add_gpu(gpu, pool);
        replica.gpus.push_back(name(gpu));
      }
      platform_.replicas.push_back(std::move(replica));
    }
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) add_spares(scenario, group);
}

// GPUs of spares are those of the pools that they stand in for.
void Wiring::add_spares(const Scenario& scenario, std::size_t number) {
  const NodeGroup& group = groups_[number];
  if (group.spares == 0) return;
  const Pool& pool = *std::ranges::find(scenario.pools, number, &Pool::group);
  for (std::int64_t node = group.first_spare(); node < group.end_node(); ++node)
    for (std::int64_t gpu = 0; gpu < group.node.gpus; ++gpu) add_gpu({.node = node, .gpu = gpu}, pool);
}

// Every physical link is two: "/in" towards the GPU and "/out" away from it.
void Wiring::add_pair(const std::string& name, const std::string& kind, const std::string& inner,
                      const std::string& outer, double in_bytes_per_s, double out_bytes_per_s, double latency_s) {
  link_index_[name + "/in"] = platform_.links.size();
  platform_.links.push_back({name + "/in", kind, outer, inner, in_bytes_per_s, latency_s});
  link_index_[name + "/out"] = platform_.links.size();
  platform_.links.push_back({name + "/out", kind, inner, outer, out_bytes_per_s, latency_s});
}

// One for the cluster, which every group reaches over its own network: a site has its copy of the weights.
void Wiring::add_storage() {
  const auto first = std::ranges::find_if(groups_, [](const NodeGroup& group) { return group.node.nics > 0; });
  if (first == groups_.end()) return;
  const double rate = first->fabric.storage_bytes_per_s;
  add_pair("storage", "storage", "fabric", "storage", rate, rate, 0);
}

void Wiring::add_trunk(std::size_t number) {
  const GroupLink& link = groups_.links()[number];
  const auto top = [&](std::size_t group) {
    return of_group(groups_[group].has_leaves() ? "spine" : "switch", groups_[group]);
  };
  add_pair(trunk_name(number), "trunk", top(link.from), top(link.to), link.bytes_per_s, link.bytes_per_s,
           link.latency_s);
}

void Wiring::add_switches_and_nodes(const NodeGroup& group) {
  if (group.has_leaves())
    for (std::int64_t leaf = group.first_switch; leaf < group.end_switch(); ++leaf) add_leaf(group, leaf);
  for (std::int64_t node = group.first_node; node < group.end_node(); ++node) add_node(group, node);
  if (!groups_.several()) return;
  platform_.groups.push_back({.name = group.name});
  for (std::int64_t node = group.first_node; node < group.end_node(); ++node)
    platform_.groups.back().nodes.push_back(node_name(node));
}

void Wiring::add_leaf(const NodeGroup& group, std::int64_t leaf) {
  const Fabric& fabric = group.fabric;
  const double ports = static_cast<double>(fabric.nodes_per_leaf * group.node.nics) * group.node.nic_bytes_per_s;
  const double rate = ports * fabric.efficiency_fraction / fabric.oversubscription;
  add_pair(leaf_name(leaf), "fabric", leaf_name(leaf), of_group("spine", group), rate, rate, fabric.hop_latency_s);
}

void Wiring::add_node(const NodeGroup& group, std::int64_t number) {
  const Node& kind = group.node;
  const Fabric& fabric = group.fabric;
  const std::string name = node_name(number);
  platform_.nodes.push_back({name, kind.name});
  const std::string above = group.has_leaves() ? leaf_name(group.switch_of(number)) : of_group("switch", group);
  const double nic_rate = kind.nic_bytes_per_s * fabric.efficiency_fraction;
  for (std::int64_t i = 0; i < kind.nics; ++i)
    add_pair(nic({.node = number, .gpu = i}), "nic", name, above, nic_rate, nic_rate, fabric.hop_latency_s);
  for (std::int64_t gpu = 0; gpu < kind.gpus; gpu += kind.gpus_per_pcie_root) {
    const double rate = kind.pcie_root_bytes_per_s;
    add_pair(root({.node = number, .gpu = gpu}), "pcie", name, name + "/host", rate, rate, 0);
  }
  const double disk = kind.nvme_bytes_per_s;
  add_pair(name + "/nvme", "nvme", name + "/host", name + "/disk", disk, disk, 0);
}

void Wiring::add_gpu(const GpuPlace& place, const Pool& pool) {
  const TransferLaws& laws = pool.transfers;
  const std::string gpu_name = name(place);
  laws_[gpu_name] = &laws;
  const std::string box = node_name(place.node);
  platform_.gpus.push_back({gpu_name, pool.gpu.name, box});
  add_pair(pcie(place), "pcie", gpu_name, box, laws.h2d.link_bytes_per_s(), laws.d2h.link_bytes_per_s(), 0);
  const double peer = laws.peer.link_bytes_per_s();
  if (node(place).nvlink() && peer > 0)
    add_pair(nvlink(place), "nvlink", gpu_name, box, peer, peer, node(place).gpu_link_latency_s);
}

bool Wiring::bridged(const GpuPlace& a, const GpuPlace& b) const {
  const std::string& link = node(a).gpu_link;
  const bool wired = link == "nvswitch" || (link == "pairs" && a.gpu / 2 == b.gpu / 2);
  return wired && link_index_.contains(nvlink(a) + "/in") && link_index_.contains(nvlink(b) + "/in");
}

Path Wiring::make_path(const std::vector<std::string>& links, double latency_s) const {
  Path path{.latency_s = latency_s};
  for (const std::string& link : links)
    if (!link.empty()) path.links.push_back(link_index_.at(link));
  return path;
}

// From the network ports of one node to those of another. Between groups: from the top of one network, over the
// stated links, to the top of the other; adapters and the software above them are those of the slower network.
Wiring::Way Wiring::between(const GpuPlace& from, const GpuPlace& to) const {
  const NodeGroup& a = groups_.of(from.node);
  const NodeGroup& b = groups_.of(to.node);
  if (&a == &b) {
    const bool spine = a.switch_of(from.node) != a.switch_of(to.node);
    Way way{.latency_s = a.fabric.end_latency_s + (spine ? 3 : 1) * a.fabric.hop_latency_s};
    if (spine) way.links = {leaf(from) + "/out", leaf(to) + "/in"};
    return way;
  }
  const auto switches_s = [](const NodeGroup& group) {
    return (group.has_leaves() ? 2 : 1) * group.fabric.hop_latency_s;
  };
  Way way{.latency_s = std::max(a.fabric.end_latency_s, b.fabric.end_latency_s) + switches_s(a) + switches_s(b)};
  if (a.has_leaves()) way.links.push_back(leaf(from) + "/out");
  const auto hops = groups_.way(groups_.index_of(from.node), groups_.index_of(to.node));
  assert(hops);  // scenarios whose pools send to each other without are refused
  for (const GroupHop& hop : *hops) {
    way.links.push_back(trunk_name(hop.link) + (hop.forward ? "/out" : "/in"));
    way.latency_s += groups_.links()[hop.link].latency_s;
  }
  if (b.has_leaves()) way.links.push_back(leaf(to) + "/in");
  return way;
}

// From a node's network ports to the storage, without the storage's own link.
Wiring::Way Wiring::to_storage(const GpuPlace& from, const char* direction) const {
  const NodeGroup& group = groups_.of(from.node);
  Way way{.latency_s = group.fabric.end_latency_s + (group.has_leaves() ? 2 : 1) * group.fabric.hop_latency_s};
  if (group.has_leaves()) way.links = {leaf(from) + direction};
  return way;
}

Path Wiring::peer_path(const GpuPlace& from, const GpuPlace& to) const {
  if (from.node == to.node) {
    const double latency_s = node(from).gpu_link_latency_s;
    if (bridged(from, to)) return make_path({nvlink(from) + "/out", nvlink(to) + "/in"}, latency_s);
    if (root(from) == root(to)) return make_path({pcie(from) + "/out", pcie(to) + "/in"}, latency_s);
    return make_path({pcie(from) + "/out", root(from) + "/out", root(to) + "/in", pcie(to) + "/in"}, latency_s);
  }
  Way way = between(from, to);
  way.links.insert(way.links.begin(), {pcie(from) + "/out", nic(from) + "/out"});
  way.links.insert(way.links.end(), {nic(to) + "/in", pcie(to) + "/in"});
  return make_path(way.links, way.latency_s);
}

Path Wiring::load_path(const GpuPlace& to) const {
  if (node(to).nics == 0) return make_path({node_name(to.node) + "/nvme/in", root(to) + "/in", pcie(to) + "/in"}, 0);
  Way way = to_storage(to, "/in");
  way.links.insert(way.links.begin(), "storage/in");
  way.links.insert(way.links.end(), {nic(to) + "/in", root(to) + "/in", pcie(to) + "/in"});
  return make_path(way.links, way.latency_s);
}

// From a part to where its node's network ports are, and back.
std::vector<std::string> Wiring::ways_out(const Part& part) const {
  switch (part.kind) {
    case Part::Kind::gpu:
      return {pcie(part.place) + "/out"};
    case Part::Kind::host:
      return {root(part.place) + "/in"};
    case Part::Kind::disk:
      return {node_name(part.place.node) + "/nvme/in", root(part.place) + "/in"};
    case Part::Kind::storage:
      return {"storage/in"};
  }
  std::abort();
}

std::vector<std::string> Wiring::ways_in(const Part& part) const {
  switch (part.kind) {
    case Part::Kind::gpu:
      return {pcie(part.place) + "/in"};
    case Part::Kind::host:
      return {root(part.place) + "/out"};
    case Part::Kind::disk:
      return {root(part.place) + "/out", node_name(part.place.node) + "/nvme/out"};
    case Part::Kind::storage:
      return {"storage/out"};
  }
  std::abort();
}

// A GPU reaches its node's memory over its own root, whichever part of that memory it is.
Path Wiring::node_path(const Part& from, const Part& to) const {
  using enum Part::Kind;
  const std::string nvme = node_name(from.place.node) + "/nvme";
  if (from.kind == gpu && to.kind == gpu) return peer_path(from.place, to.place);
  if (from.kind == gpu) {
    std::vector<std::string> links{pcie(from.place) + "/out", root(from.place) + "/out"};
    if (to.kind == Part::Kind::disk) links.push_back(nvme + "/out");
    return make_path(links, 0);
  }
  if (to.kind == gpu) {
    std::vector<std::string> links{root(to.place) + "/in", pcie(to.place) + "/in"};
    if (from.kind == Part::Kind::disk) links.insert(links.begin(), nvme + "/in");
    return make_path(links, 0);
  }
  if (from.kind == to.kind) return {};
  return make_path({nvme + (to.kind == Part::Kind::disk ? "/out" : "/in")}, 0);
}

Path Wiring::path(const Part& from, const Part& to) const {
  const bool from_node = from.kind != Part::Kind::storage;
  const bool to_node = to.kind != Part::Kind::storage;
  if (from_node && to_node && from.place.node == to.place.node) return node_path(from, to);
  if (from.kind == Part::Kind::gpu && to.kind == Part::Kind::gpu) return peer_path(from.place, to.place);
  if (!from_node && to.kind == Part::Kind::gpu) return load_path(to.place);
  const Way way = from_node && to_node ? between(from.place, to.place)
                  : from_node          ? to_storage(from.place, "/out")
                                       : to_storage(to.place, "/in");
  std::vector<std::string> links = ways_out(from);
  if (from_node) links.push_back(nic(from.place) + "/out");
  links.insert(links.end(), way.links.begin(), way.links.end());
  if (to_node) links.push_back(nic(to.place) + "/in");
  for (std::string& link : ways_in(to)) links.push_back(std::move(link));
  return make_path(links, way.latency_s);
}

}  // namespace servecast
