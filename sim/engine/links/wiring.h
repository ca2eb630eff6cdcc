#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "sim/engine/links/flows.h"
#include "sim/input/scenario/gpu_places.h"
#include "sim/input/scenario/node_groups.h"
#include "sim/report/record/platform.h"

namespace servecast {

struct Copy;
struct Pool;
struct Scenario;
struct TransferLaw;
struct TransferLaws;

/// One end of a transfer. Host memory and disk are those of the node; the GPU named with them says which PCIe root
/// and network port the bytes pass.
struct Part {
  enum class Kind : std::uint8_t { gpu, host, disk, storage };
  Kind kind = Kind::gpu;
  GpuPlace place{};
};

/// The cluster as it is wired: every link one direction, with its capacity. Plain data; Network hands it to SimGrid.
///
///   GPU - NVLink - GPU                               inside a node with NVLink
///   GPU - PCIe - (root - root) - PCIe - GPU          inside a node without
///   GPU - PCIe - NIC - (leaf - leaf) - NIC - PCIe - GPU   between nodes; GPUs take the NICs in turn
///   GPU - PCIe - NIC - (leaf) - trunk - ... - (leaf) - NIC - PCIe - GPU   between nodes of two groups
///   storage - (leaf) - NIC - root - PCIe - GPU       weights; from the node's own disk where it has no NIC
///   GPU - PCIe - root - host - disk                  to the node's own memory and disk
///   host - root - NIC - (leaf - leaf) - NIC          to other nodes
class Wiring {
 public:
  explicit Wiring(const Scenario& scenario);

  const Platform& platform() const { return platform_; }
  static std::string name(const GpuPlace& gpu);
  static std::string name(const Part& part);
  /// Of a link between groups, by its place in `cluster.links`.
  static std::string trunk_name(std::size_t link);
  /// From any part to any other. Host to host inside a node: no link, no delay.
  Path path(const Part& from, const Part& to) const;
  /// A copy from one part to another, as the laws of the GPUs at its ends have it. The rate of slow copies, and what
  /// their pieces cost, take more of the links; between a GPU and its host's memory only, as a disk or a network is
  /// slower than what copies lose.
  Transfer transfer(std::string kind, const Part& from, const Part& to, const Copy& copy) const;
  /// From a GPU to another one.
  Path peer_path(const GpuPlace& from, const GpuPlace& to) const;
  /// Both directions of a physical link, as indices into the platform's.
  std::array<std::size_t, 2> pair(const std::string& name) const {
    return {link_index_.at(name + "/in"), link_index_.at(name + "/out")};
  }
  /// From where the weights are stored to a GPU.
  Path load_path(const GpuPlace& to) const;

 private:
  /// Links between network ports, and the delay of the whole path.
  struct Way {
    std::vector<std::string> links{};
    double latency_s = 0;
  };

  void add_storage();
  void add_trunk(std::size_t number);
  void add_switches_and_nodes(const NodeGroup& group);
  void add_leaf(const NodeGroup& group, std::int64_t leaf);
  void add_node(const NodeGroup& group, std::int64_t number);
  void add_gpu(const GpuPlace& place, const Pool& pool);
  const TransferLaw* law(const Part& from, const Part& to, const Copy& copy) const;
  void add_spares(const Scenario& scenario, std::size_t number);
  void add_pair(const std::string& name, const std::string& kind, const std::string& inner, const std::string& outer,
                double in_bytes_per_s, double out_bytes_per_s, double latency_s);

  Path make_path(const std::vector<std::string>& links, double latency_s) const;
  Path node_path(const Part& from, const Part& to) const;
  std::vector<std::string> ways_out(const Part& part) const;
  std::vector<std::string> ways_in(const Part& part) const;
  Way between(const GpuPlace& from, const GpuPlace& to) const;
  Way to_storage(const GpuPlace& from, const char* direction) const;
  const Node& node(const GpuPlace& place) const { return groups_.of(place.node).node; }
  bool bridged(const GpuPlace& a, const GpuPlace& b) const;
  std::string pcie(const GpuPlace& place) const;
  std::string nvlink(const GpuPlace& place) const;
  std::string root(const GpuPlace& place) const;
  std::string nic(const GpuPlace& place) const;
  std::string leaf(const GpuPlace& place) const;
  std::string of_group(const std::string& what, const NodeGroup& group) const;

  NodeGroups groups_;
  Platform platform_;
  std::map<std::string, std::size_t> link_index_;
  std::map<std::string, const TransferLaws*> laws_;  // by GPU; the scenario's
};

}  // namespace servecast
