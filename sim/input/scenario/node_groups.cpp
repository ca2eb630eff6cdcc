#include "sim/input/scenario/node_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace servecast {

NodeGroups::NodeGroups(std::vector<NodeGroup> groups, std::vector<GroupLink> links)
    : groups_(std::move(groups)), links_(std::move(links)) {
  for (std::size_t i = 1; i < groups_.size(); ++i) {
    groups_[i].first_node = groups_[i - 1].end_node();
    groups_[i].first_switch = groups_[i - 1].end_switch();
  }
}

std::size_t NodeGroups::index_of(std::int64_t node) const {
  const auto found = std::ranges::find_if(groups_, [&](const NodeGroup& group) { return group.holds(node); });
  return static_cast<std::size_t>(found - groups_.begin());
}

const NodeGroup& NodeGroups::of_switch(std::int64_t number) const {
  return *std::ranges::find_if(groups_, [&](const NodeGroup& group) { return number < group.end_switch(); });
}

// Breadth first: every group is reached over the fewest links, and ways grow in the order in which links are stated.
std::optional<std::vector<GroupHop>> NodeGroups::way(std::size_t from, std::size_t to) const {
  std::vector<std::optional<std::vector<GroupHop>>> ways(groups_.size());
  ways[from].emplace();
  std::vector<std::size_t> reached{from};
  for (std::size_t next = 0; next < reached.size() && !ways[to]; ++next) {
    const std::size_t here = reached[next];
    for (std::size_t link = 0; link < links_.size(); ++link) {
      const bool forward = links_[link].from == here;
      if (!forward && links_[link].to != here) continue;
      const std::size_t there = forward ? links_[link].to : links_[link].from;
      if (ways[there]) continue;
      ways[there] = ways[here];
      ways[there]->push_back({.link = link, .forward = forward});
      reached.push_back(there);
    }
  }
  return ways[to];
}

std::string NodeGroups::called(std::size_t group) const {
  return several() ? fmt::format("group '{}'", groups_[group].name) : "the cluster";
}

std::string NodeGroups::path(std::size_t group, const std::string& key) const {
  return groups_[group].name.empty() ? "cluster." + key : fmt::format("cluster.groups[{}].{}", group, key);
}

}  // namespace servecast
