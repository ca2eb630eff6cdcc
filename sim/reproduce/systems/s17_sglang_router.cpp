#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s17_sglang_router {
namespace {

/// Requests per second, share of prompt tokens found in a cache.
ProbePtr routed(const std::vector<Override>& set) {
  return run_probe({.scenario = "s17_sglang_cache_aware", .set = set},
                   {figure_at("requests_per_s"), prompt_hit_fraction});
}

}  // namespace

PaperSystem all_figures() {
  const ProbePtr aware = routed({});
  const ProbePtr by_turns = routed({{"pools[0].router.policy", "round_robin"}});
  return {.id = "S17",
          .title = "SGLang router",
          .source = "SGLang v0.4: cache-aware routing against round robin",
          .rows = {{.figure = "throughput",
                    .unit = as_times(),
                    .published = exactly(1.9),
                    .asked = at_least(1.3),
                    .ours = Quantity(aware) / by_turns},
                   {.figure = "hits",
                    .unit = as_times(1),
                    .published = exactly(3.8),
                    .asked = at_least(2),
                    .ours = Quantity(aware, 1) / Quantity(by_turns, 1)},
                   {.figure = "hits, cache-aware",
                    .unit = as_percent(),
                    .published = exactly(0.75),
                    .ours = Quantity(aware, 1)},
                   {.figure = "hits, round robin",
                    .unit = as_percent(),
                    .published = exactly(0.2),
                    .ours = Quantity(by_turns, 1)}}};
}

}  // namespace servecast::s17_sglang_router
