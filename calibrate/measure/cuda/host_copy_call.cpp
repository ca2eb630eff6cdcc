#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "calibrate/measure/cuda/call.h"

namespace servecast {
namespace {

struct CopyMode {
  std::string_view name;
  bool pinned;
  int streams;
};
constexpr std::array modes{CopyMode{"pinned", true, 1}, CopyMode{"pageable", false, 1},
                           CopyMode{"pinned_2_streams", true, 2}, CopyMode{"pinned_4_streams", true, 4},
                           CopyMode{"pinned_8_streams", true, 8}};

/// Memory of the host that is not zero.
class HostBuffer {
 public:
  HostBuffer(std::int64_t bytes, bool pinned)
      : pinned_(pinned), pages_(pinned ? 0 : static_cast<std::size_t>(bytes)) {
    data_ = pages_.data();
    if (pinned_)
      check_cuda(cudaHostAlloc(&data_, static_cast<std::size_t>(bytes), cudaHostAllocDefault), "cudaHostAlloc");
    std::memset(data_, 0x5a, static_cast<std::size_t>(bytes));
  }
  ~HostBuffer() {
    if (pinned_) cudaFreeHost(data_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  char* data() const { return static_cast<char*>(data_); }

 private:
  bool pinned_;
  std::vector<char> pages_;
  void* data_ = nullptr;
};

/// One copy, or equal parts of it on several streams at once. The bench's stream begins before them and ends after
/// them.
class CopyCall final : public Call {
 public:
  CopyCall(std::int64_t bytes, const CopyMode& mode, cudaMemcpyKind kind)
      : bytes_(bytes), kind_(kind), host_(bytes, mode.pinned), device_(bytes) {
    streams_.resize(static_cast<std::size_t>(mode.streams));
    ends_.resize(streams_.size());
    for (cudaStream_t& stream : streams_)
      check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t& end : ends_)
      check_cuda(cudaEventCreateWithFlags(&end, cudaEventDisableTiming), "cudaEventCreate");
    check_cuda(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~CopyCall() override {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (cudaEvent_t end : ends_) cudaEventDestroy(end);
    cudaEventDestroy(begin_);
  }
  void start(Stream stream) override {
    const std::int64_t part = bytes_ / static_cast<std::int64_t>(streams_.size());
    check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      char* host = host_.data() + static_cast<std::int64_t>(i) * part;
      char* device = static_cast<char*>(device_.data()) + static_cast<std::int64_t>(i) * part;
      const bool up = kind_ == cudaMemcpyHostToDevice;
      check_cuda(cudaStreamWaitEvent(streams_[i], begin_), "cudaStreamWaitEvent");
      check_cuda(
          cudaMemcpyAsync(up ? device : host, up ? host : device, static_cast<std::size_t>(part), kind_, streams_[i]),
          "cudaMemcpyAsync");
      check_cuda(cudaEventRecord(ends_[i], streams_[i]), "cudaEventRecord");
      check_cuda(cudaStreamWaitEvent(stream, ends_[i]), "cudaStreamWaitEvent");
    }
  }
  std::int64_t bytes() const override { return bytes_; }

 private:
  std::int64_t bytes_;
  cudaMemcpyKind kind_;
  HostBuffer host_;
  DeviceBuffer device_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> ends_;
  cudaEvent_t begin_ = nullptr;
};

}  // namespace

std::unique_ptr<Call> make_copy(const MeasureTarget& target, const CallContext&) {
  const auto mode = std::ranges::find(modes, std::string_view(target.mode), &CopyMode::name);
  if (mode == modes.end()) return nullptr;
  const auto kind = target.op == "h2d" ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  return std::make_unique<CopyCall>(target.shape.bytes, *mode, kind);
}

}  // namespace servecast
