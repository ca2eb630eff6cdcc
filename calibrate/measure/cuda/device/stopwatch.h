#pragma once
#include <cuda_runtime.h>

#include "calibrate/measure/cuda/device/buffers.h"

namespace servecast {

/// Two events on a stream.
class Stopwatch {
 public:
  Stopwatch() {
    check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void begin(cudaStream_t stream) { check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord"); }
  void end(cudaStream_t stream) { check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord"); }
  /// Between both; waits for the second.
  double seconds() const {
    check_cuda(cudaEventSynchronize(end_), "a call");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
    return static_cast<double>(ms) * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace servecast
