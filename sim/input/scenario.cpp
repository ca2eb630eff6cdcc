#include "sim/input/scenario.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/input/check_placements.h"
#include "sim/input/hardware.h"
#include "sim/input/label_use.h"
#include "sim/input/load_pools.h"
#include "sim/input/try_at.h"

namespace servecast {
namespace {

void check_names(YamlText& text, const std::vector<PoolSpec>& pools) {
  for (std::size_t i = 0; i < pools.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (pools[i].name == pools[j].name)
        text.fail(fmt::format("pools[{}].name", i),
                  fmt::format("'{}' is the name of pools[{}] already", pools[i].name, j));
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

Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides) {
  YamlText text = YamlText::load(file);
  for (const Override& o : overrides) text.set(o.path, o.value);
  Scenario scenario;
  YamlFields fields(text);
  scenario.spec.fields(fields);
  fields.finish();
  text.throw_problems();

  ScenarioSpec& spec = scenario.spec;
  check_names(text, spec.pools);
  check_labels(text, spec);
  try_at(text, "cluster.node",
         [&] { scenario.node = load_node(spec.cluster.node, text.place("cluster.node"), file); });
  try_at(text, "cluster.fabric",
         [&] { scenario.fabric = load_fabric(spec.cluster.fabric, text.place("cluster.fabric"), file); });
  text.throw_problems();
  if (spec.cluster.nodes > 1 && scenario.node.nics == 0)
    text.fail("cluster.nodes", fmt::format("'{}' has no network port, so there can be only one", spec.cluster.node));
  scenario.pools = load_pools(text, spec, scenario.node, scenario.fabric);
  text.throw_problems();
  check_placements(text, scenario.pools);
  text.throw_problems();
  open_workload(text, scenario);
  return scenario;
}

}  // namespace servecast
