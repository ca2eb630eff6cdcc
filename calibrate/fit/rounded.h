#pragma once
#include <cmath>

namespace servecast {

/// To so many significant digits, as profiles keep numbers.
inline double rounded(double value, int digits) {
  if (value == 0) return 0;
  const double unit = std::pow(10, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
  return std::round(value * unit) / unit;
}

}  // namespace servecast
