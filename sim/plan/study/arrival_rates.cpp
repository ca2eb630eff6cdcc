#include "sim/plan/study/arrival_rates.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/input/resolve/load_scenario.h"
#include "sim/input/trace/rows/workload_notes.h"
#include "sim/input/trace/workload/workload_spec.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Those of the first and of all up to `last`.
struct Walk {
  ArrivalRates rates{};
  bool open_loop = true;
};

Walk walk(const WorkloadSpec& spec, WorkloadContext context, std::int64_t first,
          std::optional<std::int64_t> last = std::nullopt) {
  WorkloadNotes notes;
  context.notes = &notes;
  const auto workload = make_workload(spec, context);
  Walk seen;
  double begin_s = 0;
  std::int64_t count = 0;
  while (count < last.value_or(count + 1)) {
    const auto request = workload->next();
    if (!request) break;
    seen.open_loop = seen.open_loop && !request->awaited;
    if (count++ == 0) begin_s = request->arrival_s;
    const double span_s = request->arrival_s - begin_s;
    if (span_s <= 0) continue;
    seen.rates.all_per_s = static_cast<double>(count) / span_s;
    if (count <= first) seen.rates.first_per_s = seen.rates.all_per_s;
  }
  return seen;
}

}  // namespace

ArrivalRates rates_of_trace(const std::string& trace, std::int64_t first) {
  WorkloadSpec spec;
  spec.source.trace = TraceSpec{.path = fs::absolute(trace).string()};
  return walk(spec, {.seed = 1}, first).rates;
}

ArrivalRates rates_of_scenario(const std::string& scenario, std::int64_t first) {
  HardwareFiles files;
  YamlText text = YamlText::load(scenario);
  const ScenarioSpec spec = size_scenario(text, files).spec;
  WorkloadContext context{.seed = static_cast<std::uint64_t>(spec.seed),
                          .base_folder = fs::path(scenario).parent_path()};
  for (const PoolSpec& pool : spec.pools) context.pools.push_back(pool.name);
  const Walk all = walk(spec.workload, context, first, spec.first_requests);
  return all.open_loop ? all.rates : ArrivalRates{};
}

double poisson_sample_per_s(double requests_per_s, std::int64_t requests, std::uint64_t seed) {
  WorkloadSpec spec;
  GenerateSpec& made_up = spec.source.generate.emplace().generate;
  made_up.requests = requests;
  made_up.arrivals.poisson = PoissonSpec{.requests_per_s = requests_per_s};
  made_up.prompt_tokens.fixed = made_up.output_tokens.fixed = 1;  // lengths do not move arrivals
  return walk(spec, {.seed = seed}, requests).rates.all_per_s;
}

}  // namespace servecast
