// From what a scenario says of its cluster to groups of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/names.h"
#include "sim/input/scenario/node_groups.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/yaml/try_at.h"

namespace servecast {
namespace {

std::vector<std::string> group_names(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (const NodeGroupSpec& group : cluster.groups) names.push_back(group.name);
  return names;
}

/// The short form has no group with a name, and groups stand for all that it says.
void check_form(YamlText& text, const ScenarioSpec& spec) {
  const ClusterSpec& cluster = spec.cluster;
  const bool broken =
      std::ranges::any_of(text.problems, [](const Problem& problem) { return problem.path.starts_with("cluster"); });
  if (cluster.groups.empty() && !broken && !spec.pools.empty() && !text.places.contains("cluster.node"))
    text.fail(
        "cluster.node",
        "'cluster.node' is missing: kind of server, as `servecast list nodes` has them; or give cluster.groups");
  if (cluster.groups.empty() && !cluster.links.empty())
    text.fail("cluster.links", "links join groups, and there are none: give cluster.groups");
  if (cluster.groups.empty()) return;
  for (const char* key : {"cluster.node", "cluster.nodes", "cluster.fabric"})
    if (text.places.contains(key))
      text.fail(key, fmt::format(
                         "'{}' would be ignored: each group has its own; leave it out or leave the groups out", key));
}

void check_group_names(YamlText& text, const ClusterSpec& cluster) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cluster.groups.size(); ++i) {
    const std::string& name = cluster.groups[i].name;
    const std::string path = fmt::format("cluster.groups[{}].name", i);
    if (name.empty())
      text.fail(path, "is empty; give the group a name");
    else if (name.find('/') != std::string::npos)
      text.fail(path, fmt::format("'{}' has a '/', which parts names of links; choose another character", name));
    else if (!seen.insert(name).second)
      text.fail(path, fmt::format("'{}' is the name of another group already", name));
  }
}

void check_group_links(YamlText& text, const ClusterSpec& cluster) {
  if (cluster.groups.empty()) return;
  const std::vector<std::string> names = group_names(cluster);
  std::set<std::set<std::string>> seen;
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const std::vector<std::string>& between = cluster.links[i].between;
    const std::string path = fmt::format("cluster.links[{}].between", i);
    if (between.size() != 2 || between[0] == between[1]) {
      text.fail(path, "a link joins two different groups: between: [ONE, OTHER]");
      continue;
    }
    for (const std::string& name : between)
      if (std::ranges::find(names, name) == names.end()) text.fail(path, unknown_name("group", name, names));
    if (!seen.insert({between[0], between[1]}).second)
      text.fail(path, fmt::format("'{}' and '{}' have a link already; give that one the bytes_per_s of both",
                                  between[0], between[1]));
  }
}

void check_group_spares(YamlText& text, const ScenarioSpec& spec) {
  const std::vector<NodeGroupSpec>& groups = spec.cluster.groups;
  if (groups.size() > 1 && spec.failures && spec.failures->spares > 0)
    text.fail("failures.spares",
              "a spare stands in for nodes of its own group: give the groups theirs, as cluster.groups[0].spares");
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].spares > 0 && !spec.failures)
      text.fail(fmt::format("cluster.groups[{}].spares", i),
                "would be ignored: nothing breaks; say what does in failures, or leave them out");
}

/// The short form is one group without a name.
std::vector<NodeGroupSpec> as_groups(const ScenarioSpec& spec) {
  std::vector<NodeGroupSpec> groups = spec.cluster.groups;
  if (groups.empty())
    groups.push_back(
        {.name = {}, .node = spec.cluster.node, .nodes = spec.cluster.nodes, .fabric = spec.cluster.fabric});
  if (spec.failures) groups.front().spares += spec.failures->spares;
  return groups;
}

std::vector<GroupLink> as_links(const ClusterSpec& cluster) {
  const std::vector<std::string> names = group_names(cluster);
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  std::vector<GroupLink> links;
  for (const GroupLinkSpec& link : cluster.links)
    links.push_back({index(link.between[0]), index(link.between[1]), link.bytes_per_s, link.latency_s});
  return links;
}

/// Nodes without network ports stand alone.
void check_ports(YamlText& text, const NodeGroups& groups) {
  const auto no_port = [&](std::size_t group) {
    return fmt::format("'{}' has no network port", groups[group].node.name);
  };
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].nodes > 1 && groups[i].node.nics == 0)
      text.fail(groups.path(i, "nodes"), no_port(i) + ", so there can be only one");
  for (std::size_t i = 0; i < groups.links().size(); ++i)
    for (const std::size_t end : {groups.links()[i].from, groups.links()[i].to})
      if (groups[end].node.nics == 0)
        text.fail(fmt::format("cluster.links[{}].between", i), no_port(end) + ", so nothing can be linked to it");
}

}  // namespace

void check_cluster(YamlText& text, const ScenarioSpec& spec) {
  check_form(text, spec);
  check_group_names(text, spec.cluster);
  check_group_links(text, spec.cluster);
  check_group_spares(text, spec);
}

NodeGroups look_up_groups(YamlText& text, const ScenarioSpec& spec, HardwareFiles& files) {
  if (spec.pools.empty()) return {};
  const std::vector<NodeGroupSpec> specs = as_groups(spec);
  const bool several = specs.size() > 1;
  std::vector<NodeGroup> groups;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const NodeGroupSpec& from = specs[i];
    const std::string& rent = from.rent == "as_cluster" ? spec.cluster.rent : from.rent;
    NodeGroup group{.name = from.name,
                    .nodes = from.nodes,
                    .spares = from.spares,
                    .rented_whole = rent == "whole_nodes",
                    .site = from.site,
                    .egress_usd_per_billion_bytes = from.egress_usd_per_billion_bytes};
    const auto at = [&](const std::string& key) {
      return from.name.empty() ? "cluster." + key : fmt::format("cluster.groups[{}].{}", i, key);
    };
    const auto read = [&](const std::string& key, auto look_up) {
      try_at(text, at(key), [&] { look_up(text.place(at(key))); });
    };
    read("node", [&](const Place& place) { group.node = files.node(from.node, place, text.file, spec.hardware); });
    read("fabric",
         [&](const Place& place) { group.fabric = files.fabric(from.fabric, place, text.file, spec.hardware); });
    // What a kind of node is sold with tells groups apart; where there is one group, pools may have any GPU.
    if (several) group.gpu = group.node.gpu;
    if (!from.gpu.empty())
      read("gpu", [&](const Place& place) { group.gpu = files.gpu(from.gpu, place, text.file).name; });
    groups.push_back(std::move(group));
  }
  text.throw_problems();
  NodeGroups all(std::move(groups), as_links(spec.cluster));
  check_ports(text, all);
  return all;
}

}  // namespace servecast
