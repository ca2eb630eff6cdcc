#include "calibrate/measure/cuda/calls/graph_replay.h"

#include <cuda_runtime.h>

#include <utility>

namespace servecast {

Replay::Replay(std::unique_ptr<Call> call, Stream stream) : call_(std::move(call)) {
  if (!call_->replayed()) return;
  call_->start(stream);
  check_cuda(cudaStreamSynchronize(stream), "a kernel");
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  call_->start(stream);
  check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check_cuda(status, "cudaGraphInstantiate");
}

Replay::~Replay() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
}

Replay::Replay(Replay&& other) noexcept
    : call_(std::move(other.call_)), graph_(std::exchange(other.graph_, nullptr)) {}

void Replay::start(Stream stream) {
  if (graph_ == nullptr) return call_->start(stream);
  check_cuda(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
}

}  // namespace servecast
