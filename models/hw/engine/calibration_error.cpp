#include "models/hw/engine/calibration_error.h"

#include <algorithm>

#include "models/base/normal_quantile.h"
#include "models/base/stable_math.h"

namespace servecast {
double ErrorRange::factor(double normal, double spread) const {
  const double middle = stable::log(p50);
  const double side = normal < 0 ? middle - stable::log(p05) : stable::log(p95) - middle;
  return stable::exp(spread * (middle + normal / normal_p95 * side));
}

bool CalibrationError::is_of(const ServedPool& pool) const {
  return (gpus.empty() || std::ranges::find(gpus, pool.gpu) != gpus.end()) &&
         (models == "any" || (models == "experts") == pool.experts) && (layout == "any" || layout == pool.layout) &&
         (load == "any" || load == pool.load);
}

const CalibrationError* error_of(const std::vector<CalibrationError>& errors, const ServedPool& pool) {
  const auto found = std::ranges::find_if(errors, [&](const CalibrationError& e) { return e.is_of(pool); });
  return found == errors.end() ? nullptr : &*found;
}

}  // namespace servecast
