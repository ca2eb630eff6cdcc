#include "models/hw/power_cost/power.h"

#include <algorithm>
#include <cassert>

#include "models/base/stable_math.h"

namespace servecast {

double step_power_w(const PowerDraw& power, const StageTime& step, double cap_w) {
  const double compute = step.seconds > 0 ? step.compute_s / step.seconds : 0;
  const double above_idle_w =
      compute * (power.prefill_w - power.idle_w) + (1 - compute) * (power.decode_w - power.idle_w);
  return std::min(power.idle_w + above_idle_w, cap_w);
}

double clock_fraction(const PowerDraw& power, double cap_w) {
  assert(cap_w > power.idle_w);
  if (cap_w >= power.prefill_w) return 1;
  return stable::pow((cap_w - power.idle_w) / (power.prefill_w - power.idle_w), 1.0 / 3);
}

StageTime at_clock(StageTime step, double clock_fraction) {
  const double slower_s = step.compute_s / clock_fraction;
  step.seconds += slower_s - step.compute_s;
  step.compute_s = slower_s;
  return step;
}

StageTime slowed(StageTime step, double factor) {
  step.seconds *= factor;
  step.compute_s *= factor;
  step.host_s *= factor;
  return step;
}

double overhead_w_per_gpu(const Node& node) { return node.overhead_w / static_cast<double>(node.gpus); }

}  // namespace servecast
