#pragma once
#include <cmath>

#include "models/base/fields.h"

namespace servecast {

/// Whether a setting may be that number.
inline bool in_range(const Range& range, double value) {
  return std::isfinite(value) && (range.above_min ? value > range.min : value >= range.min) && value <= range.max;
}

}  // namespace servecast
