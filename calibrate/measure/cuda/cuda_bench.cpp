#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/calls/graph_replay.h"
#include "calibrate/measure/cuda/device/first_gpu.h"
#include "calibrate/measure/cuda/device/idle_gpu.h"
#include "calibrate/measure/cuda/device/stopwatch.h"
#include "calibrate/measure/cuda/device/wall_clock.h"
#include "calibrate/measure/cuda/libraries/activity.h"

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
                               Factory{"moe", make_expert_layer},
                               Factory{"prefill_attention", make_attention},
                               Factory{"decode_attention", make_attention},
                               Factory{"mla_decode", make_attention},
                               Factory{"elementwise", make_elementwise},
                               Factory{"h2d", make_host_copy},
                               Factory{"d2h", make_host_copy},
                               Factory{"d2d", make_device_copy},
                               Factory{"p2p", make_peer_copy},
                               Factory{"launch", make_launches},
                               Factory{"all_reduce", make_collective},
                               Factory{"all_gather", make_collective}};

class CudaBench final : public GpuBench {
 public:
  CudaBench() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    card_.opened();
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
    const CallContext context{.rng = rng,
                              .libraries = libraries_,
                              .processors = device_.multiProcessorCount,
                              .has_fp8 = device_.major >= 9};
    try {
      do {
        std::unique_ptr<Call> call = factory->make(target, context);
        if (!call) return false;
        sets_.emplace_back(std::move(call), stream_);
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
    card_.check();
    const Call& call = sets_[0].call();
    return {.seconds = seconds_of_calls(activity_.take(), count, call.time()),
            .clock_mhz = meanwhile.sm_mhz,
            .memory_clock_mhz = meanwhile.memory_mhz,
            .throttled = before.throttled || meanwhile.throttled || clocks_.read().throttled,
            .version = call.version()};
  }

  TwoClocks run_on_two_clocks(int count) override {
    if (sets_[0].call().time() == CallTime::copies) return {};  // events would time the kernels beside them
    std::vector<Stopwatch> watches(static_cast<std::size_t>(count));
    for (Stopwatch& watch : watches) {
      watch.begin(stream_);
      start();
      watch.end(stream_);
    }
    wait();
    TwoClocks clocks{.record_s = seconds_of_calls(activity_.take(), count, sets_[0].call().time())};
    for (const Stopwatch& watch : watches) clocks.event_s.push_back(watch.seconds());
    return clocks;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const std::string& missing : {libraries_.cublaslt.missing(), libraries_.nccl.missing()})
      if (!missing.empty()) notes.push_back("note: " + missing);
    const Nccl* nccl = libraries_.nccl.opened();
    if (nccl != nullptr && !nccl->refusal().empty()) notes.push_back("note: " + nccl->refusal());
    if (!card_.knows_us())
      notes.emplace_back(
          "note: the driver does not say which process on the GPU is this one, so whether others used it was looked "
          "at before the first sample only");
    return notes;
  }

  double now_s() override { return wall_clock_s(); }
  void pause(double seconds) override { sleep_for_s(seconds); }

 private:
  /// Calls take their inputs from several sets in turn, together twice the L2, so that each finds its own in memory.
  bool another_set_is_needed() const {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    const double one = static_cast<double>(sets_[0].call().bytes());
    const bool room = one < static_cast<double>(free_bytes) - room_left * static_cast<double>(all_bytes);
    return room && sets_.size() < most_sets && one * static_cast<double>(sets_.size()) < 2.0 * device_.l2CacheSize;
  }
  void start() {
    sets_[next_++ % sets_.size()].start(stream_);
    check_cuda(cudaGetLastError(), "a kernel's launch");
  }
  void wait() { check_cuda(cudaStreamSynchronize(stream_), "a kernel"); }

  cudaDeviceProp device_ = first_gpu();
  Clocks clocks_{first_gpu_bus_id()};
  IdleGpu card_{clocks_};
  Activity activity_;
  Libraries libraries_;
  cudaStream_t stream_ = nullptr;
  std::vector<Replay> sets_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<GpuBench> open_gpu_bench() { return std::make_unique<CudaBench>(); }

}  // namespace servecast
