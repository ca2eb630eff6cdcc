#include <algorithm>

#include "calibrate/measure/cuda/device/first_gpu.h"
#include "calibrate/measure/cuda/device/gpu_device.h"
#include "calibrate/measure/cuda/device/idle_gpu.h"
#include "calibrate/measure/cuda/device/wall_clock.h"
#include "calibrate/measure/cuda/libraries/activity.h"
#include "calibrate/measure/step_bench.h"
#include "calibrate/measure/step_shapes.h"
#include "calibrate/step/block_tables.h"

namespace servecast {
namespace {

constexpr int warm_up_steps = 2;

std::int64_t blocks_of(const StepShape& shape) { return limits_of({shape}, measured_block_tokens).kv_blocks; }

/// What the whole grid wants, but for KV; as much of that as fits.
StepLimits limits_here(const DecoderShape& shape, const std::vector<StepShape>& steps, const KernelDevice& device) {
  StepLimits limits = limits_of(steps, measured_block_tokens);
  const std::int64_t wanted = limits.kv_blocks;
  return with_blocks_that_fit(shape, limits, wanted, device);
}

class CudaStepBench final : public StepBench {
 public:
  CudaStepBench(const Llm& shard, const std::vector<StepShape>& shapes)
      : shape_(decoder_shape(shard)), limits_(limits_here(shape_, shapes, device_)), step_(shape_, limits_, device_) {
    card_.opened();
  }

  std::string driver() const override { return clocks_.driver(); }

  bool prepare(const StepShape& shape) override {
    if (blocks_of(shape) > limits_.kv_blocks) return false;
    const std::vector<StepPart> parts = in_kernel_order(parts_of(shape));
    BlockTables blocks(limits_.kv_blocks, measured_block_tokens);
    std::vector<std::int32_t> ids;
    for (const StepPart& part : parts) {
      blocks.hold(part.sequence, part.before_tokens + part.tokens);
      for (std::int64_t i = 0; i < part.tokens; ++i)
        ids.push_back(static_cast<std::int32_t>(rng_.below(static_cast<std::uint64_t>(shape_.vocabulary))));
    }
    step_.load(arrays_of(parts, blocks), ids);
    for (int i = 0; i < warm_up_steps; ++i) step_.start();
    device_.wait();
    activity_.take();
    return true;
  }

  TimedCalls run(int count) override {
    const ClockState before = clocks_.read();
    for (int i = 0; i < count; ++i) step_.start();
    const ClockState meanwhile = clocks_.read();
    device_.wait();
    card_.check();
    return {.seconds = seconds_of_calls(activity_.take(), count),
            .clock_mhz = meanwhile.sm_mhz,
            .memory_clock_mhz = meanwhile.memory_mhz,
            .throttled = before.throttled || meanwhile.throttled || clocks_.read().throttled};
  }

  double now_s() override { return wall_clock_s(); }
  void pause(double seconds) override { sleep_for_s(seconds); }

 private:
  DecoderShape shape_;
  Clocks clocks_{first_gpu_bus_id()};
  IdleGpu card_{clocks_};
  GpuDevice device_;
  Activity activity_;
  StepLimits limits_;
  DecoderStep step_;
  Rng rng_{1, "step tokens"};
};

}  // namespace

std::unique_ptr<StepBench> open_step_bench(const Llm& shard, const std::vector<StepShape>& shapes) try {
  return std::make_unique<CudaStepBench>(shard, shapes);
} catch (const NoRoom&) {
  throw DeviceError("the GPU has no room for " + shard.name + "; take fewer --layers or more --tensor-parallel");
}

}  // namespace servecast
