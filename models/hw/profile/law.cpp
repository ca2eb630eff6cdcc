#include "models/hw/profile/law.h"

#include <algorithm>

#include "models/base/stable_math.h"

namespace servecast {

LawTime KernelLaw::operator()(const KernelWork& work) const {
  const double slowed = 1 + ramp_length * work.ramp;
  const double c = flop_per_s > 0 ? work.flop / flop_per_s : 0;
  const double b = bytes_per_s > 0 ? work.bytes / bytes_per_s : 0;
  const double larger = std::max(c, b);
  if (larger == 0) return {.seconds = launch_s};
  const double c_power = stable::pow(c / larger, sharpness);  // divided by the larger: no underflow
  const double b_power = stable::pow(b / larger, sharpness);
  const double body_s = slowed * larger * stable::pow(c_power + b_power, 1 / sharpness);
  return {.seconds = launch_s + body_s, .compute_s = body_s * c_power / (c_power + b_power)};
}

}  // namespace servecast
