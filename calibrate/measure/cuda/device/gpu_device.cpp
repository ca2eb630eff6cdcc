#include "calibrate/measure/cuda/device/gpu_device.h"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/measure/cuda/device/first_gpu.h"
#include "kernels/device/numbers.h"

namespace servecast {
namespace {

constexpr double memory_used = 0.9;  // of what is free: CUDA and others want some
/// Random numbers repeat after so many: no kernel's working set sees that.
constexpr std::int64_t pattern_numbers = std::int64_t{1} << 21;

}  // namespace

GpuDevice::GpuDevice() {
  processors_ = first_gpu().multiProcessorCount;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

GpuDevice::~GpuDevice() { cudaStreamDestroy(stream_); }

std::int64_t GpuDevice::free_bytes() const {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  return static_cast<std::int64_t>(memory_used * static_cast<double>(free_bytes));
}

void* GpuDevice::room(std::int64_t bytes) {
  buffers_.emplace_back(std::max<std::int64_t>(bytes, 1));
  return buffers_.back().data();
}

void* GpuDevice::random_numbers(std::int64_t count, double span) {
  std::vector<Bf16> made(static_cast<std::size_t>(std::min(count, pattern_numbers)));
  for (Bf16& number : made) number = from_float<Bf16>(static_cast<float>((rng_.uniform() * 2 - 1) * span));
  auto* numbers = static_cast<Bf16*>(room(count * 2));
  copy_in(numbers, std::as_bytes(std::span(made)));
  for (std::int64_t done = std::ssize(made); done < count;) {
    const std::int64_t some = std::min(done, count - done);
    check_cuda(cudaMemcpyAsync(numbers + done, numbers, static_cast<std::size_t>(some) * sizeof(Bf16),
                               cudaMemcpyDeviceToDevice, stream_),
               "cudaMemcpy");
    done += some;
  }
  wait();
  return numbers;
}

void GpuDevice::copy_in(void* to, std::span<const std::byte> from) {
  check_cuda(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream_), "cudaMemcpy");
  wait();  // `from` may go
}

void GpuDevice::copy_out(std::span<std::byte> to, const void* from) {
  check_cuda(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream_), "cudaMemcpy");
  wait();
}

void GpuDevice::wait() {
  check_cuda(cudaGetLastError(), "a kernel's launch");
  check_cuda(cudaStreamSynchronize(stream_), "a kernel");
}

StepLimits with_blocks_that_fit(const DecoderShape& shape, StepLimits limits, std::int64_t most_blocks,
                                const KernelDevice& device) {
  limits.kv_blocks = 0;
  const std::int64_t without = decoder_bytes(shape, limits, device.processors());
  limits.kv_blocks = 1;
  const std::int64_t block_bytes = decoder_bytes(shape, limits, device.processors()) - without;
  limits.kv_blocks = std::min(most_blocks, (device.free_bytes() - without) / block_bytes);
  if (limits.kv_blocks * limits.block_tokens < limits.context)
    throw DeviceError(
        fmt::format("the GPU has {} bytes of memory to give; this decoder wants {} and KV for {} tokens",
                    device.free_bytes(), without, limits.context));
  return limits;
}

}  // namespace servecast
