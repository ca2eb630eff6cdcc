#include "sim/input/resolve/pool_error.h"

#include <algorithm>

namespace servecast {

std::string_view layout_of(const PoolSpec& pool, const ScenarioSpec& scenario) {
  const bool apart = std::ranges::any_of(
      scenario.pools, [](const PoolSpec& other) { return !other.placement.make()->decode_pool().empty(); });
  const bool routed = pool.replicas > 1 && pool.router.make()->has_hops();
  return apart ? "apart" : routed ? "routed" : "one";
}

std::string_view load_of(const WorkloadSpec& workload) {
  const auto closed = [](const SourceSpec& source) {
    return source.generate && source.generate->generate.arrivals.closed_loop;
  };
  const bool all = workload.mix.empty() ? closed(workload.source) : std::ranges::all_of(workload.mix, closed);
  return all ? "closed" : "open";
}

CalibrationDraw calibration_draw(const Pool& pool, double spread, std::uint64_t draw) {
  const CalibrationError* error = error_of(
      pool.engine.errors,
      {.gpu = pool.gpu.name, .experts = pool.llm.experts.has_value(), .layout = pool.layout, .load = pool.load});
  if (error == nullptr) return {};
  Rng rng(draw, "calibration/" + pool.engine.name + "/" + pool.gpu.name);
  return draw_calibration(*error, spread, rng);
}

// Until its first token a request waits for steps, so that both factors are on that time. On what follows only the
// steps' is: no time is shorter than with both.
double fastest_fraction(const Pool& pool, double calibration_spread, std::uint64_t draw) {
  if (draw == 0) return 1;
  double fastest = 1;
  if (std::optional<ProfileUse> kernels = pool.sized_by) {
    kernels->draw = draw;
    kernels->spread = calibration_spread;
    fastest = fastest_fraction(*kernels);
  }
  const CalibrationDraw engine = calibration_draw(pool, calibration_spread, draw);
  return fastest * std::min(1.0, engine.steps_factor) * std::min(1.0, engine.first_token_factor);
}

}  // namespace servecast
