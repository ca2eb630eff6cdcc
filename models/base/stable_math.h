#pragma once
#include <cmath>
#include <cstddef>

namespace servecast {

// exp, log and pow that give the same bits on every x86-64 machine. The C library picks a variant by CPU (with or
// without FMA) and the variants differ in the last bit, which is enough to reorder two events. These use only
// additions, multiplications and divisions, which IEEE 754 fixes. Relative error below 4e-16 (pow: times |y ln x|).

namespace stable {

inline constexpr double ln2_high = 0x1.62e42feep-1;       // ln 2, upper 33 bits: k * ln2_high is exact for |k| < 2^20
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;  // the rest

/// Natural logarithm; x must be finite and above 0. log m = 2 atanh((m-1)/(m+1)) with m in [sqrt(1/2), sqrt(2)).
inline double log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;  // s2/3 + s2^2/5 + ... ; the term left out is below 2^-60
  for (int k = 23; k >= 3; k -= 2) sum = s2 * (1.0 / k + sum);
  const double e = exponent;
  return e * ln2_high + (2 * s + (2 * s * sum + e * ln2_low));
}

/// e^x. Taylor series of degree 14 on |r| <= ln(2)/2.
inline double exp(double x) {
  if (x > 709.7) return HUGE_VAL;
  if (x < -745) return 0;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + r * sum / n;
  return std::ldexp(sum, static_cast<int>(k));  // exact
}

/// x^y for x >= 0.
inline double pow(double x, double y) {
  if (x == 0) return y == 0 ? 1 : 0;
  if (x == 1) return 1;  // what the rest gives, too
  return exp(y * log(x));
}

}  // namespace stable
}  // namespace servecast
