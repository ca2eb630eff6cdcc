#pragma once
#include <cmath>

#include "models/base/stable_math.h"

namespace servecast {

/// The value below which a standard normal number lies with probability p, 0 < p < 1. Rational approximations by
/// P. Acklam (2003), relative error below 1.2e-9.
inline double normal_quantile(double p) {
  constexpr double tail = 0.02425;
  const auto in_tail = [](double q) {
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q + 3.754408661907416) *
                q +
            1);
  };
  if (p < tail) return in_tail(std::sqrt(-2 * stable::log(p)));
  if (p > 1 - tail) return -in_tail(std::sqrt(-2 * stable::log(1 - p)));
  const double q = p - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1);
}

}  // namespace servecast
