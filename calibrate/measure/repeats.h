#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "calibrate/measure/gpu_bench.h"

namespace servecast {

/// Standard deviation over the median, taken from the quartiles (a normal distribution's lie 1.349 apart), so that
/// one odd run counts for little.
double spread_fraction(std::vector<double> values);

/// Standard error of the median over the median: sqrt(pi / 2) times that of a mean, for a normal distribution.
double noise_of_median(const std::vector<double>& values);

/// When a target has been called often enough.
struct RepeatRule {
  double quiet_fraction = 0.005;  // noise of the median
  int fewest = 10;
  int most = 500;
  double longest_s = 2;  // of the calls themselves
  int tries = 3;         // when the GPU throttles
  double pause_s = 1;    // before another try
};

/// What can be called again and again, with time in between to cool down.
struct Repeated {
  std::function<TimedCalls(int count)> run{};
  std::function<void(double seconds)> pause{};
};
/// Calls it until the rule is met. None where every try throttled.
std::optional<TimedCalls> repeat(const Repeated& calls, const RepeatRule& rule);
/// What the bench has prepared.
std::optional<TimedCalls> repeat(GpuBench& bench, const RepeatRule& rule);

}  // namespace servecast
