#pragma once
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>

#include "models/base/stable_math.h"

namespace servecast {

/// A random stream with a name. Each user of randomness has its own stream, so adding one does not
/// shift the numbers of the others. The std distributions differ between standard libraries, so
/// the few we need are written out here.
class Rng {
 public:
  Rng(std::uint64_t seed, std::string_view stream) : engine_(mix(seed, stream)) {}

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// Uniform in 0 .. n-1; n must be above 0.
  std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>(uniform() * static_cast<double>(n)); }

  /// Exponential with this mean, e.g. the time to the next event of a Poisson process.
  double exponential(double mean) { return -stable::log(1 - uniform()) * mean; }

  /// Standard normal (Marsaglia's polar method; the second value is thrown away to keep the stream simple).
  double normal() {
    for (;;) {
      const double u = 2 * uniform() - 1;
      const double v = 2 * uniform() - 1;
      const double s = u * u + v * v;
      if (s > 0 && s < 1) return u * std::sqrt(-2 * stable::log(s) / s);
    }
  }

  double lognormal(double log_mean, double log_deviation) { return stable::exp(log_mean + log_deviation * normal()); }

  /// Gamma with this shape and mean 1 (Marsaglia and Tsang 2000; shapes below 1 by their boost).
  double gamma(double shape) {
    if (shape < 1) {
      const double boost = stable::pow(1 - uniform(), 1 / shape);
      return gamma_above_one(shape + 1) * boost / shape;
    }
    return gamma_above_one(shape) / shape;
  }

 private:
  double gamma_above_one(double shape) {  // mean = shape
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal();
      const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
      if (v > 0 && stable::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * stable::log(v)) return d * v;
    }
  }
  static std::uint64_t mix(std::uint64_t seed, std::string_view stream) {
    std::uint64_t h = 0xcbf29ce484222325u ^ seed;  // FNV-1a
    for (unsigned char c : stream) h = (h ^ c) * 0x100000001b3u;
    return h;
  }
  std::mt19937_64 engine_;
};

}  // namespace servecast
