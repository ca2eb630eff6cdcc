#include "tests/matrix/draw/draw_gateway.h"

#include <algorithm>

#include "models/policy/gateway.h"
#include "models/policy/kv_cache.h"
#include "tests/matrix/draw/draw_policy.h"

namespace servecast::matrix {
namespace {

constexpr const char* wants_reviews = "dual_threshold";
constexpr const char* reviews = "fast_slow";

/// Where in a gateway it can stand: jobs before all that asks for more passes, a plan of all passes last.
int rank(const std::string& policy) {
  const auto stage = Registry<GatewayPolicy>::all().at(policy).prepare()->make();
  if (stage->jobs() != nullptr) return 0;
  if (stage->planner() != nullptr) return 5;
  if (policy == wants_reviews) return 2;
  if (policy == reviews) return 3;
  return stage->asks_again() ? 4 : 1;
}

bool asks_again(const std::string& policy) {
  return Registry<GatewayPolicy>::all().at(policy).prepare()->make()->asks_again();
}

std::vector<std::string> draw_policies(Draw draw) {
  const std::vector<std::string> all = drawable<GatewayPolicy>();
  std::vector<std::string> names;
  const std::int64_t count = draw.at("count").between(1, 3);
  for (std::int64_t i = 0; i < count; ++i) names.push_back(draw.at(std::to_string(i)).pick(all));
  if (std::ranges::find(names, wants_reviews) != names.end()) names.push_back(reviews);
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(rank(name), name); });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  while (names.size() > 1 && rank(names[names.size() - 2]) == 5) names.pop_back();  // one of them plans all passes
  const bool again = std::ranges::any_of(names, asks_again);
  std::erase_if(names, [&](const std::string& name) { return again && rank(name) == 5; });
  return names;
}

std::vector<std::string> target_names(const Tree& pools, const std::vector<std::string>& policies) {
  std::vector<std::string> names;
  for (const Tree& pool : pools) names.push_back(pool.at("name"));
  if (std::ranges::find(policies, "api_tier") != policies.end()) names.push_back("api");
  return names;
}

/// Puts names in the place of "$1" and "$2", wherever in the settings these are.
void name_targets(Tree& tree, const std::string& first, const std::string& second) {
  if (tree.is_structured())
    for (Tree& part : tree) name_targets(part, first, second);
  if (tree == "$1") tree = first;
  if (tree == "$2") tree = second;
}

bool reuses_kv(const Tree& pools) {
  return pools.size() == 1 && made<KvCache>(pools[0].at("kv_cache"))->shares_prefixes();
}

}  // namespace

Tree draw_gateway(Draw draw, const Tree& pools) {
  const std::vector<std::string> policies = draw_policies(draw.at("policies"));
  const std::vector<std::string> names = target_names(pools, policies);
  Tree gateway = Tree::array();
  for (const std::string& policy : policies) {
    Draw of = draw.at(policy);
    Tree stage{{"policy", policy}};
    stage.update(draw_settings(of, std::string(GatewayPolicy::kind), policy, schema_of<GatewayPolicy>(policy)));
    name_targets(stage, of.at("$1").pick(names), of.at("$2").pick(names));
    const bool to_itself = policy == reviews && stage.at("fast") == stage.at("slow");
    const bool in_a_pool = reuses_kv(pools) && pools[0].at("name") == stage.value("fast", "");
    if (to_itself && in_a_pool && of.at("kv").chance(0.5)) stage["kv_reuse"] = "same_model_kv";
    gateway.push_back(stage);
  }
  return gateway;
}

Tree draw_quality(Draw draw, const Tree& pools, const Tree& gateway) {
  std::vector<std::string> policies;
  for (const Tree& stage : gateway) policies.push_back(stage.at("policy"));
  Tree quality = Tree::array();
  for (const std::string& name : target_names(pools, policies))
    quality.push_back(
        {{"target", name}, {"score", draw.at(name).pick(std::vector{0.55, 0.7, 0.85})}, {"source", "drawn"}});
  return quality;
}

}  // namespace servecast::matrix
