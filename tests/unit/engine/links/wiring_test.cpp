#include "sim/engine/links/wiring.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/input/scenario/scenario.h"
#include "sim/report/record/platform.h"

namespace servecast::wiring_test {

/// Two pools' worth of GPUs on `nodes` nodes of four: GPUs 0-3 of node 0 and of the last node.
Scenario wired(std::int64_t nodes, const std::string& gpu_link, std::int64_t nics, const std::string& topology) {
  NodeGroup group{.nodes = nodes};
  Node& node = group.node;
  node.name = "box";
  node.gpus = 4;
  node.gpu_link = gpu_link;
  node.gpu_link_latency_s = 2e-6;
  node.nics = nics;
  node.nic_bytes_per_s = 50e9;
  node.gpus_per_pcie_root = 2;
  node.pcie_root_bytes_per_s = 40e9;
  node.nvme_bytes_per_s = 8e9;
  Fabric& fabric = group.fabric;
  fabric.topology = topology;
  fabric.nodes_per_leaf = 2;
  fabric.oversubscription = 2;
  fabric.hop_latency_s = 1e-6;
  fabric.end_latency_s = 5e-6;
  fabric.efficiency_fraction = 0.9;
  fabric.storage_bytes_per_s = 15e9;
  Scenario s;
  s.groups = NodeGroups({group}, {});
  Pool pool;
  pool.spec.name = "p";
  pool.gpu.name = "gpu";
  pool.gpu.nvlink_bytes_per_s = 300e9;
  pool.gpu.pcie_h2d_bytes_per_s = 25e9;
  pool.gpu.pcie_d2h_bytes_per_s = 24e9;
  pool.transfers = transfer_laws(pool.gpu, nullptr);
  for (std::int64_t number : {std::int64_t{0}, nodes - 1})
    for (std::int64_t gpu = 0; gpu < 4; ++gpu) pool.places.push_back({{{.node = number, .gpu = gpu}}});
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

/// A fat tree of four nodes, a group of two on one switch, and one of one node: 0 to 3, 4 to 5 and 6.
Scenario three_groups() {
  const NodeGroup tree = wired(4, "nvswitch", 2, "fat_tree").groups[0];
  NodeGroup flat = wired(2, "nvswitch", 2, "single_switch").groups[0];
  flat.node.nic_bytes_per_s = 25e9;
  flat.fabric.hop_latency_s = 2e-6;
  flat.fabric.end_latency_s = 4e-6;
  std::vector<NodeGroup> groups{tree, flat, wired(1, "nvswitch", 1, "single_switch").groups[0]};
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].name = std::string(1, static_cast<char>('a' + i));
  Scenario s;
  s.groups = NodeGroups(std::move(groups), {{.from = 0, .to = 1, .bytes_per_s = 10e9, .latency_s = 1e-3},
                                            {.from = 2, .to = 1, .bytes_per_s = 5e9, .latency_s = 2e-3}});
  s.pools = std::move(wired(1, "nvswitch", 2, "single_switch").pools);
  s.pools[0].places.clear();
  for (const std::int64_t node : {0, 3, 4, 5, 6}) s.pools[0].places.push_back({{{.node = node, .gpu = 0}}});
  return s;
}

// Node 3 is below leaf 1 of the tree; switch 2 is the one of group b. Two switches of the tree, one of the other
// group; the slower adapters; 1 ms on the way.
TEST(Wiring, GroupsAreJoinedByStatedLinks) {
  const Wiring w(three_groups());
  const Path path = w.peer_path({3, 0}, {4, 0});
  EXPECT_EQ(names(w, path), (Names{"node3/gpu0/pcie/out", "node3/nic0/out", "leaf1/out", "trunk0/out",
                                   "node4/nic0/in", "node4/gpu0/pcie/in"}));
  EXPECT_DOUBLE_EQ(path.latency_s, 5e-6 + 2 * 1e-6 + 2e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(w.platform().links[path.links[3]].bytes_per_s, 10e9);
  EXPECT_DOUBLE_EQ(w.platform().links[path.links[4]].bytes_per_s, 25e9 * 0.9);
  const Path back = w.peer_path({4, 0}, {3, 0});
  EXPECT_EQ(names(w, back), (Names{"node4/gpu0/pcie/out", "node4/nic0/out", "trunk0/in", "leaf1/in", "node3/nic0/in",
                                   "node3/gpu0/pcie/in"}));
  EXPECT_DOUBLE_EQ(back.latency_s, path.latency_s);
}

// From a to c over both links, the second against its stated direction: delays add up.
TEST(Wiring, LinksFollowOneAnother) {
  const Wiring w(three_groups());
  const Path path = w.peer_path({0, 0}, {6, 0});
  EXPECT_EQ(names(w, path), (Names{"node0/gpu0/pcie/out", "node0/nic0/out", "leaf0/out", "trunk0/out", "trunk1/in",
                                   "node6/nic0/in", "node6/gpu0/pcie/in"}));
  EXPECT_DOUBLE_EQ(path.latency_s, 5e-6 + 2 * 1e-6 + 1e-6 + 1e-3 + 2e-3);
}

TEST(Wiring, GroupsReachTheStorageOverTheirOwnNetworks) {
  const Wiring w(three_groups());
  EXPECT_EQ(names(w, w.load_path({3, 0})),
            (Names{"storage/in", "leaf1/in", "node3/nic0/in", "node3/root0/in", "node3/gpu0/pcie/in"}));
  EXPECT_EQ(names(w, w.load_path({5, 0})),
            (Names{"storage/in", "node5/nic0/in", "node5/root0/in", "node5/gpu0/pcie/in"}));
  EXPECT_DOUBLE_EQ(w.load_path({5, 0}).latency_s, 4e-6 + 2e-6);
}

TEST(Wiring, PlatformTellsGroupsWhereThereAreSeveral) {
  EXPECT_TRUE(Wiring(wired(2, "nvswitch", 2, "fat_tree")).platform().groups.empty());
  const Platform p = Wiring(three_groups()).platform();
  ASSERT_EQ(p.groups.size(), 3u);
  EXPECT_EQ(p.groups[1].name, "b");
  EXPECT_EQ(p.groups[1].nodes, (Names{"node4", "node5"}));
  const auto trunk = std::ranges::find(p.links, "trunk0/out", &PlatformLink::name);
  EXPECT_EQ(trunk->from, "spine-a");
  EXPECT_EQ(trunk->to, "switch-b");
}

TEST(NodeGroups, NumberNodesAndSwitchesThrough) {
  const NodeGroups groups = three_groups().groups;
  EXPECT_EQ(groups.nodes(), 7);
  EXPECT_EQ(groups.switches(), 4);  // leaves 0 and 1, then one each
  EXPECT_EQ(groups.index_of(3), 0u);
  EXPECT_EQ(groups.index_of(4), 1u);
  EXPECT_EQ(groups.of(5).switch_of(5), 2);
  EXPECT_EQ(groups.of_switch(3).name, "c");
  EXPECT_EQ(groups.way(0, 0)->size(), 0u);
  EXPECT_EQ(*groups.way(2, 0), (std::vector<GroupHop>{{.link = 1, .forward = true}, {.link = 0, .forward = false}}));
  EXPECT_FALSE(NodeGroups({groups[0], groups[1]}, {}).way(0, 1));
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
