#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace servecast {

/// Streams beside the one that the bench waits for: what goes through them begins after and ends before what stands
/// around it there.
class SideStreams {
 public:
  /// Stream i is of device devices[i].
  explicit SideStreams(const std::vector<int>& devices);
  ~SideStreams();
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  cudaStream_t operator[](std::size_t i) const { return streams_[i]; }
  std::size_t size() const { return streams_.size(); }
  void branch_from(cudaStream_t stream);
  void join(cudaStream_t stream);

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> ends_;
  cudaEvent_t begin_ = nullptr;
};

/// The device of what follows in this scope; then the first again.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice() { cudaSetDevice(0); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
};

}  // namespace servecast
