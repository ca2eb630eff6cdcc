#include "calibrate/measure/gpu_bench.h"

namespace servecast {

std::unique_ptr<GpuBench> open_gpu_bench() {
  throw DeviceError(
      "this program was built without CUDA: its compiler, nvcc, was not found or not wanted. Where the toolkit is "
      "installed, configure with -DSERVECAST_CUDA=ON, which says what is missing, and build again");
}

}  // namespace servecast
