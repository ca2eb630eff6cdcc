#include "sim/input/resolve/load_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "sim/input/plugins/named_plugins.h"
#include "sim/input/plugins/plugin.h"
#include "sim/input/resolve/load_pools.h"
#include "sim/input/rules/check_classes.h"
#include "sim/input/rules/check_currency.h"
#include "sim/input/rules/check_failures.h"
#include "sim/input/rules/check_gateway.h"
#include "sim/input/rules/check_placements.h"
#include "sim/input/rules/check_scaling.h"
#include "sim/input/rules/label_use.h"
#include "sim/input/yaml/try_at.h"

namespace servecast {
namespace {

void check_names(YamlText& text, const std::vector<PoolSpec>& pools) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const std::string path = fmt::format("pools[{}].name", i);
    if (pools[i].name.empty()) text.fail(path, "is empty; give the pool a name");
    const auto [named, fresh] = first.emplace(pools[i].name, i);
    if (!fresh) text.fail(path, fmt::format("'{}' is the name of pools[{}] already", pools[i].name, named->second));
  }
}

std::vector<std::string> pool_names(const std::vector<PoolSpec>& pools) {
  std::vector<std::string> names;
  for (const PoolSpec& pool : pools) names.push_back(pool.name);
  return names;
}

std::string workload_text(const WorkloadSpec& spec) {
  const auto source = [](const SourceSpec& s) {
    return s.trace ? "trace " + s.trace->path : std::string("generated");
  };
  std::string text = spec.mix.empty() ? source(spec.source) : "mix of ";
  for (const SourceSpec& s : spec.mix) text += (&s == &spec.mix.front() ? "" : ", ") + source(s);
  return text;
}

/// Those of the command line are part of the scenario, so that its settings say all.
void add_plugins_for_all(ScenarioSpec& spec) {
  for (const std::string& name : plugins_for_all())
    if (std::ranges::find(spec.plugins, name) == spec.plugins.end()) spec.plugins.push_back(name);
}

ScenarioSpec read_spec(YamlText& text) {
  load_named_plugins(text);
  ScenarioSpec spec;
  YamlFields fields(text);
  spec.fields(fields);
  fields.finish();
  add_plugins_for_all(spec);
  check_cluster(text, spec);
  text.throw_problems();
  settle_currency(text, spec);
  check_servers(text, spec);
  text.throw_problems();
  check_names(text, spec.pools);
  check_labels(text, spec);
  check_classes(text, spec);
  check_gateway(text, spec);
  return spec;
}

/// Throws what is wrong with the names that pools give.
void look_up_pools(YamlText& text, const ScenarioSpec& spec, HardwareFiles& files) {
  for (std::size_t i = 0; i < spec.pools.size(); ++i) {
    const PoolSpec& pool = spec.pools[i];
    const std::string path = fmt::format("pools[{}]", i);
    const auto at = [&](const char* key) { return text.place(path + key); };
    try_at(text, path + ".llm", [&] { files.llm(pool.llm, at(".llm"), text.file); });
    try_at(text, path + ".gpu", [&] { files.gpu(pool.gpu, at(".gpu"), text.file); });
    try_at(text, path + ".engine", [&] { files.engine(pool.engine, at(".engine"), text.file); });
  }
  text.throw_problems();
}

void open_workload(YamlText& text, Scenario& scenario) {
  scenario.notes = std::make_unique<WorkloadNotes>();
  scenario.workload_text = workload_text(scenario.spec.workload);
  const WorkloadContext context{.seed = static_cast<std::uint64_t>(scenario.spec.seed),
                                .base_folder = std::filesystem::path(text.file).parent_path(),
                                .pools = pool_names(scenario.spec.pools),
                                .text = &text,
                                .notes = scenario.notes.get()};
  try_at(text, "workload", [&] { scenario.workload = make_workload(scenario.spec.workload, context); });
  scenario.workload = transform(std::move(scenario.workload), {.limit = scenario.spec.first_requests});
  text.throw_problems();
}

}  // namespace

bool Pool::sends(Reach reach) const {
  const std::int64_t stage = shape().gpus_per_stage();
  if (places.empty() || stage == 1) return false;
  const std::vector<GpuPlace>& gpus = places.front().gpus;
  const std::int64_t node = gpus.front().node;
  return reach == Reach::inside_node ? gpus[1].node == node : gpus[static_cast<std::size_t>(stage - 1)].node != node;
}

Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides) {
  HardwareFiles files;
  return load_scenario(file, overrides, files);
}

Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides, HardwareFiles& files) {
  YamlText text = YamlText::load(file);
  for (const Override& o : overrides) text.set(o.path, o.value);
  Scenario scenario;
  scenario.spec = read_spec(text);
  scenario.changed_hardware = settle_hardware_changes(text, scenario.spec, files);
  scenario.groups = look_up_groups(text, scenario.spec, files);
  scenario.pools =
      load_pools(text, scenario.spec, {.groups = scenario.groups, .files = files, .profiles = &scenario.profiles});
  text.throw_problems();
  check_placements(text, scenario.groups, scenario.pools);
  check_kv_paths(text, scenario.spec, scenario.groups, scenario.pools);
  check_failures(text, scenario.spec, scenario.groups, scenario.pools);
  check_scaling(text, scenario.spec, scenario.pools);
  text.throw_problems();
  scenario.node_uses = node_uses(scenario.pools);
  open_workload(text, scenario);
  scenario.quality = answer_quality(scenario.spec, scenario.notes->classes, scenario.pools);
  return scenario;
}

SizedScenario size_scenario(YamlText& text, HardwareFiles& files) {
  SizedScenario sized;
  sized.spec = read_spec(text);
  settle_hardware_changes(text, sized.spec, files);
  sized.groups = look_up_groups(text, sized.spec, files);
  text.throw_problems();
  look_up_pools(text, sized.spec, files);
  sized.pools = load_pools(text, sized.spec, {.groups = sized.groups, .files = files});
  if (text.problems.empty()) check_placements(text, sized.groups, sized.pools);
  if (text.problems.empty()) check_kv_paths(text, sized.spec, sized.groups, sized.pools);
  sized.impossible = std::move(text.problems);
  return sized;
}

}  // namespace servecast
