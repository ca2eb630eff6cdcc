#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

#include "calibrate/measure/cuda/activity.h"
#include "calibrate/measure/cuda/call.h"
#include "calibrate/measure/cuda/clocks.h"

namespace servecast {
namespace {

constexpr int warm_up_calls = 3;
constexpr std::size_t most_sets = 16;
constexpr double room_left = 0.05;  // of the device's memory: not ours

struct Factory {
  std::string_view op;
  std::unique_ptr<Call> (*make)(const MeasureTarget&, const CallContext&);
};
constexpr std::array factories{Factory{"gemm", make_product},
                               Factory{"prefill_attention", make_attention},
                               Factory{"decode_attention", make_attention},
                               Factory{"mla_decode", make_attention},
                               Factory{"elementwise", make_elementwise},
                               Factory{"h2d", make_copy},
                               Factory{"d2h", make_copy}};

/// The first GPU that CUDA shows. Throws DeviceError.
cudaDeviceProp first_device() {
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

std::string bus_id() {
  std::array<char, 32> text{};
  check_cuda(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0), "cudaDeviceGetPCIBusId");
  return text.data();
}

class CudaBench final : public GpuBench {
 public:
  CudaBench() : device_(first_device()), clocks_(bus_id()) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaBench() override {
    sets_.clear();
    cudaStreamDestroy(stream_);
  }

  std::string driver() const override { return clocks_.driver(); }

  bool prepare(const MeasureTarget& target) override {
    sets_.clear();
    const auto factory = std::ranges::find(factories, std::string_view(target.op), &Factory::op);
    if (factory == factories.end()) return false;
    Rng rng(1, "measure");
    const CallContext context{.rng = rng, .processors = device_.multiProcessorCount, .has_fp8 = device_.major >= 9};
    try {
      do {
        std::unique_ptr<Call> call = factory->make(target, context);
        if (!call) return false;
        sets_.push_back(std::move(call));
      } while (another_set_is_needed());
    } catch (const NoRoom&) {
      if (sets_.empty()) return false;
    }
    for (int i = 0; i < warm_up_calls; ++i) start();
    wait();
    activity_.take();
    return true;
  }

  TimedCalls run(int count) override {
    const ClockState before = clocks_.read();
    for (int i = 0; i < count; ++i) start();
    const ClockState meanwhile = clocks_.read();
    wait();
    return {.seconds = seconds_of_calls(activity_.take(), count),
            .clock_mhz = meanwhile.sm_mhz,
            .throttled = before.throttled || meanwhile.throttled || clocks_.read().throttled};
  }

  double now_s() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void pause(double seconds) override { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

 private:
  /// Calls take their inputs from several sets in turn, together twice the L2, so that each finds its own in memory.
  bool another_set_is_needed() const {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    const double one = static_cast<double>(sets_[0]->bytes());
    const bool room = one < static_cast<double>(free_bytes) - room_left * static_cast<double>(all_bytes);
    return room && sets_.size() < most_sets && one * static_cast<double>(sets_.size()) < 2.0 * device_.l2CacheSize;
  }
  void start() {
    sets_[next_++ % sets_.size()]->start(stream_);
    check_cuda(cudaGetLastError(), "a kernel's launch");
  }
  void wait() { check_cuda(cudaStreamSynchronize(stream_), "a kernel"); }

  cudaDeviceProp device_;
  Activity activity_;
  Clocks clocks_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::unique_ptr<Call>> sets_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<GpuBench> open_gpu_bench() { return std::make_unique<CudaBench>(); }

}  // namespace servecast
