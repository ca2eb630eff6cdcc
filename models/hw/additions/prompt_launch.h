#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// An engine whose CUDA graphs hold decodes only launches the kernels of a prompt one by one, a layer after the
/// other. A stage with prompts takes at least layers x `layer_s`, of which the GPU waits for the host what its
/// kernels do not take. Left out: launching ahead while the step before is computed.
std::unique_ptr<StepLatency> with_prompt_launch(std::unique_ptr<StepLatency> model, std::int64_t layers,
                                                double layer_s);

}  // namespace servecast
