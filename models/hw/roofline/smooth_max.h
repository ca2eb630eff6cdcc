#pragma once
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/base/stable_math.h"

namespace servecast {

/// (1 + x^p)^(1/p) for x >= 0 from a table: the soft "max(1, x)" by which a launch time passes into work.
///
/// 64 points per factor of two, straight lines between: within 4e-5 of the formula for p from 0.7 to 6, rising like
/// it, and no call of pow: this is evaluated for every step of a simulation. Below 2^-40 the answer is 1, above 2^24
/// it is proportional to x.
class SmoothMax {
 public:
  explicit SmoothMax(double p) {
    assert(p > 0);
    for (std::uint64_t i = 0; i <= last - first; ++i) {
      const double x = std::bit_cast<double>((first + i) << step_bits);
      // For large x factor it out, or x^p leaves the range of a double.
      values_.push_back(x <= 1 ? stable::pow(1 + stable::pow(x, p), 1 / p)
                               : x * stable::pow(1 + stable::pow(1 / x, p), 1 / p));
    }
  }

  double operator()(double x) const {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);  // of a double: exponent, then mantissa
    const std::uint64_t at = bits >> step_bits;
    if (at < first) return 1;
    if (at >= last) return values_.back() * (x * 0x1p-24);
    const double part = static_cast<double>(bits & (step_size - 1)) * (1.0 / static_cast<double>(step_size));
    const double low = values_[at - first];
    return low + (values_[at - first + 1] - low) * part;
  }

 private:
  static constexpr int step_bits = 52 - 6;  // upper 6 bits of the mantissa choose the point
  static constexpr std::uint64_t step_size = std::uint64_t{1} << step_bits;
  static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(0x1p-40) >> step_bits;
  static constexpr std::uint64_t last = std::bit_cast<std::uint64_t>(0x1p24) >> step_bits;
  std::vector<double> values_;
};

}  // namespace servecast
