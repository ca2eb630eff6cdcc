#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s20_fast_slow {
namespace {

constexpr double slow_yuan = 0.03;  // of a slow answer

Quantity saving(const std::string& reviewed) {
  const ProbePtr run =
      run_probe({.scenario = "s20_fast_slow", .set = {{"gateway[2].review_fraction", reviewed}}},
                {[](const PaperRecords& r) { return *r.summary.gateway.bill.back().usd_per_request; }});
  return 1 - Quantity(run) / slow_yuan;
}

}  // namespace

PaperSystem all_figures() {
  return {.id = "S20",
          .title = "fast and slow",
          .source = "2048 AI community, 2025: 0.0003 and 0.03 yuan, 1.3 % reviewed",
          .rows = {{.figure = "costs cut by, with 1.3 % reviewed",
                    .unit = as_percent(1),
                    .published = exactly(0.45),
                    .ours = saving("0.013"),
                    .not_asked = "contradicts its own prices, 1 - (0.0003 + 0.013 x 0.03) / 0.03 = 97.7 %"},
                   {.figure = "costs cut by, with 54 % reviewed",
                    .unit = as_percent(1),
                    .asked = around(0.45, 0.01),
                    .ours = saving("0.54")}}};
}

}  // namespace servecast::s20_fast_slow
