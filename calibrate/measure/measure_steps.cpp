#include "calibrate/measure/measure_steps.h"

#include <algorithm>
#include <set>

#include "models/base/quantile.h"

namespace servecast {
namespace {

StepSample sample_of(const StepsRequest& request, const StepBench& bench, const StepShape& shape,
                     const TimedCalls& calls) {
  return {.gpu = request.gpu,
          .driver = bench.driver(),
          .version = request.version,
          .model = request.model,
          .shape = shape,
          .count = std::ssize(calls.seconds),
          .median_s = median(calls.seconds),
          .noise_fraction = spread_fraction(calls.seconds),
          .clock_mhz = calls.clock_mhz};
}

/// One run of the command.
class MeasuringSteps {
 public:
  MeasuringSteps(const StepsRequest& request, StepBench& bench)
      : request_(request), bench_(bench), log_(request.out), begin_s_(bench.now_s()) {
    for (const StepSample& sample : log_.found())
      if (sample.gpu == request.gpu && sample.model == request.model) done_.insert(sample.shape);
    progress_.found = std::ssize(done_);
  }

  MeasureProgress run(const std::function<void(const MeasureProgress&)>& show) {
    show(progress_);
    for (const StepShape& shape : request_.shapes) {
      if (done_.contains(shape)) continue;
      if (progress_.spent_s + longest_s_ > request_.budget_s) break;
      take(shape);
      const double spent_s = bench_.now_s() - begin_s_;
      longest_s_ = std::max(longest_s_, spent_s - progress_.spent_s);
      progress_.spent_s = spent_s;
      show(progress_);
    }
    return progress_;
  }

 private:
  void take(const StepShape& shape) {
    if (!bench_.prepare(shape)) {
      ++progress_.skipped;
      return;
    }
    const auto calls = repeat({.run = [&](int count) { return bench_.run(count); },
                               .pause = [&](double seconds) { bench_.pause(seconds); }},
                              request_.repeats);
    if (!calls) {
      ++progress_.throttled;
      return;
    }
    log_.write(sample_of(request_, bench_, shape, *calls));
    ++progress_.samples;
  }

  const StepsRequest& request_;
  StepBench& bench_;
  StepSampleLog log_;
  std::set<StepShape> done_{};
  double begin_s_;
  double longest_s_ = 0;  // of any shape
  MeasureProgress progress_{};
};

}  // namespace

MeasureProgress measure_steps(const StepsRequest& request, StepBench& bench,
                              const std::function<void(const MeasureProgress&)>& show) {
  return MeasuringSteps(request, bench).run(show);
}

}  // namespace servecast
