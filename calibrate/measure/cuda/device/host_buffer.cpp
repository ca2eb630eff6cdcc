#include "calibrate/measure/cuda/device/host_buffer.h"

#include <cuda_runtime.h>

#include <cstring>

#include "calibrate/measure/cuda/device/buffers.h"

namespace servecast {

HostBuffer::HostBuffer(std::int64_t bytes, bool pinned)
    : pinned_(pinned), pages_(pinned ? 0 : static_cast<std::size_t>(bytes)), data_(pages_.data()) {
  if (pinned_)
    check_cuda(cudaHostAlloc(&data_, static_cast<std::size_t>(bytes), cudaHostAllocDefault), "cudaHostAlloc");
  std::memset(data_, 0x5a, static_cast<std::size_t>(bytes));
}

HostBuffer::~HostBuffer() {
  if (pinned_) cudaFreeHost(data_);
}

}  // namespace servecast
