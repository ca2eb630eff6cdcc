#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s9_mooncake_schedulers {
namespace {

Quantity mean_ttft_s(const std::vector<Override>& router) {
  return figure_of({.scenario = "s9_mooncake_scheduling", .set = router, .trace = "conversation_trace.jsonl"},
                   "ttft_s.mean");
}

}  // namespace

PaperSystem all_figures() {
  const Quantity random = mean_ttft_s({{"pools[0].router.policy", "random"}});
  const Quantity balanced = mean_ttft_s({{"pools[0].router.policy", "least_loaded"}});
  const Quantity local = mean_ttft_s({{"pools[0].router.transfer", "false"}});
  const Quantity global = mean_ttft_s({});
  return {.id = "S9",
          .title = "Mooncake: schedulers",
          .source = "FAST 2025: mean TTFT by scheduler",
          .rows = {{.figure = "random", .unit = as_seconds(), .published = exactly(19.65), .ours = random},
                   {.figure = "load-balance", .unit = as_seconds(), .published = exactly(5.27), .ours = balanced},
                   {.figure = "local cache", .unit = as_seconds(), .published = exactly(3.58), .ours = local},
                   {.figure = "global cache", .unit = as_seconds(), .published = exactly(3.07), .ours = global},
                   {.figure = "random over global",
                    .unit = as_times(1),
                    .published = exactly(6.4),
                    .asked = at_least(4),
                    .ours = random / global},
                   {.figure = "random over load-balance",
                    .unit = as_times(1),
                    .published = exactly(3.73),
                    .asked = at_least(1),
                    .ours = random / balanced},
                   {.figure = "load-balance over local",
                    .unit = as_times(),
                    .published = exactly(1.47),
                    .asked = at_least(1),
                    .ours = balanced / local},
                   {.figure = "local over global",
                    .unit = as_times(),
                    .published = exactly(1.17),
                    .asked = at_least(1),
                    .ours = local / global}}};
}

}  // namespace servecast::s9_mooncake_schedulers
