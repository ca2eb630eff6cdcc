#include "sim/engine/wiring.h"

#include <gtest/gtest.h>

#include "sim/input/scenario.h"
#include "sim/report/platform.h"

namespace servecast::wiring_test {

/// Two pools' worth of GPUs on `nodes` nodes of four: GPUs 0-3 of node 0 and of the last node.
Scenario wired(std::int64_t nodes, const std::string& gpu_link, std::int64_t nics, const std::string& topology) {
  Scenario s;
  s.spec.cluster.nodes = nodes;
  s.node.name = "box";
  s.node.gpus = 4;
  s.node.gpu_link = gpu_link;
  s.node.gpu_link_latency_s = 2e-6;
  s.node.nics = nics;
  s.node.nic_bytes_per_s = 50e9;
  s.node.gpus_per_pcie_root = 2;
  s.node.pcie_root_bytes_per_s = 40e9;
  s.node.nvme_bytes_per_s = 8e9;
  s.fabric.topology = topology;
  s.fabric.nodes_per_leaf = 2;
  s.fabric.oversubscription = 2;
  s.fabric.hop_latency_s = 1e-6;
  s.fabric.end_latency_s = 5e-6;
  s.fabric.efficiency_fraction = 0.9;
  s.fabric.storage_bytes_per_s = 15e9;
  Pool pool;
  pool.spec.name = "p";
  pool.gpu.name = "gpu";
  pool.gpu.nvlink_bytes_per_s = 300e9;
  pool.gpu.pcie_h2d_bytes_per_s = 25e9;
  pool.gpu.pcie_d2h_bytes_per_s = 24e9;
  for (std::int64_t node : {std::int64_t{0}, nodes - 1})
    for (std::int64_t gpu = 0; gpu < 4; ++gpu) pool.places.push_back({{{.node = node, .gpu = gpu}}});
  if (nodes == 1) pool.places.resize(4);
  s.pools.push_back(std::move(pool));
  return s;
}

std::vector<std::string> names(const Wiring& wiring, const Path& path) {
  std::vector<std::string> out;
  for (std::size_t link : path.links) out.push_back(wiring.platform().links[link].name);
  return out;
}
using Names = std::vector<std::string>;

TEST(Wiring, NvswitchJoinsEveryPair) {
  const Wiring w(wired(1, "nvswitch", 2, "single_switch"));
  EXPECT_EQ(names(w, w.peer_path({0, 0}, {0, 3})), (Names{"node0/gpu0/nvlink/out", "node0/gpu3/nvlink/in"}));
  EXPECT_EQ(w.peer_path({0, 0}, {0, 3}).latency_s, 2e-6);
}

TEST(Wiring, BridgesJoinNeighboursAndPcieTheRest) {
  const Wiring w(wired(1, "pairs", 2, "single_switch"));
  EXPECT_EQ(names(w, w.peer_path({0, 2}, {0, 3})), (Names{"node0/gpu2/nvlink/out", "node0/gpu3/nvlink/in"}));
  EXPECT_EQ(names(w, w.peer_path({0, 1}, {0, 2})),
            (Names{"node0/gpu1/pcie/out", "node0/root0/out", "node0/root1/in", "node0/gpu2/pcie/in"}));
}

TEST(Wiring, PcieNeighboursBelowOneRootDoNotCrossIt) {
  const Wiring w(wired(1, "pcie", 2, "single_switch"));
  EXPECT_EQ(names(w, w.peer_path({0, 0}, {0, 1})), (Names{"node0/gpu0/pcie/out", "node0/gpu1/pcie/in"}));
}

// Node 0 below leaf 0, node 3 below leaf 1: two adapters and their software, three switches.
TEST(Wiring, AFatTreeIsCrossedThroughTheSpine) {
  const Wiring w(wired(4, "nvswitch", 2, "fat_tree"));
  const Path path = w.peer_path({0, 1}, {3, 2});
  EXPECT_EQ(names(w, path), (Names{"node0/gpu1/pcie/out", "node0/nic1/out", "leaf0/out", "leaf1/in", "node3/nic0/in",
                                   "node3/gpu2/pcie/in"}));
  EXPECT_DOUBLE_EQ(path.latency_s, 5e-6 + 3e-6);
  // 2 nodes x 2 ports x 50 GB/s x 0.9 / 2 (oversubscription)
  EXPECT_DOUBLE_EQ(w.platform().links[path.links[2]].bytes_per_s, 90e9);
  EXPECT_DOUBLE_EQ(w.platform().links[path.links[1]].bytes_per_s, 45e9);
}

TEST(Wiring, BelowOneSwitchThereIsNoLeaf) {
  const Wiring w(wired(2, "nvswitch", 2, "single_switch"));
  EXPECT_EQ(names(w, w.peer_path({0, 0}, {1, 0})),
            (Names{"node0/gpu0/pcie/out", "node0/nic0/out", "node1/nic0/in", "node1/gpu0/pcie/in"}));
}

TEST(Wiring, WeightsComeFromStorageOrFromTheNodesOwnDisk) {
  const Wiring networked(wired(4, "nvswitch", 2, "fat_tree"));
  EXPECT_EQ(names(networked, networked.load_path({3, 1})),
            (Names{"storage/in", "leaf1/in", "node3/nic1/in", "node3/root0/in", "node3/gpu1/pcie/in"}));
  const Wiring alone(wired(1, "pcie", 0, "single_switch"));
  EXPECT_EQ(names(alone, alone.load_path({0, 2})), (Names{"node0/nvme/in", "node0/root1/in", "node0/gpu2/pcie/in"}));
}

TEST(Wiring, HostMemoryAndDiskLieBehindThePcieRoot) {
  using enum Part::Kind;
  const Wiring w(wired(4, "nvswitch", 2, "fat_tree"));
  const Part gpu3{.kind = Part::Kind::gpu, .place = {0, 3}};
  EXPECT_EQ(names(w, w.path(gpu3, {host, {0, 3}})), (Names{"node0/gpu3/pcie/out", "node0/root1/out"}));
  EXPECT_EQ(names(w, w.path({host, {0, 0}}, gpu3)), (Names{"node0/root1/in", "node0/gpu3/pcie/in"}));
  EXPECT_EQ(names(w, w.path({disk, {0, 0}}, gpu3)), (Names{"node0/nvme/in", "node0/root1/in", "node0/gpu3/pcie/in"}));
  EXPECT_EQ(names(w, w.path({host, {0, 0}}, {disk, {0, 0}})), Names{"node0/nvme/out"});
  EXPECT_EQ(names(w, w.path(gpu3, {host, {3, 1}})), (Names{"node0/gpu3/pcie/out", "node0/nic1/out", "leaf0/out",
                                                           "leaf1/in", "node3/nic1/in", "node3/root0/out"}));
  EXPECT_EQ(names(w, w.path({storage, {}}, {host, {3, 1}})),
            (Names{"storage/in", "leaf1/in", "node3/nic1/in", "node3/root0/out"}));
  EXPECT_TRUE(w.path({host, {0, 0}}, {host, {0, 3}}).links.empty());
  EXPECT_EQ(w.path(gpu3, {.kind = Part::Kind::gpu, .place = {3, 2}}).links, w.peer_path({0, 3}, {3, 2}).links);
}

TEST(Wiring, PlatformNamesEveryPart) {
  const Wiring w(wired(4, "nvswitch", 2, "fat_tree"));
  const Platform& p = w.platform();
  EXPECT_EQ(p.nodes.size(), 4u);
  EXPECT_EQ(p.gpus.size(), 8u);
  EXPECT_EQ(p.replicas.size(), 8u);
  EXPECT_EQ(p.replicas.back().gpus, Names{"node3/gpu3"});
  for (const PlatformLink& link : p.links) EXPECT_GT(link.bytes_per_s, 0) << link.name;
}

}  // namespace servecast::wiring_test
