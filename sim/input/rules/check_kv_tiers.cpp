#include "sim/input/rules/check_kv_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

std::map<std::int64_t, std::int64_t> replicas_by_node(const Pool& pool) {
  std::map<std::int64_t, std::int64_t> count;
  for (const ReplicaPlace& place : pool.places) ++count[place.gpus.front().node];
  return count;
}

}  // namespace

void check_kv_tiers(YamlText& text, const std::string& path, const Pool& pool, const Node& node) {
  const std::vector<KvTierSpec>& levels = pool.spec.kv_tiers.levels;
  if (levels.empty()) return;
  if (!pool.spec.kv_cache.make()->shares_prefixes())
    return text.fail(path + ".kv_tiers",
                     fmt::format("KV cache '{}' keeps nothing that another request could use; with tiers it "
                                 "must be one that does, such as paged_prefix",
                                 pool.spec.kv_cache.policy()));
  const std::map<std::int64_t, std::int64_t> replicas = replicas_by_node(pool);
  std::int64_t most = 0;
  for (const auto& [at, count] : replicas) most = std::max(most, count);
  const std::vector<std::string> order{"host", "nvme", "shared"};
  double dram_bytes = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string at = fmt::format(".kv_tiers.levels[{}]", i);
    const KvTierSpec& level = levels[i];
    if (i > 0 && std::ranges::find(order, level.kind) <= std::ranges::find(order, levels[i - 1].kind))
      text.fail(path + at + ".kind", "tiers are given once each, in the order host, nvme, shared");
    if (const auto problem = needs_future(*level.eviction.make())) text.fail(path + at + ".eviction", *problem);
    if (level.kind == "host") dram_bytes += level.capacity_bytes * static_cast<double>(most);
    if (level.kind == "shared") dram_bytes += level.capacity_bytes / static_cast<double>(replicas.size());
  }
  if (dram_bytes > node.host_memory_bytes)
    text.fail(path + ".kv_tiers", fmt::format("{:.3g} bytes of host memory on one node are more than its {:.3g}",
                                              dram_bytes, node.host_memory_bytes));
}

}  // namespace servecast
