#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibrate/measure/clock_check.h"
#include "calibrate/plan/series.h"

namespace servecast {

/// The machine cannot measure: no GPU, no permission, a failed launch. Exit status 3; samples so far are kept.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Calls of one target, timed.
struct TimedCalls {
  std::vector<double> seconds{};
  double clock_mhz = 0;  // of the SMs meanwhile; 0: not known
  double memory_clock_mhz = 0;
  bool throttled = false;  // the GPU held its clocks back for heat or power
  std::string version{};   // of the library whose kernel it is; empty: one of ours
};

/// A GPU on which targets are timed. A test has one of its own.
class GpuBench {
 public:
  virtual ~GpuBench() = default;
  virtual std::string driver() const = 0;
  /// Makes buffers of random data and warms up; false where it does not fit or no kernel is built for it.
  virtual bool prepare(const MeasureTarget& target) = 0;
  /// Calls what was prepared `count` times.
  virtual TimedCalls run(int count) = 0;
  /// Calls it as often, and tells what records and events say of the same calls; nothing where they time other
  /// things.
  virtual TwoClocks run_on_two_clocks(int count) = 0;
  /// What could not be looked at here, a line each.
  virtual std::vector<std::string> notes() const = 0;
  /// Seconds on a clock that never goes back.
  virtual double now_s() = 0;
  /// Lets the GPU cool down.
  virtual void pause(double seconds) = 0;
};

/// That of this machine. Throws DeviceError.
std::unique_ptr<GpuBench> open_gpu_bench();

}  // namespace servecast
