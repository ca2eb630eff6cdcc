#include "tests/unit/kernels/machine.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace servecast {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// All tests are skipped where there is no GPU to run them on.
class Gpu final : public testing::Environment {
 public:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU";
  }
};
[[maybe_unused]] const auto* const gpu = testing::AddGlobalTestEnvironment(new Gpu);

}  // namespace

/// Of the host, locked: a GPU reaches it under the same address.
void* kernel_memory(std::size_t bytes) {
  void* data = nullptr;
  check(cudaHostAlloc(&data, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return data;
}
void free_kernel_memory(void* data) { cudaFreeHost(data); }

void finish_kernels() {
  check(cudaGetLastError(), "a launch");
  check(cudaDeviceSynchronize(), "a kernel");
}

}  // namespace servecast
