#pragma once
#include <memory>

#include "calibrate/measure/cuda/calls/call.h"

struct CUgraphExec_st;

namespace servecast {

/// A call, started as it is or, where it asks for that, as a CUDA graph of what it does.
class Replay {
 public:
  /// Starts the call once where it becomes a graph, so that nothing is left to load.
  Replay(std::unique_ptr<Call> call, Stream stream);
  ~Replay();
  Replay(Replay&& other) noexcept;
  Replay& operator=(Replay&&) = delete;

  const Call& call() const { return *call_; }
  void start(Stream stream);

 private:
  std::unique_ptr<Call> call_;
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace servecast
