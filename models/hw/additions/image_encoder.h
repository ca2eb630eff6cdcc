#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/kernels.h"

namespace servecast {

/// Time of the encoder for the images of a step, on each of `tensor_parallel` GPUs:
///   t = layers (4 t_gemm + t_attention) + max(weights / B, products / F_gemm) + attention / F_attention,
/// launches t, rates B and F of the GPU's own bf16 products and prompt attention. No engine's encoder was measured, so
/// it counts as extrapolated. Images of a step count as equally large. Left out: collectives between the GPUs.
StageTime encoder_time(const VisionEncoder& encoder, const Kernels& kernels, std::int64_t tensor_parallel,
                       std::int64_t images, std::int64_t image_tokens);

/// A step that begins prompts with images encodes these first, on the first stage.
std::unique_ptr<StepLatency> make_with_images(std::unique_ptr<StepLatency> model, const VisionEncoder& encoder,
                                              const Kernels& kernels, std::int64_t tensor_parallel);

}  // namespace servecast
