#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "calibrate/measure/gpu_bench.h"
#include "models/base/rng.h"

namespace servecast {

/// A GPU that follows a law: a launch, then so much work per second; with a spread, and a clock that its calls move.
class MadeBench final : public GpuBench {
 public:
  struct Nature {
    double launch_s = 5e-6;
    double flop_per_s = 500e12;
    double bytes_per_s = 2e12;
    double spread = 0;           // uniform, to either side
    int throttled_batches = 0;   // the first so many calls of run()
    std::int64_t largest_m = 0;  // what fits; 0: everything
    int fails_after = -1;        // targets; then the device is lost
    double event_ratio = 1;      // what events say, over what records do
  };
  explicit MadeBench(const Nature& nature) : nature_(nature) {}

  std::string driver() const override { return "1.0"; }
  bool prepare(const MeasureTarget& target) override {
    if (nature_.fails_after == static_cast<int>(order.size())) throw DeviceError("the device is lost");
    now_s_ += 0.02;
    if (nature_.largest_m > 0 && target.shape.m > nature_.largest_m) return false;
    order.push_back(target);
    const KernelWork work = operator_kind(target.op)->work(target.shape, number_sizes(target.dtype, target.kv_dtype));
    seconds_ = nature_.launch_s + std::max(work.flop / nature_.flop_per_s, work.bytes / nature_.bytes_per_s);
    return true;
  }
  TimedCalls run(int count) override {
    TimedCalls calls{.clock_mhz = 1980,
                     .memory_clock_mhz = 2619,
                     .throttled = nature_.throttled_batches-- > 0,
                     .version = order.back().engine == "servecast" ? "" : "13.0"};
    for (int i = 0; i < count; ++i) {
      calls.seconds.push_back(seconds_ * (1 + nature_.spread * (2 * rng_.uniform() - 1)));
      now_s_ += calls.seconds.back();
    }
    batches.push_back(count);
    return calls;
  }
  TwoClocks run_on_two_clocks(int count) override {
    const std::vector<double> record_s(static_cast<std::size_t>(count), seconds_);
    now_s_ += seconds_ * count;
    return {.record_s = record_s, .event_s = {seconds_ * nature_.event_ratio}};
  }
  std::vector<std::string> notes() const override { return {}; }
  double now_s() override { return now_s_; }
  void pause(double seconds) override {
    now_s_ += seconds;
    ++pauses;
  }

  std::vector<MeasureTarget> order;  // of what was prepared
  std::vector<int> batches;
  int pauses = 0;

 private:
  Nature nature_;
  Rng rng_{1, "made bench"};
  double seconds_ = 0;
  double now_s_ = 0;
};

}  // namespace servecast
