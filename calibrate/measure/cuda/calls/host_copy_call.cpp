#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/device/host_buffer.h"
#include "calibrate/measure/cuda/device/side_streams.h"
#include "calibrate/measure/cuda/device/stopwatch.h"

namespace servecast {
namespace {

struct CopyMode {
  std::string_view name;
  bool pinned;
  int streams;
  int pieces;  // in all; they take the streams in turn
  bool beside_products;
};
constexpr std::array modes{CopyMode{"pinned", true, 1, 1, false},
                           CopyMode{"pageable", false, 1, 1, false},
                           CopyMode{"pinned_2_streams", true, 2, 2, false},
                           CopyMode{"pinned_4_streams", true, 4, 4, false},
                           CopyMode{"pinned_8_streams", true, 8, 8, false},
                           CopyMode{"pageable_4_streams", false, 4, 4, false},
                           CopyMode{"pinned_4_pieces", true, 1, 4, false},
                           CopyMode{"pinned_16_pieces", true, 1, 16, false},
                           CopyMode{"pinned_beside_products", true, 1, 1, true}};

/// One copy, or equal parts of it on several streams at once, or one behind the other.
class HostCopyCall final : public Call {
 public:
  HostCopyCall(std::int64_t bytes, const CopyMode& mode, cudaMemcpyKind kind)
      : bytes_(bytes),
        pieces_(mode.pieces),
        kind_(kind),
        host_(bytes, mode.pinned),
        device_(bytes),
        streams_(std::vector<int>(static_cast<std::size_t>(mode.streams))) {}
  void start(Stream stream) override {
    const std::int64_t part = bytes_ / pieces_;
    streams_.branch_from(stream);
    for (int i = 0; i < pieces_; ++i) {
      char* host = host_.data() + i * part;
      char* device = static_cast<char*>(device_.data()) + i * part;
      const bool up = kind_ == cudaMemcpyHostToDevice;
      check_cuda(cudaMemcpyAsync(up ? device : host, up ? host : device, static_cast<std::size_t>(part), kind_,
                                 streams_[static_cast<std::size_t>(i) % streams_.size()]),
                 "cudaMemcpyAsync");
    }
    streams_.join(stream);
  }
  std::int64_t bytes() const override { return bytes_; }

 private:
  std::int64_t bytes_;
  int pieces_;
  cudaMemcpyKind kind_;
  HostBuffer host_;
  DeviceBuffer device_;
  SideStreams streams_;
};

/// Of one call, after one that warms up.
double seconds_of(Call& call) {
  Stopwatch watch;
  call.start(nullptr);
  watch.begin(nullptr);
  call.start(nullptr);
  watch.end(nullptr);
  return watch.seconds();
}

/// A copy while products keep all SMs busy on another stream, as prefetched weights come beside a layer's arithmetic.
/// There are as many products as it takes to outlast the copy.
class BesideProducts final : public Call {
 public:
  BesideProducts(std::unique_ptr<Call> copy, std::unique_ptr<Call> product)
      : copy_(std::move(copy)), product_(std::move(product)), other_({0}) {
    constexpr double longer = 1.5;  // the copy slows down
    constexpr double most = 4096;
    count_ = static_cast<int>(std::clamp(longer * seconds_of(*copy_) / seconds_of(*product_), 1.0, most)) + 1;
  }
  void start(Stream stream) override {
    other_.branch_from(stream);
    for (int i = 0; i < count_; ++i) product_->start(other_[0]);
    copy_->start(stream);
    other_.join(stream);
  }
  std::int64_t bytes() const override { return copy_->bytes(); }
  CallTime time() const override { return CallTime::copies; }

 private:
  std::unique_ptr<Call> copy_;
  std::unique_ptr<Call> product_;
  SideStreams other_;
  int count_ = 1;
};

constexpr std::int64_t product_size = 4096;

}  // namespace

std::unique_ptr<Call> make_host_copy(const MeasureTarget& target, const CallContext& context) {
  if (target.mode == "pinned_blocks" || target.mode == "pinned_gathered") return make_block_copy(target, context);
  const auto mode = std::ranges::find(modes, std::string_view(target.mode), &CopyMode::name);
  if (mode == modes.end()) return nullptr;
  const auto kind = target.op == "h2d" ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  auto copy = std::make_unique<HostCopyCall>(target.shape.bytes, *mode, kind);
  if (!mode->beside_products) return copy;
  const MeasureTarget product{
      .op = "gemm", .dtype = "bf16", .shape = {.m = product_size, .n = product_size, .k = product_size}};
  return std::make_unique<BesideProducts>(std::move(copy), make_product(product, context));
}

}  // namespace servecast
