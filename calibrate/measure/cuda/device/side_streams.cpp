#include "calibrate/measure/cuda/device/side_streams.h"

#include "calibrate/measure/cuda/device/buffers.h"

namespace servecast {

OnDevice::OnDevice(int device) { check_cuda(cudaSetDevice(device), "cudaSetDevice"); }

SideStreams::SideStreams(const std::vector<int>& devices) : streams_(devices.size()), ends_(devices.size()) {
  check_cuda(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming), "cudaEventCreate");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const OnDevice there(devices[i]);
    check_cuda(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), "cudaStreamCreate");
    check_cuda(cudaEventCreateWithFlags(&ends_[i], cudaEventDisableTiming), "cudaEventCreate");
  }
}

SideStreams::~SideStreams() {
  for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  for (cudaEvent_t end : ends_) cudaEventDestroy(end);
  cudaEventDestroy(begin_);
}

void SideStreams::branch_from(cudaStream_t stream) {
  check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
  for (cudaStream_t side : streams_) check_cuda(cudaStreamWaitEvent(side, begin_), "cudaStreamWaitEvent");
}

void SideStreams::join(cudaStream_t stream) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    check_cuda(cudaEventRecord(ends_[i], streams_[i]), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(stream, ends_[i]), "cudaStreamWaitEvent");
  }
}

}  // namespace servecast
