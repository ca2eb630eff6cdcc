#include <fmt/format.h>

#include <array>

#include "sim/input/trace/cache/trace_cache.h"
#include "sim/input/trace/workload/workload_spec.h"
#include "sim/reproduce/probes/public_traces.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s10_mooncake_cache {
namespace {

constexpr std::int64_t block_tokens = 512;
constexpr std::array<std::int64_t, 3> cache_tokens{3'000'000, 10'000'000, 50'000'000};

/// Of all hits that there are, the share that a node's cache of each size reaches, least recently used first.
ProbePtr shares_of_all_hits(const std::string& trace) {
  return own_probe({.scenario = "prefix cache sizes", .trace = trace}, [trace](const PublicTraces& traces) {
    WorkloadSpec workload_spec;
    workload_spec.source.trace = TraceSpec{.path = traces.find(trace)};
    WorkloadNotes notes;
    const auto workload =
        make_workload(workload_spec, {.seed = 1, .base_folder = {}, .pools = {"default"}, .notes = &notes});
    TraceCacheSpec spec{.policies = {"lru"}, .warm_up_fraction = 0};
    for (const std::int64_t tokens : cache_tokens) spec.blocks.push_back(tokens / block_tokens);
    const TraceCacheReport report = replay_through_caches(*workload, spec, notes);
    std::vector<double> shares;
    for (const TraceCacheResult& result : report.results)
      shares.push_back(static_cast<double>(result.hit_tokens) / static_cast<double>(report.unlimited_hit_tokens));
    return shares;
  });
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{.id = "S10",
                     .title = "Mooncake: cache sizes",
                     .source = "FAST 2025: a node's cache, share of all hits that it reaches"};
  struct Curve {
    std::string name, trace;
    double published;  // at 3 million tokens
  };
  for (const Curve& curve :
       {Curve{"conversation", "conversation_trace.jsonl", 0.41}, Curve{"synthetic", "synthetic_trace.jsonl", 0.48}}) {
    const ProbePtr shares = shares_of_all_hits(curve.trace);
    for (std::size_t i = 0; i < cache_tokens.size(); ++i) {
      PaperRow row{.figure = fmt::format("{}, {} million tokens", curve.name, cache_tokens[i] / 1'000'000),
                   .unit = as_percent(1),
                   .ours = Quantity(shares, i)};
      if (i == 0) {
        row.published = exactly(curve.published);
        row.asked = around(curve.published, 0.05);
      }
      if (i == 2) row.asked = at_least(0.98);  // "nearly all"
      system.rows.push_back(std::move(row));
    }
  }
  return system;
}

}  // namespace servecast::s10_mooncake_cache
