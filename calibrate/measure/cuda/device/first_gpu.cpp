#include "calibrate/measure/cuda/device/first_gpu.h"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>

#include "calibrate/measure/cuda/device/buffers.h"

namespace servecast {

cudaDeviceProp first_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
    throw DeviceError(fmt::format("no GPU is to be seen ({}); nvidia-smi should list one",
                                  status != cudaSuccess ? cudaGetErrorString(status) : "none installed"));
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (device.major != 8 && device.major != 9)
    throw DeviceError(
        fmt::format("{} has compute capability {}.{}; kernels are built for Ampere (8.x) and Hopper (9.0)",
                    device.name, device.major, device.minor));
  return device;
}

std::string first_gpu_bus_id() {
  first_gpu();
  std::array<char, 32> text{};
  check_cuda(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0), "cudaDeviceGetPCIBusId");
  return text.data();
}

}  // namespace servecast
