#include "sim/input/check_gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/names.h"

namespace servecast {
namespace {

std::string path_of(std::size_t stage) { return fmt::format("gateway[{}]", stage); }

void check_api_names(YamlText& text, const ScenarioSpec& spec, const std::vector<std::string>& names) {
  std::size_t at = spec.pools.size();
  for (std::size_t i = 0; i < spec.gateway.size(); ++i) {
    if (!spec.gateway[i].stage.make()->api()) continue;
    if (std::ranges::find(names, names[at]) != names.begin() + static_cast<std::ptrdiff_t>(at))
      text.fail(path_of(i) + ".name",
                fmt::format("'{}' is the name of a pool or another API tier already", names[at]));
    ++at;
  }
}

bool is_scored(const ScenarioSpec& spec, const std::string& target) {
  return std::ranges::find(spec.quality, target, &QualitySpec::target) != spec.quality.end();
}

void check_stage(YamlText& text, const ScenarioSpec& spec, std::size_t i, const std::vector<std::string>& names) {
  const Choice<GatewayPolicy>& stage = spec.gateway[i].stage;
  const auto policy = stage.make();
  if (const auto problem = policy->problem()) text.fail(path_of(i), *problem);
  for (const NamedTarget& target : policy->targets())
    if (std::ranges::find(names, target.name) == names.end())
      text.fail(path_of(i) + "." + target.key, unknown_name("pool or API tier", target.name, names));
  for (const NamedTarget& target : policy->scored())
    if (!is_scored(spec, target.name))
      text.fail(path_of(i) + "." + target.key,
                fmt::format("'{}' needs to know how good the answers of '{}' are: give 'quality' an entry for it",
                            stage.policy(), target.name));
  const auto reviews = [](const GatewaySpec& later) { return later.stage.policy() == "fast_slow"; };
  if (stage.policy() == "dual_threshold" &&
      std::none_of(spec.gateway.begin() + static_cast<std::ptrdiff_t>(i), spec.gateway.end(), reviews))
    text.fail(path_of(i) + ".policy",
              "nobody reviews what 'dual_threshold' wants reviewed: put 'fast_slow' behind it");
}

void check_quality(YamlText& text, const ScenarioSpec& spec, const std::vector<std::string>& names) {
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < spec.quality.size(); ++i) {
    const QualitySpec& entry = spec.quality[i];
    const std::string path = fmt::format("quality[{}]", i);
    if (std::ranges::find(names, entry.target) == names.end())
      text.fail(path + ".target", unknown_name("pool or API tier", entry.target, names));
    if (!seen.emplace(entry.target, entry.request_class).second)
      text.fail(path, fmt::format("there is an entry for '{}'{} already", entry.target,
                                  entry.request_class.empty() ? "" : " and class '" + entry.request_class + "'"));
  }
}

void check_readers(YamlText& text, const ScenarioSpec& spec) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < spec.perceived.size(); ++i)
    if (!seen.insert(spec.perceived[i].request_class).second)
      text.fail(fmt::format("perceived[{}]", i), "there is an entry for this class already");
}

std::string problem_between(const Pool& from, const Pool& to) {
  if (!(from.llm == to.llm))
    return fmt::format("'{}' runs {}, which cannot go on from the KV of {}: take kv_reuse: text_prefix", to.spec.name,
                       to.spec.llm, from.spec.llm);
  if (from.spec.kv_cache_dtype != to.spec.kv_cache_dtype)
    return fmt::format("'{}' keeps its KV as {}, '{}' as {}; they must agree", to.spec.name, to.spec.kv_cache_dtype,
                       from.spec.name, from.spec.kv_cache_dtype);
  if (!to.spec.kv_cache.make()->shares_prefixes())
    return fmt::format("kv_cache '{}' of '{}' does not look for what is there already; take paged_prefix or radix",
                       to.spec.kv_cache.policy(), to.spec.name);
  return {};
}

}  // namespace

std::vector<std::string> target_names(const ScenarioSpec& spec) {
  std::vector<std::string> names;
  for (const PoolSpec& pool : spec.pools) names.push_back(pool.name);
  for (const GatewaySpec& entry : spec.gateway)
    if (const auto policy = entry.stage.make(); const ApiTier* api = policy->api()) names.push_back(api->name());
  return names;
}

void check_gateway(YamlText& text, const ScenarioSpec& spec) {
  const std::vector<std::string> names = target_names(spec);
  check_api_names(text, spec, names);
  for (std::size_t i = 0; i < spec.gateway.size(); ++i) check_stage(text, spec, i, names);
  check_quality(text, spec, names);
  check_readers(text, spec);
}

void check_kv_paths(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools) {
  const auto pool = [&](const std::string& name) {
    return std::ranges::find(pools, name, [](const Pool& p) { return p.spec.name; });
  };
  for (std::size_t i = 0; i < spec.gateway.size(); ++i) {
    const auto path = spec.gateway[i].stage.make()->kv_path();
    if (!path) continue;
    const auto from = pool(path->from);
    const auto to = pool(path->to);
    const std::string problem = from == pools.end() || to == pools.end()
                                    ? "KV goes from pool to pool; an API gives none away and takes none"
                                    : problem_between(*from, *to);
    if (!problem.empty()) text.fail(path_of(i) + ".kv_reuse", problem);
  }
}

AnswerQuality answer_quality(const ScenarioSpec& spec, ClassNames& classes) {
  const std::vector<std::string> names = target_names(spec);
  AnswerQuality quality;
  for (const QualitySpec& entry : spec.quality) {
    const auto target = static_cast<TargetId>(std::ranges::find(names, entry.target) - names.begin());
    const bool all = entry.request_class.empty();
    quality.set(target, all ? std::nullopt : std::optional(classes.id(entry.request_class)), entry.score);
  }
  return quality;
}

}  // namespace servecast
