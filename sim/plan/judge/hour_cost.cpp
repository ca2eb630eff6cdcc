#include "sim/plan/judge/hour_cost.h"

#include <algorithm>

#include "models/base/units.h"
#include "models/hw/power_cost/cost.h"
#include "sim/plan/judge/sizer.h"
#include "sim/plan/study/study.h"
#include "sim/report/summary/summary.h"

namespace servecast {

std::optional<HourCost> hour_cost(const Study& study, const SizedDesign& sized, const std::string& term,
                                  const Summary& run) {
  const auto machines = usd_per_hour(sized.machines, study.spec.prices, term, mean_w(run));
  if (!machines) return std::nullopt;
  return HourCost{.machines_usd = *machines, .outside_usd = outside_usd_per_hour(run)};
}

HourCost hour_cost(const Study& study, const SizedDesign& sized, const Summary& run) {
  return hour_cost(study, sized, study.spec.prices.term, run).value();
}

std::optional<std::string> over_budget(const Study& study, const SizedDesign& sized, const Summary& run) {
  return over_budget(sized.machines, study.spec.budgets, hour_cost(study, sized, run).usd());
}

double mean_w(const Summary& run) { return run.duration_s > 0 ? run.energy.j_total / run.duration_s : 0; }

double outside_usd_per_hour(const Summary& run) {
  double usd = 0;
  for (const BillSummary& line : run.gateway.bill)
    if (line.item != "GPUs" && line.item != "all") usd += line.usd;
  return run.duration_s > 0 ? usd / run.duration_s * seconds_per_hour : 0;
}

bool asks_outside(const Summary& run) {
  return std::ranges::any_of(run.gateway.answered_by, [&](const AnsweredBy& by) {
    return by.passes > 0 &&
           std::ranges::find(run.gateway.bill, "API " + by.target, &BillSummary::item) != run.gateway.bill.end();
  });
}

}  // namespace servecast
