#include "calibrate/measure/measure.h"

#include "calibrate/measure/target_text.h"
#include "calibrate/plan/grid_planner.h"
#include "calibrate/samples/sample_log.h"
#include "models/base/quantile.h"

namespace servecast {
namespace {

constexpr int calls_on_two_clocks = 5;

MeasureTarget target_of(const Sample& s) {
  return {.engine = s.engine,
          .op = s.op,
          .dtype = s.dtype,
          .kv_dtype = s.kv_dtype,
          .mode = s.mode,
          .kernel = s.kernel,
          .shape = s.shape};
}

Sample sample_of(const MeasureRequest& request, const GpuBench& bench, const MeasureTarget& t,
                 const TimedCalls& calls) {
  return {.gpu = request.gpu,
          .driver = bench.driver(),
          .engine = t.engine,
          .version = calls.version.empty() ? request.version : calls.version,
          .kernel = t.kernel,
          .op = t.op,
          .dtype = t.dtype,
          .kv_dtype = t.kv_dtype,
          .mode = t.mode,
          .shape = t.shape,
          .count = static_cast<std::int64_t>(calls.seconds.size()),
          .median_s = median(calls.seconds),
          .noise_fraction = spread_fraction(calls.seconds),
          .clock_mhz = calls.clock_mhz,
          .memory_clock_mhz = calls.memory_clock_mhz};
}

/// One run of the command.
class Measuring {
 public:
  Measuring(const MeasureRequest& request, GpuBench& bench)
      : request_(request), bench_(bench), planner_(request.series), log_(request.out), begin_s_(bench.now_s()) {
    for (const Sample& sample : log_.found()) {
      if (sample.gpu != request.gpu) continue;
      planner_.learn(target_of(sample), sample.median_s);
      ++progress_.found;
    }
  }

  MeasureProgress run(const std::function<void(const MeasureProgress&)>& show) {
    show(progress_);
    while (const auto target = planner_.next(request_.budget_s - progress_.spent_s)) {
      try {
        take(*target);
      } catch (const DeviceError& error) {
        throw DeviceError(target_text(*target) + ": " + error.what());
      }
      progress_.spent_s = bench_.now_s() - begin_s_;
      show(progress_);
    }
    return progress_;
  }

 private:
  void take(const MeasureTarget& target) {
    if (!bench_.prepare(target)) {
      ++progress_.skipped;
      planner_.give_up(target);
      return;
    }
    const std::optional<TimedCalls> calls = repeat(bench_, request_.repeats);
    if (!calls) {
      ++progress_.throttled;
      planner_.give_up(target);
      return;
    }
    const Sample sample = sample_of(request_, bench_, target, *calls);
    log_.write(sample);
    planner_.learn(target, sample.median_s);
    ++progress_.samples;
    if (progress_.clocks.wants(target, sample.median_s))
      progress_.clocks.add(target, bench_.run_on_two_clocks(calls_on_two_clocks));
  }

  const MeasureRequest& request_;
  GpuBench& bench_;
  GridPlanner planner_;
  SampleLog log_;
  double begin_s_;
  MeasureProgress progress_{};
};

}  // namespace

MeasureProgress measure(const MeasureRequest& request, GpuBench& bench,
                        const std::function<void(const MeasureProgress&)>& show) {
  return Measuring(request, bench).run(show);
}

}  // namespace servecast
