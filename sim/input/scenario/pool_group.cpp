#include "sim/input/scenario/pool_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

bool has_gpu_of(const Pool& pool, const NodeGroup& group) { return group.gpu.empty() || group.gpu == pool.gpu.name; }

std::string gpus_of(const NodeGroups& groups) {
  std::vector<std::string> all;
  for (const NodeGroup& group : groups)
    all.push_back(fmt::format("'{}' ({}) {}", group.name, group.node.name, group.gpu.empty() ? "any" : group.gpu));
  return join(all);
}

std::string full_group(const NodeGroups& groups, std::size_t number) {
  const NodeGroup& group = groups[number];
  if (!groups.several())
    return fmt::format("the cluster's {} nodes of {} GPUs are full", group.nodes, group.node.gpus);
  return fmt::format("all {} GPUs of group '{}' are taken", group.nodes * group.node.gpus, group.name);
}

std::optional<std::size_t> named_group(YamlText& text, const std::string& path, const Pool& pool,
                                       const NodeGroups& groups) {
  std::vector<std::string> names;
  for (const NodeGroup& group : groups) names.push_back(group.name);
  const auto found = std::ranges::find(names, pool.spec.group);
  const auto index = static_cast<std::size_t>(found - names.begin());
  if (names.front().empty())
    text.fail(path + ".group", "the cluster has no groups; leave it out, or give cluster.groups");
  else if (found == names.end())
    text.fail(path + ".group", unknown_name("group", pool.spec.group, names));
  else if (!has_gpu_of(pool, groups[index]))
    text.fail(path + ".gpu",
              fmt::format("nodes of group '{}' have {}, not {}; name another group or GPU, or say gpu: {} "
                          "in the group",
                          *found, groups[index].gpu, pool.gpu.name, pool.spec.gpu));
  else
    return index;
  return std::nullopt;
}

}  // namespace

GroupAllocator::GroupAllocator(const NodeGroups& groups) : groups_(groups) {
  for (const NodeGroup& group : groups)
    allocators_.emplace_back(group.first_node, group.first_spare(), group.node.gpus);
}

bool GroupAllocator::has_room(const Pool& pool, std::size_t group) const {
  const std::int64_t gpus = pool.shape().gpus_per_stage();
  const std::int64_t of_node = groups_[group].node.gpus;
  if (gpus > of_node && gpus % of_node != 0) return false;
  GpuAllocator tried = allocators_[group];
  for (std::int64_t i = 0; i < pool.spec.replicas; ++i)
    if (!tried.place(gpus, pool.spec.pipeline_parallel)) return false;
  return true;
}

std::optional<std::size_t> GroupAllocator::choose(YamlText& text, const std::string& path, const Pool& pool) const {
  if (!pool.spec.group.empty()) return named_group(text, path, pool, groups_);
  std::optional<std::size_t> without_room;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!has_gpu_of(pool, groups_[i])) continue;
    if (!groups_.several() || has_room(pool, i)) return i;
    if (!without_room) without_room = i;
  }
  if (!without_room)
    text.fail(path + ".gpu",
              fmt::format("no group of nodes has {}. Their GPUs: {}", pool.gpu.name, gpus_of(groups_)));
  return without_room;
}

void GroupAllocator::place(YamlText& text, const std::string& path, Pool& pool) {
  for (std::int64_t i = 0; i < pool.spec.replicas; ++i) {
    auto placed = allocators_[pool.group].place(pool.shape().gpus_per_stage(), pool.spec.pipeline_parallel);
    if (!placed)
      return text.fail(path + ".replicas",
                       fmt::format("{} replicas of {} GPUs do not fit: after {} of them {}", pool.spec.replicas,
                                   pool.gpus_per_replica(), i, full_group(groups_, pool.group)));
    pool.places.push_back(std::move(*placed));
  }
}

std::string link_problem(const Pool& from, const Pool& to, const NodeGroups& groups) {
  if (groups.way(from.group, to.group)) return {};
  const std::string& a = groups[from.group].name;
  const std::string& b = groups[to.group].name;
  return fmt::format(
      "KV goes from '{}' on group '{}' to '{}' on group '{}', but no link leads there; add cluster.links: "
      "[{{between: [{}, {}], bytes_per_s: ..., latency_s: ...}}]",
      from.spec.name, a, to.spec.name, b, a, b);
}

}  // namespace servecast
