#pragma once
#include <optional>

namespace servecast {

/// Nothing where there is no whole.
inline std::optional<double> ratio(double part, double whole) {
  if (whole <= 0) return std::nullopt;
  return part / whole;
}
inline double per(double part, double whole) { return ratio(part, whole).value_or(0); }

}  // namespace servecast
