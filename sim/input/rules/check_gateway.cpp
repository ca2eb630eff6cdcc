#include "sim/input/rules/check_gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/names.h"
#include "models/hw/llm/answer_loss.h"
#include "sim/input/scenario/pool_group.h"
#include "sim/input/scenario/scenario.h"

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
  for (const SettingProblem& problem : policy->problems())
    text.fail(problem.key.empty() ? path_of(i) : path_of(i) + "." + problem.key, problem.text);
  for (const NamedTarget& target : policy->targets())
    if (std::ranges::find(names, target.name) == names.end())
      text.fail(path_of(i) + "." + target.key, unknown_name("pool or API tier", target.name, names));
  for (const NamedTarget& target : policy->scored())
    if (!is_scored(spec, target.name))
      text.fail(path_of(i) + "." + target.key,
                fmt::format("'{}' needs to know how good the answers of '{}' are: give 'quality' an entry for it",
                            stage.policy(), target.name));
  const auto reviews = [](const GatewaySpec& later) { return later.stage.make()->reviews(); };
  if (policy->wants_review() &&
      std::none_of(spec.gateway.begin() + static_cast<std::ptrdiff_t>(i), spec.gateway.end(), reviews))
    text.fail(path_of(i) + ".policy",
              fmt::format("no stage reviews what '{}' wants reviewed: put 'fast_slow' behind it", stage.policy()));
}

using Stages = std::vector<std::unique_ptr<GatewayPolicy>>;

/// The first asks for more LLM calls after answers that the second has planned.
bool share_requests(const GatewayPolicy& asking, const TaskPlanner& planner) {
  const auto after = asking.again_after();
  const auto only = planner.only_for();
  return !after || !only || *after == *only;
}

/// A graph has the last word on which target is asked what.
void check_graph(YamlText& text, const ScenarioSpec& spec, const Stages& stages, std::size_t graph) {
  const auto name = [&](std::size_t i) { return spec.gateway[i].stage.policy(); };
  if (graph + 1 < stages.size())
    text.fail(path_of(graph) + ".policy",
              fmt::format("'{}' must be the last stage: put '{}' before it", name(graph), name(graph + 1)));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i]->asks_again() && share_requests(*stages[i], *stages[graph]->planner()))
      text.fail(path_of(graph) + ".policy",
                fmt::format("'{}' plans all LLM calls, but '{}' asks for more: take one of "
                            "the two",
                            name(graph), name(i)));
    if (stages[i]->jobs() && stages[graph]->planner()->streams())
      text.fail(path_of(graph) + ".streamed",
                fmt::format("the answer to a job goes out as a whole: leave 'streamed' out, or '{}'", name(i)));
  }
}

/// A job must not be over while its LLM calls are to come.
void check_jobs(YamlText& text, const ScenarioSpec& spec, const Stages& stages, std::size_t jobs) {
  const auto name = [&](std::size_t i) { return spec.gateway[i].stage.policy(); };
  for (std::size_t i = 0; i < jobs; ++i) {
    if (stages[i]->asks_again())
      text.fail(path_of(jobs) + ".policy",
                fmt::format("a job is over before '{}' asks for another LLM call: put '{}' before it", name(i),
                            name(jobs)));
    if (stages[i]->jobs()) text.fail(path_of(jobs) + ".policy", "there is a queue of jobs already");
  }
  const auto widest = stages[jobs]->jobs()->widest();
  if (const std::int64_t width = graph_width(spec); widest && *widest < width)
    text.fail(
        path_of(jobs) + ".workers",
        fmt::format("no job could start with {} workers: the graph has {} LLM calls side by side; have as many, or "
                    "give 'parts'",
                    *widest, width));
}

void check_order(YamlText& text, const ScenarioSpec& spec) {
  Stages stages;
  for (const GatewaySpec& entry : spec.gateway) stages.push_back(entry.stage.make());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i]->planner()) check_graph(text, spec, stages, i);
    if (stages[i]->jobs()) check_jobs(text, spec, stages, i);
  }
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

/// Settings beside the table of scores: for the classes that it names and for all others.
void check_scores(YamlText& text, const ScenarioSpec& spec) {
  ClassNames classes;
  const AnswerQuality quality = answer_quality(spec, classes);
  const GatewayContext context{.targets = target_names(spec), .quality = quality};
  for (std::size_t i = 0; i < spec.gateway.size(); ++i)
    for (std::size_t c = 0; c < classes.all().size(); ++c) {
      const auto problems = spec.gateway[i].stage.make()->problems_with(context, static_cast<ClassId>(c));
      for (const SettingProblem& problem : problems) text.fail(path_of(i) + "." + problem.key, problem.text);
      if (!problems.empty()) break;
    }
}

std::string reuse_problem(const Pool& from, const Pool& to, const NodeGroups& groups) {
  if (!(from.llm == to.llm))
    return fmt::format("'{}' runs {}, which cannot go on from the KV of {}: take kv_reuse: text_prefix", to.spec.name,
                       to.spec.llm, from.spec.llm);
  if (from.spec.kv_cache_dtype != to.spec.kv_cache_dtype)
    return fmt::format("'{}' keeps its KV as {}, '{}' as {}; they must agree", to.spec.name, to.spec.kv_cache_dtype,
                       from.spec.name, from.spec.kv_cache_dtype);
  if (!to.spec.kv_cache.make()->shares_prefixes())
    return fmt::format("kv_cache '{}' of '{}' does not look for what is there already; take paged_prefix or radix",
                       to.spec.kv_cache.policy(), to.spec.name);
  return link_problem(from, to, groups);
}

}  // namespace

std::vector<std::string> target_names(const ScenarioSpec& spec) {
  std::vector<std::string> names;
  for (const PoolSpec& pool : spec.pools) names.push_back(pool.name);
  for (const GatewaySpec& entry : spec.gateway)
    if (const auto policy = entry.stage.make(); const ApiTier* api = policy->api()) names.push_back(api->name());
  return names;
}

std::int64_t graph_width(const ScenarioSpec& spec) {
  std::int64_t width = 1;
  for (const GatewaySpec& entry : spec.gateway)
    if (const auto policy = entry.stage.make(); const TaskPlanner* planner = policy->planner())
      width = std::max(width, planner->width());
  return width;
}

void check_servers(YamlText& text, const ScenarioSpec& spec) {
  if (!spec.pools.empty()) return;
  const auto is_api = [](const GatewaySpec& entry) { return entry.stage.make()->api() != nullptr; };
  if (std::ranges::none_of(spec.gateway, is_api))
    return text.fail("pools", fmt::format("'pools' is {}: nothing would answer; give pools, or a gateway with an "
                                          "api_tier",
                                          text.places.contains("pools") ? "empty" : "missing"));
  for (const char* key : {"cluster", "failures"})
    if (text.places.contains(key))
      text.fail(key, fmt::format("'{}' would be ignored: without pools nothing runs on machines of the scenario; "
                                 "leave it out, or give pools",
                                 key));
}

void check_gateway(YamlText& text, const ScenarioSpec& spec) {
  const std::vector<std::string> names = target_names(spec);
  check_api_names(text, spec, names);
  for (std::size_t i = 0; i < spec.gateway.size(); ++i) check_stage(text, spec, i, names);
  check_order(text, spec);
  check_quality(text, spec, names);
  if (text.problems.empty()) check_scores(text, spec);
}

void check_kv_paths(YamlText& text, const ScenarioSpec& spec, const NodeGroups& groups,
                    const std::vector<Pool>& pools) {
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
                                    : reuse_problem(*from, *to, groups);
    if (!problem.empty()) text.fail(path_of(i) + ".kv_reuse", problem);
  }
}

/// The score of the answers as the pool serves them.
double served_score(const QualitySpec& entry, std::span<const Pool> pools) {
  const auto pool = std::ranges::find(pools, entry.target, [](const Pool& p) { return p.spec.name; });
  if (entry.score_of == "served" || pool == pools.end()) return entry.score;
  const std::optional<AnswerLoss> loss = weights_loss(pool->llm, pool->weights());
  constexpr double percent = 100;
  return std::max(0.0, entry.score - (loss ? loss->points / percent : 0));
}

AnswerQuality answer_quality(const ScenarioSpec& spec, ClassNames& classes, std::span<const Pool> pools) {
  const std::vector<std::string> names = target_names(spec);
  AnswerQuality quality;
  for (const QualitySpec& entry : spec.quality) {
    const auto target = static_cast<TargetId>(std::ranges::find(names, entry.target) - names.begin());
    const bool all = entry.request_class.empty();
    quality.set(target, all ? std::nullopt : std::optional(classes.id(entry.request_class)),
                served_score(entry, pools));
  }
  return quality;
}

}  // namespace servecast
