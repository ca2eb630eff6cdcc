#pragma once
#include <cmath>

#include "models/base/stable_math.h"

namespace servecast {

inline constexpr double normal_p95 = 1.6448536269514722;  // half of a 90 % interval, in standard deviations

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

/// The probability that a standard normal number lies below x. Rational approximation by J. Hart (1968) as given by
/// G. West, "Better approximations to cumulative normal functions" (2005): absolute error below 1e-14.
inline double normal_below(double x) {
  constexpr double far = 37;  // nothing of a double is left there
  constexpr double tail = 7.07106781186547;
  constexpr double root_two_pi = 2.506628274631;
  const double from = std::abs(x);
  double beyond = 0;
  if (from <= far) {
    const double density = stable::exp(-from * from / 2);
    if (from < tail) {
      const double above = ((((((3.52624965998911e-02 * from + 0.700383064443688) * from + 6.37396220353165) * from +
                               33.912866078383) *
                                  from +
                              112.079291497871) *
                                 from +
                             221.213596169931) *
                                from +
                            220.206867912376);
      const double below = (((((((8.83883476483184e-02 * from + 1.75566716318264) * from + 16.064177579207) * from +
                                86.7807322029461) *
                                   from +
                               296.564248779674) *
                                  from +
                              637.333633378831) *
                                 from +
                             793.826512519948) *
                                from +
                            440.413735824752);
      beyond = density * above / below;
    } else {
      beyond = density / (from + 1 / (from + 2 / (from + 3 / (from + 4 / (from + 0.65))))) / root_two_pi;
    }
  }
  return x > 0 ? 1 - beyond : beyond;
}

}  // namespace servecast
