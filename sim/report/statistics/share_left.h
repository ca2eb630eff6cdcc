#pragma once
#include <cmath>

namespace servecast {

/// 1 - part / whole; 1 where there is nothing. Sums of spans may be off in their last bits, and what is taken
/// from first to last leaves nothing, not 1e-16.
inline double share_left(double part, double whole) {
  constexpr double rounding = 1e-12;
  if (whole <= 0) return 1;
  const double left = 1 - part / whole;
  return std::abs(left) < rounding ? 0 : left;
}

}  // namespace servecast
