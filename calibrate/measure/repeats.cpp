#include "calibrate/measure/repeats.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace servecast {
namespace {

constexpr double quartiles_of_normal = 1.349;

double interpolated(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

bool enough(const std::vector<double>& seconds, const RepeatRule& rule) {
  const auto count = static_cast<int>(seconds.size());
  if (count >= rule.most || std::accumulate(seconds.begin(), seconds.end(), 0.0) >= rule.longest_s) return true;
  return count >= rule.fewest && noise_of_median(seconds) < rule.quiet_fraction;
}

/// One try. As many calls again as were made, so that looking at the noise costs little.
TimedCalls try_once(const Repeated& repeated, const RepeatRule& rule) {
  TimedCalls all = repeated.run(std::min(rule.fewest, rule.most));
  while (!all.throttled && !enough(all.seconds, rule)) {
    const auto made = static_cast<int>(all.seconds.size());
    const TimedCalls more = repeated.run(std::min(made, rule.most - made));
    all.seconds.insert(all.seconds.end(), more.seconds.begin(), more.seconds.end());
    all.clock_mhz = more.clock_mhz;
    all.memory_clock_mhz = more.memory_clock_mhz;
    all.throttled = more.throttled;
  }
  return all;
}

}  // namespace

double spread_fraction(std::vector<double> values) {
  std::ranges::sort(values);
  return (interpolated(values, 0.75) - interpolated(values, 0.25)) / quartiles_of_normal / interpolated(values, 0.5);
}

double noise_of_median(const std::vector<double>& values) {
  return std::sqrt(std::numbers::pi / 2 / static_cast<double>(values.size())) * spread_fraction(values);
}

std::optional<TimedCalls> repeat(const Repeated& repeated, const RepeatRule& rule) {
  for (int i = 0; i < rule.tries; ++i) {
    if (i > 0) repeated.pause(rule.pause_s);
    TimedCalls calls = try_once(repeated, rule);
    if (!calls.throttled) return calls;
  }
  return std::nullopt;
}

std::optional<TimedCalls> repeat(GpuBench& bench, const RepeatRule& rule) {
  return repeat(
      {.run = [&](int count) { return bench.run(count); }, .pause = [&](double seconds) { bench.pause(seconds); }},
      rule);
}

}  // namespace servecast
