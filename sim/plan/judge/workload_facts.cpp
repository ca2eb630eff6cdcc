#include "sim/plan/judge/workload_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/error.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/trace/cache/prefix_set.h"
#include "sim/input/trace/workload/workload_spec.h"

namespace servecast {
namespace {

/// The setting that speeds up one source.
struct Speed {
  std::string path;
  double* rate_scale;
};

std::vector<Speed> speeds_of(SourceSpec& source, const std::string& path) {
  std::vector<Speed> speeds;
  if (source.trace) speeds.push_back({path + ".trace.rate_scale", &source.trace->transform.rate_scale});
  if (source.generate) {
    if (source.generate->generate.arrivals.closed_loop)
      throw UserError(path + ": a closed loop has no rate that could grow; give its clients a dimension instead");
    speeds.push_back({path + ".generate.rate_scale", &source.generate->transform.rate_scale});
  }
  return speeds;
}

std::vector<Speed> speeds_of(WorkloadSpec& workload) {
  std::vector<Speed> speeds = speeds_of(workload.source, "workload");
  for (std::size_t i = 0; i < workload.mix.size(); ++i)
    for (const Speed& speed : speeds_of(workload.mix[i], fmt::format("workload.mix[{}]", i))) speeds.push_back(speed);
  return speeds;
}

/// At least one token of a prompt is always computed.
BoundRequest least(const Request& request, PrefixSet& seen) {
  const auto blocks = static_cast<std::int64_t>(seen.add(request.said()));
  const std::int64_t found = std::min(blocks * request.block_tokens, request.prompt_tokens - 1);
  return {.computed_tokens = request.prompt_tokens - found,
          .found_tokens = found,
          .output_tokens = request.output_tokens};
}

}  // namespace

std::optional<double> WorkloadFacts::arrivals_per_s() const {
  if (!open_loop || requests.size() < 2) return std::nullopt;
  const double span_s = requests.back().arrival_s - requests.front().arrival_s;
  return span_s > 0 ? std::optional(static_cast<double>(count()) / span_s) : std::nullopt;
}

WorkloadFacts read_workload(const ScenarioSpec& spec, const std::string& file, double rate_factor) {
  WorkloadSpec workload = spec.workload;
  if (rate_factor != 1)
    for (const Speed& speed : speeds_of(workload)) *speed.rate_scale *= rate_factor;
  WorkloadNotes notes;
  std::vector<std::string> pools;
  for (const PoolSpec& pool : spec.pools) pools.push_back(pool.name);
  const auto source = make_workload(workload, {.seed = static_cast<std::uint64_t>(spec.seed),
                                               .base_folder = std::filesystem::path(file).parent_path(),
                                               .pools = pools,
                                               .notes = &notes});
  WorkloadFacts facts;
  PrefixSet seen;
  while (const auto request = source->next()) {
    if (request->arrival_s >= spec.until_s.value_or(Request::forever)) break;
    if (facts.count() >= spec.first_requests.value_or(facts.count() + 1)) break;
    facts.requests.push_back({.arrival_s = request->arrival_s,
                              .work = least(*request, seen),
                              .pool = index(request->pool),
                              .request_class = request->request_class});
    if (request->awaited) facts.open_loop = false;
    if (request->output_tokens < 2) facts.several_tokens = false;
  }
  facts.classes = notes.classes.all();
  return facts;
}

std::vector<std::string> faster(const WorkloadSpec& workload, double factor) {
  std::vector<std::string> set;
  if (factor == 1) return set;
  WorkloadSpec copy = workload;
  for (const Speed& speed : speeds_of(copy)) set.push_back(fmt::format("{}={}", speed.path, *speed.rate_scale * factor));
  return set;
}

}  // namespace servecast
