#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "calibrate/measure/gpu_bench.h"
#include "models/base/rng.h"

namespace servecast {

/// The device has no room for what was asked.
struct NoRoom : std::runtime_error {
  NoRoom() : std::runtime_error("no room") {}
};

/// Throws DeviceError with what CUDA says, NoRoom where memory is short. `status`: a cudaError_t.
void check_cuda(int status, const char* what);

/// Memory of the device.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::int64_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;
  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

enum class Random { bf16, fp32, fp8, bytes };
/// Random numbers between -1 and 1, or any bytes; as a rule without zeros.
DeviceBuffer random_buffer(std::int64_t count, Random kind, Rng& rng);
DeviceBuffer copy_of(std::span<const std::int32_t> numbers);
DeviceBuffer copy_of(std::span<const float> numbers);

}  // namespace servecast
