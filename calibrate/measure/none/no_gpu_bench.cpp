#include "calibrate/measure/gpu_bench.h"
#include "calibrate/measure/step_bench.h"

namespace servecast {
namespace {

[[noreturn]] void say_so() {
  throw DeviceError(
      "this program was built without CUDA: its compiler, nvcc, was not found or not wanted. Where the toolkit is "
      "installed, configure with -DSERVECAST_CUDA=ON, which says what is missing, and build again");
}

}  // namespace

std::unique_ptr<GpuBench> open_gpu_bench() { say_so(); }
std::unique_ptr<StepBench> open_step_bench(const Llm&, const std::vector<StepShape>&) { say_so(); }
std::unique_ptr<StepExecutor> open_step_executor(const Llm&, const ServerSize&) { say_so(); }

}  // namespace servecast
