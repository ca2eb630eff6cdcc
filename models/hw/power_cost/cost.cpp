#include "models/hw/power_cost/cost.h"

#include <cassert>

#include "models/base/binomial.h"
#include "models/base/units.h"

namespace servecast {

double rent_usd(double usd_per_gpu_hour, std::int64_t gpus, double duration_s) {
  return usd_per_gpu_hour * static_cast<double>(gpus) * (duration_s / seconds_per_hour);
}

double usd_per_million_tokens(double usd, std::int64_t output_tokens) {
  assert(output_tokens > 0);
  return usd / static_cast<double>(output_tokens) * 1e6;
}

double energy_usd(double energy_j, double usd_per_kwh) { return energy_j / joules_per_kwh * usd_per_kwh; }

double owned_usd_per_hour(double purchase_usd, double lifetime_s) {
  return purchase_usd / lifetime_s * seconds_per_hour;
}

double power_usd_per_hour(double mean_w, double pue, double usd_per_kwh) {
  return energy_usd(mean_w * pue * seconds_per_hour, usd_per_kwh);
}

double available_fraction(double mtbf_s, double mttr_s) { return mtbf_s / (mtbf_s + mttr_s); }

std::int64_t spare_machines(std::int64_t needed, double up_fraction, double target_fraction) {
  assert(up_fraction > 0 && target_fraction < 1);
  std::int64_t spare = 0;
  while (binomial_at_least(needed, needed + spare, up_fraction) < target_fraction) ++spare;
  return spare;
}

}  // namespace servecast
