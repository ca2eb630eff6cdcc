#include <cuda_runtime.h>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/device/side_streams.h"

namespace servecast {
namespace {

/// From one place of the device's memory to another, by the copy engine's own choice of means.
class DeviceCopyCall final : public Call {
 public:
  DeviceCopyCall(std::int64_t bytes, Rng& rng) : from_(random_buffer(bytes, Random::bytes, rng)), to_(bytes) {}
  void start(Stream stream) override {
    check_cuda(cudaMemcpyAsync(to_.data(), from_.data(), static_cast<std::size_t>(from_.bytes()),
                               cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  }
  std::int64_t bytes() const override { return 2 * from_.bytes(); }

 private:
  DeviceBuffer from_;
  DeviceBuffer to_;
};

constexpr int peer = 1;

DeviceBuffer buffer_of_peer(std::int64_t bytes) {
  const OnDevice there(peer);
  return DeviceBuffer(bytes);
}

/// From the first GPU to the second, over what links them.
class PeerCopyCall final : public Call {
 public:
  PeerCopyCall(std::int64_t bytes, Rng& rng)
      : from_(random_buffer(bytes, Random::bytes, rng)), to_(buffer_of_peer(bytes)) {}
  void start(Stream stream) override {
    check_cuda(
        cudaMemcpyPeerAsync(to_.data(), peer, from_.data(), 0, static_cast<std::size_t>(from_.bytes()), stream),
        "cudaMemcpyPeerAsync");
  }
  std::int64_t bytes() const override { return from_.bytes(); }

 private:
  DeviceBuffer from_;
  DeviceBuffer to_;
};

/// Where there is a second GPU that this one reaches directly.
bool has_peer() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count <= peer) return false;
  int reached = 0;
  check_cuda(cudaDeviceCanAccessPeer(&reached, 0, peer), "cudaDeviceCanAccessPeer");
  if (reached == 0) return false;
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status != cudaErrorPeerAccessAlreadyEnabled) check_cuda(status, "cudaDeviceEnablePeerAccess");
  cudaGetLastError();  // that it was enabled before
  return true;
}

}  // namespace

std::unique_ptr<Call> make_device_copy(const MeasureTarget& target, const CallContext& context) {
  if (target.mode != "copy") return make_block_copy(target, context);
  return std::make_unique<DeviceCopyCall>(target.shape.bytes, context.rng);
}

std::unique_ptr<Call> make_peer_copy(const MeasureTarget& target, const CallContext& context) {
  return has_peer() ? std::make_unique<PeerCopyCall>(target.shape.bytes, context.rng) : nullptr;
}

}  // namespace servecast
