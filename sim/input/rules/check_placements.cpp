#include "sim/input/rules/check_placements.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "sim/input/scenario/pool_group.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

/// What one pool's placement asks of another; the first thing that is wrong.
std::string handover_problem(const Pool& pool, const Pool& to, const NodeGroups& groups) {
  const std::string& name = to.spec.name;
  if (name == pool.spec.name) return fmt::format("'{}' cannot decode for itself; name another pool", name);
  const auto sends_on = to.spec.placement.make();
  if (sends_on->sm_partition())
    return fmt::format("'{}' computes prompts beside its decodes; a pool that decodes for others must be colocated",
                       name);
  if (!sends_on->decode_pool().empty() || sends_on->prefill_replicas() > 0)
    return fmt::format("'{}' sends its own requests on; a pool that decodes for others must be colocated", name);
  if (!(to.llm == pool.llm))
    return fmt::format("'{}' runs {}, which cannot go on from the KV of {}", name, to.spec.llm, pool.spec.llm);
  if (to.spec.kv_cache_dtype != pool.spec.kv_cache_dtype)
    return fmt::format("'{}' keeps its KV as {}, this pool as {}; they must agree", name, to.spec.kv_cache_dtype,
                       pool.spec.kv_cache_dtype);
  if (!to.spec.router.make()->only_picks())
    return fmt::format(
        "router '{}' of '{}' turns requests away or has prefixes copied first, too late for a prompt that "
        "is computed; choose another",
        to.spec.router.policy(), name);
  if (to.spec.admission.policy() != "none")
    return fmt::format("admission '{}' of '{}' would be ignored: what it decodes has been admitted by '{}'",
                       to.spec.admission.policy(), name, pool.spec.name);
  if (to.spec.batcher.make()->after_last() != AfterLast::frees)
    return fmt::format("with batcher '{}' of '{}' whole batches stay together, so no request can come in between",
                       to.spec.batcher.policy(), name);
  return link_problem(pool, to, groups);
}

void check_sides(YamlText& text, Pool& pool, const Placement& placement, const std::string& path) {
  if (placement.prefill_replicas() >= pool.spec.replicas)
    text.fail(path, fmt::format("of {} replicas {} cannot prefill and at least one decode; have more replicas",
                                pool.spec.replicas, placement.prefill_replicas()));
  pool.waiting_blocks_fraction = placement.waiting_blocks_fraction();
}

void check(YamlText& text, const NodeGroups& groups, std::vector<Pool>& pools, std::size_t i) {
  const auto placement = pools[i].spec.placement.make();
  const std::string wanted = placement->decode_pool();
  const std::string path = fmt::format("pools[{}].placement", i);
  if (const std::string problem = placement->problem(); !problem.empty()) text.fail(path, problem);
  if (placement->prefill_replicas() > 0) return check_sides(text, pools[i], *placement, path);
  if (wanted.empty()) return;
  const auto to = std::ranges::find(pools, wanted, [](const Pool& pool) { return pool.spec.name; });
  if (to == pools.end()) {
    std::vector<std::string> names;
    for (const Pool& pool : pools) names.push_back(pool.spec.name);
    return text.fail(path + ".decode_pool", unknown_name("pool", wanted, names));
  }
  if (const std::string problem = handover_problem(pools[i], *to, groups); !problem.empty())
    return text.fail(path + ".decode_pool", problem);
  pools[i].decode_pool = static_cast<std::size_t>(to - pools.begin());
  to->waiting_blocks_fraction = std::min(to->waiting_blocks_fraction, placement->waiting_blocks_fraction());
  pools[i].chunked_pipeline = placement->chunked_pipeline();
  pools[i].decode_answers = placement->decode_answers();
  pools[i].proxy_s = placement->proxy_s();
}

}  // namespace

void check_placements(YamlText& text, const NodeGroups& groups, std::vector<Pool>& pools) {
  for (std::size_t i = 0; i < pools.size(); ++i) check(text, groups, pools, i);
}

}  // namespace servecast
