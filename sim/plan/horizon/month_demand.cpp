#include "sim/plan/horizon/month_demand.h"

#include <cmath>

#include "sim/plan/study/study.h"

namespace servecast {
namespace {

/// Three digits, none smaller than the value.
double rounded_up(double value) {
  double unit = 0.01;
  while (value >= 1000 * unit) unit *= 10;
  while (value < 100 * unit) unit /= 10;
  return std::ceil(value / unit - 1e-9) * unit;
}

double grown(const HorizonSpec& h, std::int64_t month, double growth_error) {
  if (!h.rate_factors.empty())
    return std::max(0.01, 1 + (h.rate_factors[static_cast<std::size_t>(month)] - 1) * (1 + growth_error));
  double factor = 1;
  for (std::int64_t m = 0; m < month; ++m) factor *= 1 + h.growth_fraction_per_month * (1 + growth_error);
  return factor;
}

}  // namespace

std::vector<MonthDemand> month_demands(const HorizonSpec& h, double growth_error) {
  std::vector<MonthDemand> months;
  for (std::int64_t m = 0; m < h.months; ++m) {
    MonthDemand month{.rate_factor = grown(h, m, growth_error)};
    if (!h.seasons.empty()) month.rate_factor *= h.seasons[static_cast<std::size_t>(m) % h.seasons.size()];
    month.rate_factor = rounded_up(month.rate_factor);
    for (const PeriodSpec& period : h.periods)
      if (period.from_month <= m + 1) month.set.insert(month.set.end(), period.set.begin(), period.set.end());
    months.push_back(std::move(month));
  }
  return months;
}

Study study_of(const Study& study, const MonthDemand& month) {
  Study copy = study;
  copy.spec.demand.growth_factor *= month.rate_factor;
  copy.spec.set.insert(copy.spec.set.end(), month.set.begin(), month.set.end());
  return copy;
}

}  // namespace servecast
