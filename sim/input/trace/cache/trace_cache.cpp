#include "sim/input/trace/cache/trace_cache.h"

#include <algorithm>
#include <cassert>

#include "models/policy/prefix/prefix_cache.h"
#include "sim/input/trace/cache/drain.h"
#include "sim/input/trace/cache/prompt_paths.h"

namespace servecast {
namespace {

PromptPaths read_paths(Workload& workload) {
  PromptPaths paths;
  drain(workload, [&](const Request& request, std::optional<double>) { paths.add(request); });
  return paths;
}

/// All but the results.
TraceCacheReport sum_up(const PromptPaths& paths, double warm_up_fraction) {
  const auto& prompts = paths.prompts();
  TraceCacheReport report{.requests = static_cast<std::int64_t>(prompts.size()),
                          .distinct_blocks = static_cast<std::int64_t>(paths.trie().size()) - 1};
  report.warm_up_requests = static_cast<std::int64_t>(static_cast<double>(prompts.size()) * warm_up_fraction);
  for (std::size_t i = static_cast<std::size_t>(report.warm_up_requests); i < prompts.size(); ++i) {
    report.prompt_tokens += prompts[i].prompt_tokens;
    report.unlimited_hit_tokens += prompts[i].tokens_in(prompts[i].known_blocks);
  }
  return report;
}

/// Fills in what comes out of a cache of this size and policy.
void replay(const PromptPaths& paths, std::size_t warm_up_requests, TraceCacheResult& result) {
  const auto eviction = Registry<Eviction>::all().at(result.policy).prepare()->make();
  PrefixCache cache(paths.trie(), result.blocks, *eviction);
  std::vector<CacheEntry> path;
  std::vector<std::uint64_t> next_uses;
  for (std::size_t i = 0; i < paths.prompts().size(); ++i) {
    if (i == warm_up_requests) result.filled = cache.was_full();
    paths.path(i, path);
    if (eviction->clairvoyant()) paths.next_uses(i, next_uses);
    const std::size_t found = cache.serve(path, next_uses);
    if (i >= warm_up_requests) result.hit_tokens += paths.prompts()[i].tokens_in(static_cast<std::int64_t>(found));
  }
}

}  // namespace

TraceCacheReport replay_through_caches(Workload& workload, const TraceCacheSpec& spec, const WorkloadNotes& notes) {
  assert(spec.warm_up_fraction >= 0 && spec.warm_up_fraction < 1);
  PromptPaths paths = read_paths(workload);
  paths.foresee();
  TraceCacheReport report = sum_up(paths, spec.warm_up_fraction);
  report.skipped_rows = notes.skipped_rows;
  for (const std::string& policy : spec.policies)
    for (const std::int64_t blocks : spec.blocks) {
      report.results.push_back({.policy = policy, .blocks = blocks});
      replay(paths, static_cast<std::size_t>(report.warm_up_requests), report.results.back());
    }
  return report;
}

}  // namespace servecast
