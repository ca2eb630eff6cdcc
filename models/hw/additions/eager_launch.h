#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// An engine whose CUDA graphs hold decodes alone, up to so many sequences.
struct EagerLaunch {
  std::int64_t layers = 0;           // of the model
  double layer_s = 0;                // host time to launch one
  std::int64_t graph_sequences = 0;  // the largest graph
};

/// Steps outside its graphs, those with prompts or with more decodes than the largest one, launch kernels one by one,
/// a layer after the other: a stage takes at least layers x layer_s, of which the GPU waits for the host what its
/// kernels do not take. Left out: launching ahead while the step before is computed.
std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch);

}  // namespace servecast
