#include "sim/reproduce/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "models/base/error.h"
#include "sim/reproduce/probes/forked.h"
#include "sim/reproduce/probes/public_traces.h"

namespace servecast {
namespace {

/// Those of all rows, slow ones first, so that no processor is idle at the end.
std::vector<ProbePtr> probes_of(const std::vector<PaperSystem>& systems) {
  std::vector<ProbePtr> probes;
  for (const PaperSystem& system : systems)
    for (const PaperRow& row : system.rows)
      for (const ProbePtr& probe : row.ours.probes())
        if (std::ranges::find(probes, probe) == probes.end()) probes.push_back(probe);
  std::ranges::stable_sort(probes, [](const ProbePtr& a, const ProbePtr& b) { return a->slow && !b->slow; });
  return probes;
}

/// The first trace that a probe reads and that is not there; empty where it has all.
std::string missing_trace(const Probe& probe, const PublicTraces& traces) {
  for (const std::string& name : probe.traces)
    if (traces.find(name).empty()) return name;
  return {};
}

ProbeValues measure(const std::vector<ProbePtr>& probes, const PublicTraces& traces,
                    const ReproduceOptions& options) {
  std::vector<ForkedWork> work;
  for (const ProbePtr& probe : probes) work.push_back([&, probe] { return probe->measure(traces); });
  const auto progress = [&](std::size_t done) {
    if (options.progress) options.progress({.done = done, .total = work.size(), .simulated = done});
  };
  const std::vector<ForkedAnswer> answers =
      in_children(work, {.at_a_time = options.at_a_time, .progress = progress, .stop = options.stop});
  ProbeValues values;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (!answers[i].refusal.empty()) throw UserError(probes[i]->name + ": " + answers[i].refusal);
    values[probes[i]] = answers[i].values;
  }
  return values;
}

ReproducedRow row_of(const PaperRow& row, const ProbeValues& values, const PublicTraces& traces) {
  for (const ProbePtr& probe : row.ours.probes())
    if (const std::string name = missing_trace(*probe, traces); !name.empty())
      return {.row = row, .why_not = "needs " + name};
  return {.row = row, .ours = row.ours.value(values)};
}

}  // namespace

PaperVerdict verdict_of(const ReproducedRow& row) {
  if (!row.ours) return PaperVerdict::not_run;
  if (!row.row.asked) return PaperVerdict::told;
  const bool known = !row.row.missed.empty();
  if (row.row.asked->holds(*row.ours)) return known ? PaperVerdict::missed_no_longer : PaperVerdict::holds;
  return known ? PaperVerdict::missed : PaperVerdict::new_miss;
}

std::vector<PaperSystem> quick_rows(std::vector<PaperSystem> systems) {
  for (PaperSystem& system : systems)
    std::erase_if(system.rows, [](const PaperRow& row) {
      return std::ranges::any_of(row.ours.probes(), [](const ProbePtr& probe) { return probe->slow; });
    });
  std::erase_if(systems, [](const PaperSystem& system) { return system.rows.empty(); });
  return systems;
}

std::vector<PaperSystem> systems_called(const std::vector<std::string>& ids) {
  const std::vector<PaperSystem> all = paper_systems();
  std::vector<std::string> known;
  for (const PaperSystem& system : all) known.push_back(system.id);
  std::vector<PaperSystem> found;
  for (const std::string& id : ids) {
    const auto system = std::ranges::find(all, id, &PaperSystem::id);
    if (system == all.end())
      throw UserError(fmt::format("no published system is called '{}'; there are {}", id, fmt::join(known, ", ")));
    found.push_back(*system);
  }
  return found;
}

std::vector<ReproducedSystem> reproduce(const std::vector<PaperSystem>& systems, const ReproduceOptions& options) {
  const PublicTraces traces(options.traces);
  std::vector<ProbePtr> probes = probes_of(systems);
  std::erase_if(probes, [&](const ProbePtr& probe) { return !missing_trace(*probe, traces).empty(); });
  const ProbeValues values = measure(probes, traces, options);
  std::vector<ReproducedSystem> reproduced;
  for (const PaperSystem& system : systems) {
    reproduced.push_back(
        {.id = system.id, .title = system.title, .source = system.source, .example = system.example});
    for (const PaperRow& row : system.rows) reproduced.back().rows.push_back(row_of(row, values, traces));
  }
  return reproduced;
}

}  // namespace servecast
