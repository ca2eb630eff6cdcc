#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/machine/fabric.h"
#include "models/hw/machine/node.h"

namespace servecast {

class HardwareFiles;
struct ScenarioSpec;
struct YamlText;

/// Nodes of one kind on one network. Their numbers, and those of the switches that they hang on, run through all
/// groups of a cluster; a group's spares come right after its other nodes.
struct NodeGroup {
  std::string name{};  // empty: of the only one, where it has no name
  Node node{};
  Fabric fabric{};
  std::string gpu{};  // in all of its nodes; empty: whichever its pools have
  std::int64_t nodes = 1;
  std::int64_t spares = 0;
  bool rented_whole = true;  // else GPU by GPU
  std::string site{};        // empty: one of its own
  double egress_usd_per_billion_bytes = 0;
  std::int64_t first_node = 0;
  std::int64_t first_switch = 0;

  std::int64_t first_spare() const { return first_node + nodes; }
  std::int64_t end_node() const { return first_spare() + spares; }
  bool holds(std::int64_t number) const { return number >= first_node && number < end_node(); }
  /// A spine joins the switches that nodes hang on; else there is one switch for all.
  bool has_leaves() const { return fabric.nodes_per_leaf > 0 && fabric.topology == "fat_tree"; }
  std::int64_t switch_of(std::int64_t number) const {
    return first_switch + (has_leaves() ? (number - first_node) / fabric.nodes_per_leaf : 0);
  }
  std::int64_t end_switch() const { return switch_of(end_node() - 1) + 1; }
};

/// Joins the networks of two groups, by their places in the list.
struct GroupLink {
  std::size_t from = 0;
  std::size_t to = 0;
  double bytes_per_s = 0;  // in each direction
  double latency_s = 0;
};

/// A link on the way from one group to another, and whether it is crossed from its `from` to its `to`.
struct GroupHop {
  std::size_t link = 0;
  bool forward = true;
  bool operator==(const GroupHop&) const = default;
};

/// All machines of a scenario.
class NodeGroups {
 public:
  NodeGroups() = default;
  /// Numbers nodes and switches through.
  NodeGroups(std::vector<NodeGroup> groups, std::vector<GroupLink> links);

  std::size_t size() const { return groups_.size(); }
  bool several() const { return groups_.size() > 1; }
  const NodeGroup& operator[](std::size_t group) const { return groups_[group]; }
  NodeGroup& operator[](std::size_t group) { return groups_[group]; }
  auto begin() const { return groups_.begin(); }
  auto end() const { return groups_.end(); }
  const std::vector<GroupLink>& links() const { return links_; }

  /// Spares included; all numbers are below.
  std::int64_t nodes() const { return groups_.empty() ? 0 : groups_.back().end_node(); }
  std::int64_t switches() const { return groups_.empty() ? 0 : groups_.back().end_switch(); }
  /// By the number of a node, or of a switch.
  std::size_t index_of(std::int64_t node) const;
  const NodeGroup& of(std::int64_t node) const { return groups_[index_of(node)]; }
  const NodeGroup& of_switch(std::int64_t number) const;
  /// The fewest links that lead from one group to another, of equally many those stated first; nothing where none do.
  std::optional<std::vector<GroupHop>> way(std::size_t from, std::size_t to) const;
  /// Whether a link joins two sites, so that what crosses it is paid for.
  bool joins_sites(const GroupLink& link) const {
    return groups_[link.from].site.empty() || groups_[link.from].site != groups_[link.to].site;
  }
  /// "group 'fast'", or "the cluster" where it has one.
  std::string called(std::size_t group) const;
  /// Where a scenario has this setting of a group.
  std::string path(std::size_t group, const std::string& key) const;

 private:
  std::vector<NodeGroup> groups_{};
  std::vector<GroupLink> links_{};
};

/// Leaves what is wrong with `cluster` in the text's problems, as far as no file needs to be read for it.
void check_cluster(YamlText& text, const ScenarioSpec& spec);

/// Both forms of `cluster` as groups. Throws what is wrong.
NodeGroups look_up_groups(YamlText& text, const ScenarioSpec& spec, HardwareFiles& files);

}  // namespace servecast
