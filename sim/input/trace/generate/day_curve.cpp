#include "sim/input/trace/generate/day_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace servecast {
namespace {

constexpr int sine_segments = 96;

/// Cosine by its Taylor series, for |x| <= pi: the C library's may differ in the last bit between machines.
double cosine(double x) {
  double sum = 1;
  for (int n = 30; n >= 2; n -= 2) sum = 1 - x * x / (n * (n - 1)) * sum;
  return sum;
}

std::vector<double> sine_factors(const DayCurveSpec& spec) {
  std::vector<double> factors;
  for (int i = 0; i < sine_segments; ++i) {
    const double middle = (i + 0.5) / sine_segments - spec.peak_s / spec.period_s;  // in periods from the peak
    const double phase = 2 * std::numbers::pi * (middle - std::floor(middle + 0.5));
    factors.push_back(std::max(0.0, 1 + (*spec.peak_factor - 1) * cosine(phase)));
  }
  return factors;
}

}  // namespace

DayCurve::DayCurve(const DayCurveSpec& spec) : factors_(spec.peak_factor ? sine_factors(spec) : spec.hourly) {
  segment_s_ = spec.period_s / static_cast<double>(factors_.size());
  const double mean = std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(factors_.size());
  for (double& factor : factors_) factor /= mean;
}

double DayCurve::time_s(double even_s) {
  for (;;) {
    const double factor = factors_[segment_ % factors_.size()];
    const double begin_s = static_cast<double>(segment_) * segment_s_;
    const double even_end_s = even_begin_s_ + factor * segment_s_;
    if (even_s < even_end_s) return begin_s + (even_s - even_begin_s_) / factor;
    even_begin_s_ = even_end_s;
    ++segment_;
  }
}

}  // namespace servecast
