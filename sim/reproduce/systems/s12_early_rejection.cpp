#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s12_early_rejection {
namespace {

Quantity turned_away(const std::string& admission) {
  return figure_of({.scenario = "s12_early_rejection",
                    .set = {{"pools[0].admission", "{policy: " + admission + ", ttft_slo_s: 4, tbt_slo_s: 0.021}"}},
                    .trace = "conversation_trace.jsonl"},
                   "requests.shed");
}

}  // namespace

PaperSystem all_figures() {
  const FigureUnit requests{.digits = 0, .unit = " requests"};
  const Quantity by_stage = turned_away("reject_by_stage");
  const Quantity early = turned_away("early_reject");
  const Quantity predicted = turned_away("early_reject_predicted, decode_s: 7.2");
  return {
      .id = "S12",
      .title = "Mooncake: early rejection",
      .source = "arXiv 2407.00079: requests turned away, 23,000 there, 12,031 here; an example, not a reproduction",
      .rows = {{.figure = "looked at stage by stage", .unit = requests, .published = exactly(4183), .ours = by_stage},
               {.figure = "both loads on arrival", .unit = requests, .published = exactly(3771), .ours = early},
               {.figure = "with decode's load predicted",
                .unit = requests,
                .published = exactly(3589),
                .ours = predicted},
               {.figure = "predicted over early",
                .unit = as_times(),
                .published = exactly(0.95),
                .asked = at_most(1),
                .ours = predicted / early},
               {.figure = "predicted over by stage",
                .unit = as_times(),
                .published = exactly(0.86),
                .asked = at_most(1),
                .ours = predicted / by_stage},
               {.figure = "early over by stage",
                .unit = as_times(),
                .published = exactly(0.90),
                .asked = at_most(1),
                .ours = early / by_stage,
                .missed = "the swing of loads costs more here than prompts computed in vain"}},
      .example = true};
}

}  // namespace servecast::s12_early_rejection
