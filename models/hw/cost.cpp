#include "models/hw/cost.h"

#include <algorithm>
#include <cassert>

#include "models/base/stable_math.h"

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

double enough_up_fraction(std::int64_t needed, std::int64_t there, double up_fraction) {
  if (up_fraction >= 1) return 1;
  double enough = 0;
  double log_ways = 0;  // of (there over up), from `up` = there downwards
  for (std::int64_t up = there; up >= needed; --up) {
    const auto down = static_cast<double>(there - up);
    enough += stable::exp(log_ways + static_cast<double>(up) * stable::log(up_fraction) +
                          down * stable::log(1 - up_fraction));
    if (up > 0) log_ways += stable::log(static_cast<double>(up)) - stable::log(down + 1);
  }
  return std::min(enough, 1.0);
}

std::int64_t spare_machines(std::int64_t needed, double up_fraction, double target_fraction) {
  assert(up_fraction > 0 && target_fraction < 1);
  std::int64_t spare = 0;
  while (enough_up_fraction(needed, needed + spare, up_fraction) < target_fraction) ++spare;
  return spare;
}

}  // namespace servecast
