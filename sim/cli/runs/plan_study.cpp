#include "sim/cli/runs/plan_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "servecast_version.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/yaml/yaml_fields.h"
#include "sim/plan/answer/answer.h"
#include "sim/plan/horizon/ideas.h"
#include "sim/plan/horizon/schedule.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

constexpr double bandwidth_step = 0.1;

/// "gpus.h100_sxm_80g.hbm_bytes_per_s=3.015e+12": a figure with this many times what the design has.
std::string times(double factor, const std::string& setting, double value) {
  return fmt::format("{}={}", setting, factor * value);
}

/// Every pool of the design on GPUs with more, or less, memory bandwidth. None where lookup tables say how long steps
/// take: theirs is not known.
std::set<std::string> other_memory(const ScenarioSpec& spec, double factor, const std::string& named_in) {
  HardwareFiles files;
  std::set<std::string> set;
  for (const PoolSpec& pool : spec.pools) {
    if (pool.latency.model == "table") return {};
    const Gpu& gpu = files.gpu(pool.gpu, Place{}, named_in, spec.hardware);
    set.insert(times(factor, "gpus." + gpu.name + ".hbm_bytes_per_s", gpu.hbm_bytes_per_s));
  }
  return set;
}

/// All nodes with faster, or slower, network ports.
std::set<std::string> other_ports(const ScenarioSpec& spec, double factor, const std::string& named_in) {
  HardwareFiles files;
  std::vector<std::string> nodes;
  for (const NodeGroupSpec& group : spec.cluster.groups) nodes.push_back(group.node);
  if (nodes.empty()) nodes.push_back(spec.cluster.node);
  std::set<std::string> set;
  for (const std::string& name : nodes) {
    const Node& node = files.node(name, Place{}, named_in, spec.hardware);
    set.insert(times(factor, "nodes." + node.name + ".nic_bytes_per_s", node.nic_bytes_per_s));
  }
  return set;
}

std::vector<InputChange> bandwidth_changes(Sizer& sizer, const SizedDesign& sized) {
  std::vector<InputChange> all;
  const ScenarioSpec spec = sizer.spec_of(sized);
  const std::string& named_in = sizer.scenario_file();
  const auto add = [&](const char* input, double factor, const std::set<std::string>& set) {
    if (!set.empty()) all.push_back({.input = input, .factor = factor, .set = {set.begin(), set.end()}});
  };
  for (const double factor : {1 - bandwidth_step, 1 + bandwidth_step}) {
    add("memory bandwidth", factor, other_memory(spec, factor, named_in));
    if (sized.machines.nodes() >= 2) add("network bandwidth", factor, other_ports(spec, factor, named_in));
  }
  return all;
}

/// The base scenario as a file of its own: where it stands in the study, it is written into the folder.
std::string base_file(const Study& study, const std::string& folder) {
  std::filesystem::path file = study.scenario_file;
  if (study.spec.base) {
    file = std::filesystem::path(folder) / "base.yaml";
    write_text(file.string(), YamlText::load(study.scenario_file).text());
  }
  return std::filesystem::absolute(file).lexically_normal().string();
}

}  // namespace

PlanReport plan_study(const std::string& file, const std::string& folder, Evaluator& evaluator) {
  const Study study = load_study(file);
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator);
  Runs runs(sizer, evaluator);
  const auto more = [&](const SizedDesign& sized) { return bandwidth_changes(sizer, sized); };
  PlanReport report = plan_report(study, sizer, runs, found, more);
  report.ideas = ranked_ideas(study, evaluator);
  plan_horizon(study, evaluator, report);
  report.scenario_file = base_file(study, folder);
  report.version = version;
  return report;
}

std::string simulate_share(const std::string& file, const Shard& share, Evaluator& evaluator) {
  const Study study = load_study(file);
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator, share);
  simulate_ideas(study, evaluator, share);
  simulate_horizon(study, evaluator, share);
  const auto judged = std::ranges::count_if(
      found.designs, [](const DesignResult& d) { return d.draws > 0 && d.verdict != Verdict::bound; });
  return fmt::format("share {}/{} of {} designs: {} simulated\n", share.index, share.count, found.designs.size(),
                     judged);
}

PlanReport size_up_study(const std::string& file) {
  /// Asked for nothing where there is no answer to look into.
  struct NoEvaluator final : Evaluator {
    std::vector<RunResult> evaluate(std::span<const RunRequest>) override { return {}; }
  };
  const Study study = load_study(file);
  Sizer sizer(study);
  NoEvaluator no_evaluator;
  Runs runs(sizer, no_evaluator);
  PlanReport report = plan_report(study, sizer, runs, size_up(study, sizer), {});
  report.version = version;
  return report;
}

std::optional<PlanReport> report_by_bounds(const std::string& file) {
  struct WantsSimulations {};
  struct NoEvaluator final : Evaluator {
    std::vector<RunResult> evaluate(std::span<const RunRequest>) override { throw WantsSimulations{}; }
  };
  const Study study = load_study(file);
  Sizer sizer(study);
  NoEvaluator no_evaluator;
  Runs runs(sizer, no_evaluator);
  try {
    return plan_report(study, sizer, runs, search(study, sizer, no_evaluator), {});
  } catch (const WantsSimulations&) {
    return std::nullopt;
  }
}

void refuse_without_answer(const PlanReport& report) {
  if (report.answers.empty())
    throw UserError("no design keeps the promise; " + report.closest + ". " + report.certificate.text);
}

}  // namespace servecast
