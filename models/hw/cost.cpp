#include "models/hw/cost.h"

#include <cassert>

namespace servecast {

double rent_usd(double usd_per_gpu_hour, std::int64_t gpus, double duration_s) {
  return usd_per_gpu_hour * static_cast<double>(gpus) * (duration_s / seconds_per_hour);
}

double usd_per_million_tokens(double usd, std::int64_t output_tokens) {
  assert(output_tokens > 0);
  return usd / static_cast<double>(output_tokens) * 1e6;
}

double energy_usd(double energy_j, double usd_per_kwh) { return energy_j / joules_per_kwh * usd_per_kwh; }

}  // namespace servecast
