#include <limits>

#include "calibrate/decoder/kernel_executor.h"
#include "calibrate/measure/cuda/device/gpu_device.h"
#include "calibrate/measure/cuda/device/wall_clock.h"
#include "calibrate/measure/step_bench.h"

namespace servecast {
namespace {

/// A device and the executor on it.
class CudaStepExecutor final : public StepExecutor {
 public:
  CudaStepExecutor(const Llm& llm, const ServerSize& size)
      : executor_(decoder_shape(llm), limits_here(decoder_shape(llm), size, device_), device_,
                  {.now_s = wall_clock_s, .sleep = sleep_for_s}) {
    executor_.warm_up();
  }
  std::int64_t kv_tokens() const override { return executor_.kv_tokens(); }
  double now_s() override { return executor_.now_s(); }
  void wait_until(double at_s) override { executor_.wait_until(at_s); }
  void run(std::span<const StepPart> parts) override { executor_.run(parts); }
  void release(std::int64_t sequence) override { executor_.release(sequence); }

 private:
  static StepLimits limits_here(const DecoderShape& shape, const ServerSize& size, const KernelDevice& device) {
    const StepLimits limits{.tokens = size.step_tokens, .sequences = size.sequences, .context = size.context};
    return with_blocks_that_fit(shape, limits, std::numeric_limits<std::int32_t>::max(), device);
  }

  GpuDevice device_;
  KernelExecutor executor_;
};

}  // namespace

std::unique_ptr<StepExecutor> open_step_executor(const Llm& llm, const ServerSize& size) try {
  return std::make_unique<CudaStepExecutor>(llm, size);
} catch (const NoRoom&) {
  throw DeviceError("the GPU has no room for " + llm.name);
}

}  // namespace servecast
