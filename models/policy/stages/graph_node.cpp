#include "models/policy/stages/graph_node.h"

#include <algorithm>
#include <map>

#include "models/base/names.h"

namespace servecast {
namespace {

std::string key(std::size_t node, const char* setting) { return "nodes[" + std::to_string(node) + "]." + setting; }

std::vector<std::string> names_of(std::span<const GraphNode> nodes) {
  std::vector<std::string> names;
  for (const GraphNode& node : nodes) names.push_back(node.name);
  return names;
}

/// By node: the length of the longest chain before it; none for those that wait, in the end, for themselves.
std::vector<std::optional<std::size_t>> depths_of(std::span<const GraphNode> nodes) {
  std::vector<std::optional<std::size_t>> depths(nodes.size());
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (depths[i]) continue;
      std::size_t depth = 0;
      const bool known = std::ranges::all_of(nodes[i].after, [&](const std::string& name) {
        const auto before = depths[node_called(name, nodes)];
        depth = std::max(depth, before.value_or(0) + 1);
        return before.has_value();
      });
      if (known) depths[i] = depth;
      found = found || known;
    }
  }
  return depths;
}

std::string list_of(const std::vector<std::string>& names) { return "'" + join(names, "', '") + "'"; }

void find_bad_names(std::span<const GraphNode> nodes, std::vector<SettingProblem>& all) {
  const std::vector<std::string> names = names_of(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::ranges::find(names, names[i]) != names.begin() + static_cast<std::ptrdiff_t>(i))
      all.push_back({key(i, "name"), "there is a node '" + names[i] + "' already"});
    for (const std::string& name : nodes[i].after) {
      if (std::ranges::find(names, name) == names.end())
        all.push_back({key(i, "after"), unknown_name("node", name, names)});
      if (std::ranges::count(nodes[i].after, name) > 1)
        all.push_back({key(i, "after"), "'" + name + "' is named twice"});
    }
  }
}

void find_bad_sizes(std::span<const GraphNode> nodes, std::vector<SettingProblem>& all) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].output_tokens && nodes[i].output_fraction)
      all.push_back({key(i, "output_tokens"), "give either 'output_tokens' or 'output_fraction'"});
}

void find_bad_ways(std::span<const GraphNode> nodes, std::vector<SettingProblem>& all) {
  const auto depths = depths_of(nodes);
  std::vector<std::string> in_circles;
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!depths[i]) in_circles.push_back(nodes[i].name);
    const auto needs = [&](const GraphNode& other) {
      return std::ranges::find(other.after, nodes[i].name) != other.after.end();
    };
    if (std::ranges::none_of(nodes, needs)) ends.push_back(nodes[i].name);
  }
  if (!in_circles.empty())
    all.push_back({"nodes", list_of(in_circles) + " can never start: what they wait for goes round in a circle"});
  else if (ends.size() > 1)
    all.push_back({"nodes", list_of(ends) + " are needed by no other node, but only one can be the answer: "
                                            "put its name last and the others into its 'after', or leave them out"});
}

}  // namespace

std::size_t node_called(const std::string& name, std::span<const GraphNode> nodes) {
  return static_cast<std::size_t>(std::ranges::find(nodes, name, &GraphNode::name) - nodes.begin());
}

std::vector<SettingProblem> problems_of(std::span<const GraphNode> nodes) {
  std::vector<SettingProblem> all;
  find_bad_names(nodes, all);
  if (all.empty()) find_bad_ways(nodes, all);
  find_bad_sizes(nodes, all);
  return all;
}

GraphLevels levels_of(std::span<const GraphNode> nodes) {
  const auto depths = depths_of(nodes);
  GraphLevels levels;
  std::map<std::size_t, std::int64_t> width;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    levels.order.push_back(i);
    levels.width = std::max(levels.width, width[*depths[i]] += nodes[i].parts);
  }
  std::ranges::stable_sort(levels.order, {}, [&](std::size_t i) { return *depths[i]; });
  return levels;
}

}  // namespace servecast
