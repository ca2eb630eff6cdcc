#include "sim/cli/plan_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/escaped.h"
#include "servecast_version.h"
#include "sim/input/hardware.h"
#include "sim/input/scenario.h"
#include "sim/input/yaml_fields.h"
#include "sim/plan/answer.h"
#include "sim/plan/evaluator.h"
#include "sim/plan/runs.h"
#include "sim/plan/search.h"
#include "sim/plan/shard.h"
#include "sim/plan/study.h"
#include "sim/report/json_fields.h"
#include "sim/report/plan_report.h"
#include "sim/report/text_file.h"

namespace servecast {
namespace {

constexpr double bandwidth_step = 0.1;

/// The GPU with this many times its memory bandwidth, kernels scaled to it. JSON is YAML.
std::string gpu_text(const std::string& name, double factor, const std::string& named_in) {
  Gpu gpu = load_gpu(name, Place{}, named_in);
  gpu.hbm_bytes_per_s *= factor;
  if (!gpu.derived()) gpu.kernels_like = gpu.name;
  gpu.kernels.reset();
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  gpu.fields(writer);
  json.erase("kernels");
  return text_of(json);
}

std::string node_text(const std::string& name, double factor, const std::string& named_in) {
  Node node = load_node(name, Place{}, named_in);
  node.nic_bytes_per_s *= factor;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  node.fields(writer);
  return text_of(json);
}

/// A piece of hardware with another bandwidth, as a file of the folder: the path that names it.
std::string changed_file(const std::string& folder, const std::string& name, std::string_view what, double factor,
                         const std::string& text) {
  const std::string stem = std::filesystem::path(name).stem().string();
  const auto file = std::filesystem::path(folder) / fmt::format("{}_{}_{}.yaml", stem, what, factor);
  write_text(file.string(), text);
  return std::filesystem::absolute(file).string();
}

/// Every pool of the design on GPUs with more, or less, memory bandwidth; groups of nodes that say which GPU they
/// have say so of this one.
std::vector<std::string> other_memory(const ScenarioSpec& spec, double factor, const std::string& folder,
                                      const std::string& named_in) {
  const auto file = [&](const std::string& gpu) {
    return yaml_text(changed_file(folder, gpu, "bandwidth", factor, gpu_text(gpu, factor, named_in)));
  };
  std::vector<std::string> set;
  for (std::size_t i = 0; i < spec.pools.size(); ++i)
    set.push_back(fmt::format("pools[{}].gpu={}", i, file(spec.pools[i].gpu)));
  for (std::size_t i = 0; i < spec.cluster.groups.size(); ++i) {
    const std::string& gpu = spec.cluster.groups[i].gpu;
    if (gpu.empty() && spec.cluster.groups.size() == 1) continue;  // its pools may have any
    const std::string sold_with = gpu.empty() ? load_node(spec.cluster.groups[i].node, Place{}, named_in).gpu : gpu;
    if (!sold_with.empty()) set.push_back(fmt::format("cluster.groups[{}].gpu={}", i, file(sold_with)));
  }
  return set;
}

/// All nodes with faster, or slower, network ports.
std::vector<std::string> other_ports(const ClusterSpec& cluster, double factor, const std::string& folder,
                                     const std::string& named_in) {
  const auto set_to = [&](const std::string& path, const std::string& node) {
    const std::string file = changed_file(folder, node, "network", factor, node_text(node, factor, named_in));
    return path + "=" + yaml_text(file);
  };
  if (cluster.groups.empty()) return {set_to("cluster.node", cluster.node)};
  std::vector<std::string> set;
  for (std::size_t i = 0; i < cluster.groups.size(); ++i)
    set.push_back(set_to(fmt::format("cluster.groups[{}].node", i), cluster.groups[i].node));
  return set;
}

std::vector<InputChange> bandwidth_changes(Sizer& sizer, const SizedDesign& sized, const std::string& folder) {
  std::vector<InputChange> all;
  const ScenarioSpec spec = sizer.spec_of(sized);
  const std::string& named_in = sizer.scenario_file();
  for (const double factor : {1 - bandwidth_step, 1 + bandwidth_step}) {
    all.push_back(
        {.input = "memory bandwidth", .factor = factor, .set = other_memory(spec, factor, folder, named_in)});
    if (sized.machines.nodes() < 2) continue;
    all.push_back(
        {.input = "network bandwidth", .factor = factor, .set = other_ports(spec.cluster, factor, folder, named_in)});
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
  const auto more = [&](const SizedDesign& sized) { return bandwidth_changes(sizer, sized, folder); };
  PlanReport report = plan_report(study, sizer, runs, found, more);
  report.scenario_file = base_file(study, folder);
  report.version = version;
  return report;
}

std::string simulate_share(const std::string& file, const Shard& share, Evaluator& evaluator) {
  const Study study = load_study(file);
  Sizer sizer(study);
  const SearchResult found = search(study, sizer, evaluator, share);
  const auto judged = std::ranges::count_if(
      found.designs, [](const DesignResult& d) { return d.draws > 0 && d.verdict != Verdict::bound; });
  return fmt::format("share {}/{} of {} designs: {} simulated\n", share.index, share.count, found.designs.size(),
                     judged);
}

PlanReport size_up_study(const std::string& file) {
  /// Asked for nothing where there is no answer to look into.
  struct Nobody final : Evaluator {
    std::vector<RunResult> evaluate(std::span<const RunRequest>) override { return {}; }
  };
  const Study study = load_study(file);
  Sizer sizer(study);
  Nobody nobody;
  Runs runs(sizer, nobody);
  PlanReport report = plan_report(study, sizer, runs, size_up(study, sizer), {});
  report.version = version;
  return report;
}

std::optional<PlanReport> report_by_bounds(const std::string& file) {
  struct WantsSimulations {};
  struct Nobody final : Evaluator {
    std::vector<RunResult> evaluate(std::span<const RunRequest>) override { throw WantsSimulations{}; }
  };
  const Study study = load_study(file);
  Sizer sizer(study);
  Nobody nobody;
  Runs runs(sizer, nobody);
  try {
    return plan_report(study, sizer, runs, search(study, sizer, nobody), {});
  } catch (const WantsSimulations&) {
    return std::nullopt;
  }
}

void refuse_without_answer(const PlanReport& report) {
  if (report.answers.empty())
    throw UserError("no design keeps the promise; " + report.closest + ". " + report.certificate.text);
}

}  // namespace servecast
