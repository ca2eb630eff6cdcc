#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/device/stream.h"

namespace servecast {

/// Where kernels run: a GPU, or in tests the host. Memory stays as long as the device.
class KernelDevice {
 public:
  virtual ~KernelDevice() = default;
  virtual int processors() const = 0;
  virtual std::int64_t free_bytes() const = 0;
  /// Aligned as kernels want it.
  virtual void* room(std::int64_t bytes) = 0;
  /// bf16 numbers, evenly between -span and span.
  virtual void* random_numbers(std::int64_t count, double span) = 0;
  virtual void copy_in(void* to, std::span<const std::byte> from) = 0;
  virtual void copy_out(std::span<std::byte> to, const void* from) = 0;
  virtual Stream stream() = 0;
  /// Until all that was started is done.
  virtual void wait() = 0;
};

}  // namespace servecast
