#pragma once
#include <vector>

#include "calibrate/decoder/decoder_step.h"
#include "calibrate/decoder/kernel_device.h"
#include "calibrate/measure/cuda/device/buffers.h"

namespace servecast {

/// The first GPU that CUDA shows, as decoders see it.
class GpuDevice final : public KernelDevice {
 public:
  /// Throws DeviceError where there is none that our kernels are built for.
  GpuDevice();
  ~GpuDevice() override;
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  int processors() const override { return processors_; }
  std::int64_t free_bytes() const override;
  void* room(std::int64_t bytes) override;
  void* random_numbers(std::int64_t count, double span) override;
  void copy_in(void* to, std::span<const std::byte> from) override;
  void copy_out(std::span<std::byte> to, const void* from) override;
  Stream stream() override { return stream_; }
  /// Throws DeviceError where a kernel has failed.
  void wait() override;

 private:
  int processors_ = 0;
  Stream stream_ = nullptr;
  std::vector<DeviceBuffer> buffers_{};
  Rng rng_{1, "decoder"};
};

/// The limits with as many KV blocks as fit beside everything else, up to `most_blocks`. Throws DeviceError where not
/// even one sequence of the longest fits.
StepLimits with_blocks_that_fit(const DecoderShape& shape, StepLimits limits, std::int64_t most_blocks,
                                const KernelDevice& device);

}  // namespace servecast
