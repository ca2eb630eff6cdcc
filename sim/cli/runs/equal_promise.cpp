#include "sim/cli/runs/equal_promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "sim/cli/program/options.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/input/yaml/yaml_fields.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

constexpr std::int64_t most_replicas = 1024;  // of one pool
constexpr double most_tried = 100'000;        // combinations of several pools

/// The scenario of a request, as far as its sizes go.
SizedScenario sized_scenario(const RunRequest& request, std::int64_t replicas) {
  HardwareFiles files;
  YamlText text = YamlText::load(request.scenario);
  for (const Override& change : parse_overrides(request.set)) text.set(change.path, change.value);
  const std::size_t pools = size_scenario(text, files).spec.pools.size();
  for (std::size_t i = 0; i < pools; ++i) text.set(fmt::format("pools[{}].replicas", i), std::to_string(replicas));
  return size_scenario(text, files);
}

/// Nodes for all pools at that many replicas: only those that carry any are paid for.
std::vector<std::string> room_for(const SizedScenario& scenario) {
  std::int64_t gpus = 0;
  for (const Pool& pool : scenario.pools) gpus += pool.gpus();
  std::vector<std::string> set;
  const std::vector<NodeGroupSpec>& groups = scenario.spec.cluster.groups;
  const auto nodes = [&](std::size_t group) {
    const std::int64_t each = std::max<std::int64_t>(1, scenario.groups[group].node.gpus);
    return (gpus + each - 1) / each + static_cast<std::int64_t>(scenario.pools.size());
  };
  if (groups.empty()) set.push_back(fmt::format("cluster.nodes={}", nodes(0)));
  for (std::size_t i = 0; i < groups.size(); ++i)
    set.push_back(fmt::format("cluster.groups[{}].nodes={}", i, nodes(i)));
  return set;
}

std::string study_of(const RunRequest& request, const std::vector<std::string>& room, std::size_t pools,
                     std::int64_t most) {
  std::string text = "scenario: " + yaml_text(std::filesystem::absolute(request.scenario).string()) + "\nset:\n";
  for (const std::vector<std::string>* words : {&request.set, &room})
    for (const std::string& word : *words) text += "  - " + yaml_text(word) + "\n";
  if (request.seed) text += fmt::format("  - seed={}\n", *request.seed);
  text += "promise: {certainty: best_estimate}\nspace:\n";
  for (std::size_t i = 0; i < pools; ++i)
    text += fmt::format("  - {{name: replicas{}, path: \"pools[{}].replicas\", from: 1, to: {}}}\n",
                        pools == 1 ? "" : fmt::format("_{}", i), i, most);
  return text;
}

std::optional<Resized> within(const RunRequest& request, Evaluator& evaluator, std::int64_t most) {
  const SizedScenario scenario = sized_scenario(request, most);
  const std::vector<std::string> room = room_for(scenario);
  const ScratchFolder folder;
  const std::string file = folder / "study.yaml";
  write_text(file, study_of(request, room, scenario.pools.size(), most));
  const Study study = load_study(file);
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator);
  if (found.best.empty()) return std::nullopt;
  const Design& design = found.designs[found.best.front()].sized.design;
  Resized resized{.set = room, .words = words(study, design)};
  for (std::size_t i = 0; i < study.dimensions.size(); ++i)
    resized.set.push_back(fmt::format("pools[{}].replicas={}", i, value_name(study, design, i)));
  return resized;
}

}  // namespace

Resized resized(const RunRequest& request, Evaluator& evaluator) {
  const std::size_t pools = sized_scenario(request, 1).spec.pools.size();
  if (pools == 0) throw UserError({request.scenario}, "has no pools that could be resized");
  double designs = 1;
  for (std::int64_t most = 8; most <= most_replicas; most *= 4) {
    designs = 1;
    for (std::size_t i = 0; i < pools; ++i) designs *= static_cast<double>(most);
    if (designs > most_tried) break;
    if (auto found = within(request, evaluator, most)) return *found;
  }
  throw UserError(
      {request.scenario},
      "keeps its promise with no number of replicas that was tried; see `servecast plan` for other changes");
}

}  // namespace servecast
