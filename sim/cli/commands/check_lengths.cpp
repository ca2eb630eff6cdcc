#include "sim/cli/commands/check_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/input/scenario/scenario.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr std::int64_t most_looked_at = 100'000;  // requests: a moment's work
constexpr auto any_length = std::numeric_limits<std::int64_t>::max();

bool lengths_known(const ScenarioSpec& spec) {
  const auto read_from_file = [](const SourceSpec& source) { return source.trace.has_value(); };
  return spec.gateway.empty() && !read_from_file(spec.workload.source) &&
         std::ranges::none_of(spec.workload.mix, read_from_file);
}

struct PoolLengths {
  std::int64_t most_tokens = any_length;
  std::int64_t arrived = 0;
  std::int64_t too_long = 0;
};

std::string sentence(const PoolSpec& pool, const PoolLengths& lengths) {
  return fmt::format(
      "pool '{}': {} of the first {} requests have prompts longer than {} tokens, the most that batcher '{}' starts; "
      "they will be rejected",
      pool.name, human::count(lengths.too_long), human::count(lengths.arrived), human::count(lengths.most_tokens),
      pool.batcher.policy());
}

}  // namespace

std::vector<std::string> prompts_too_long(Scenario& scenario) {
  std::vector<PoolLengths> pools;
  for (const Pool& pool : scenario.pools)
    pools.push_back({.most_tokens = pool.spec.batcher.make()->max_prompt_tokens()});
  const bool any = std::ranges::any_of(pools, [](const PoolLengths& p) { return p.most_tokens < any_length; });
  if (!any || !lengths_known(scenario.spec)) return {};
  for (std::int64_t i = 0; i < most_looked_at; ++i) {
    const std::optional<Request> request = scenario.workload->next();
    if (!request) break;
    PoolLengths& pool = pools[index(request->pool)];
    pool.arrived += 1;
    pool.too_long += request->prompt_tokens > pool.most_tokens ? 1 : 0;
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (pools[i].too_long > 0) sentences.push_back(sentence(scenario.pools[i].spec, pools[i]));
  return sentences;
}

}  // namespace servecast
