#include "sim/engine/wiring.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "sim/input/scenario.h"

namespace servecast {
namespace {

std::string node_name(std::int64_t node) { return fmt::format("node{}", node); }
std::string leaf_name(std::int64_t leaf) { return fmt::format("leaf{}", leaf); }

}  // namespace

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

Transfer Wiring::transfer(std::string kind, const Part& from, const Part& to, double bytes) const {
  return {.kind = std::move(kind), .from = name(from), .to = name(to), .path = path(from, to), .bytes = bytes};
}

std::string Wiring::pcie(const GpuPlace& p) const { return name(p) + "/pcie"; }
std::string Wiring::nvlink(const GpuPlace& p) const { return name(p) + "/nvlink"; }
std::string Wiring::root(const GpuPlace& p) const {
  return fmt::format("node{}/root{}", p.node, p.gpu / node_.gpus_per_pcie_root);
}
std::string Wiring::nic(const GpuPlace& p) const { return fmt::format("node{}/nic{}", p.node, p.gpu % node_.nics); }

Wiring::Wiring(const Scenario& scenario)
    : node_(scenario.node), fabric_(scenario.fabric), nodes_(scenario.spec.cluster.nodes + scenario.spec.spares()) {
  add_storage();
  for (std::int64_t leaf = 0; leaf < leaves(); ++leaf) add_leaf(leaf);
  for (std::int64_t node = 0; node < nodes_; ++node) add_node(node);
  std::int64_t id = 0;
  for (const Pool& pool : scenario.pools) {
    for (const ReplicaPlace& place : pool.places) {
      PlatformReplica replica{.replica = id++, .pool = pool.spec.name};
      for (const GpuPlace& gpu : place.gpus) {
        add_gpu(gpu, pool.gpu);
        replica.gpus.push_back(name(gpu));
      }
      platform_.replicas.push_back(std::move(replica));
    }
  }
  for (std::int64_t node = scenario.spec.cluster.nodes; node < nodes_; ++node)
    for (std::int64_t gpu = 0; gpu < node_.gpus; ++gpu)
      add_gpu({.node = node, .gpu = gpu}, scenario.pools.front().gpu);
}

// Every physical link is two: "/in" towards the GPU and "/out" away from it.
void Wiring::add_pair(const std::string& name, const std::string& kind, const std::string& inner,
                      const std::string& outer, double in_bytes_per_s, double out_bytes_per_s, double latency_s) {
  link_index_[name + "/in"] = platform_.links.size();
  platform_.links.push_back({name + "/in", kind, outer, inner, in_bytes_per_s, latency_s});
  link_index_[name + "/out"] = platform_.links.size();
  platform_.links.push_back({name + "/out", kind, inner, outer, out_bytes_per_s, latency_s});
}

void Wiring::add_storage() {
  const double rate = fabric_.storage_bytes_per_s;
  if (node_.nics > 0) add_pair("storage", "storage", "fabric", "storage", rate, rate, 0);
}

void Wiring::add_leaf(std::int64_t leaf) {
  const double ports = static_cast<double>(fabric_.nodes_per_leaf * node_.nics) * node_.nic_bytes_per_s;
  const double rate = ports * fabric_.efficiency_fraction / fabric_.oversubscription;
  add_pair(leaf_name(leaf), "fabric", leaf_name(leaf), "spine", rate, rate, fabric_.hop_latency_s);
}

void Wiring::add_node(std::int64_t node) {
  const std::string name = node_name(node);
  platform_.nodes.push_back({name, node_.name});
  const std::string above = has_leaves() ? leaf_name(leaf_of(node)) : "switch";
  const double nic_rate = node_.nic_bytes_per_s * fabric_.efficiency_fraction;
  for (std::int64_t i = 0; i < node_.nics; ++i)
    add_pair(nic({.node = node, .gpu = i}), "nic", name, above, nic_rate, nic_rate, fabric_.hop_latency_s);
  for (std::int64_t gpu = 0; gpu < node_.gpus; gpu += node_.gpus_per_pcie_root) {
    const double rate = node_.pcie_root_bytes_per_s;
    add_pair(root({.node = node, .gpu = gpu}), "pcie", name, name + "/host", rate, rate, 0);
  }
  const double disk = node_.nvme_bytes_per_s;
  add_pair(name + "/nvme", "nvme", name + "/host", name + "/disk", disk, disk, 0);
}

void Wiring::add_gpu(const GpuPlace& place, const Gpu& gpu) {
  const std::string gpu_name = name(place);
  const std::string node = node_name(place.node);
  platform_.gpus.push_back({gpu_name, gpu.name, node});
  add_pair(pcie(place), "pcie", gpu_name, node, gpu.pcie_h2d_bytes_per_s, gpu.pcie_d2h_bytes_per_s, 0);
  if (node_.nvlink() && gpu.nvlink_bytes_per_s > 0)
    add_pair(nvlink(place), "nvlink", gpu_name, node, gpu.nvlink_bytes_per_s, gpu.nvlink_bytes_per_s,
             node_.gpu_link_latency_s);
}

std::int64_t Wiring::leaf_of(std::int64_t node) const { return node / fabric_.nodes_per_leaf; }

bool Wiring::bridged(const GpuPlace& a, const GpuPlace& b) const {
  const bool wired = node_.gpu_link == "nvswitch" || (node_.gpu_link == "pairs" && a.gpu / 2 == b.gpu / 2);
  return wired && link_index_.contains(nvlink(a) + "/in") && link_index_.contains(nvlink(b) + "/in");
}

Path Wiring::make_path(const std::vector<std::string>& links, double latency_s) const {
  Path path{.latency_s = latency_s};
  for (const std::string& link : links)
    if (!link.empty()) path.links.push_back(link_index_.at(link));
  return path;
}

Path Wiring::peer_path(const GpuPlace& from, const GpuPlace& to) const {
  if (from.node == to.node) {
    if (bridged(from, to)) return make_path({nvlink(from) + "/out", nvlink(to) + "/in"}, node_.gpu_link_latency_s);
    if (root(from) == root(to)) return make_path({pcie(from) + "/out", pcie(to) + "/in"}, node_.gpu_link_latency_s);
    return make_path({pcie(from) + "/out", root(from) + "/out", root(to) + "/in", pcie(to) + "/in"},
                     node_.gpu_link_latency_s);
  }
  const bool spine = has_leaves() && leaf_of(from.node) != leaf_of(to.node);
  const double latency_s = fabric_.end_latency_s + (spine ? 3 : 1) * fabric_.hop_latency_s;
  return make_path({pcie(from) + "/out", nic(from) + "/out", spine ? leaf_name(leaf_of(from.node)) + "/out" : "",
                    spine ? leaf_name(leaf_of(to.node)) + "/in" : "", nic(to) + "/in", pcie(to) + "/in"},
                   latency_s);
}

Path Wiring::load_path(const GpuPlace& to) const {
  if (node_.nics == 0) return make_path({node_name(to.node) + "/nvme/in", root(to) + "/in", pcie(to) + "/in"}, 0);
  const double latency_s = fabric_.end_latency_s + (has_leaves() ? 2 : 1) * fabric_.hop_latency_s;
  return make_path({"storage/in", has_leaves() ? leaf_name(leaf_of(to.node)) + "/in" : "", nic(to) + "/in",
                    root(to) + "/in", pcie(to) + "/in"},
                   latency_s);
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
  const bool near = from_node && to_node && has_leaves() && leaf_of(from.place.node) == leaf_of(to.place.node);
  const bool spine = has_leaves() && !near;
  std::vector<std::string> links = ways_out(from);
  if (from_node) links.push_back(nic(from.place) + "/out");
  if (from_node && spine) links.push_back(leaf_name(leaf_of(from.place.node)) + "/out");
  if (to_node && spine) links.push_back(leaf_name(leaf_of(to.place.node)) + "/in");
  if (to_node) links.push_back(nic(to.place) + "/in");
  for (std::string& link : ways_in(to)) links.push_back(std::move(link));
  const double switches = !spine ? 1 : from_node && to_node ? 3 : 2;
  return make_path(links, fabric_.end_latency_s + switches * fabric_.hop_latency_s);
}

}  // namespace servecast
