#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// Parameters of one adapter: two matrices of `rank` beside each product, rank x (inputs + outputs); those of the
/// attention, and with `mlp` those of dense MLPs. Experts have none.
double lora_parameters(const Llm& llm, std::int64_t rank, bool mlp);

/// What adapters add to a step.
struct LoraCost {
  double adapter_s = 0;   // reading one adapter's matrices, on the last stage as on any
  double launches_s = 0;  // of the two grouped kernels beside each product, in all layers
};

/// A step in which sequences use adapters: launches once, and every adapter in use is read once, as grouped kernels
/// do (Punica, Chen et al., MLSys 2024; S-LoRA, Sheng et al., MLSys 2024). Left out: their arithmetic, below 1 % of
/// the model's at rank 16.
std::unique_ptr<StepLatency> make_with_adapters(std::unique_ptr<StepLatency> model, const LoraCost& cost);

/// Products of a layer that have adapters: q, k, v and output; with MLPs gate, up and down.
std::int64_t lora_products(const Llm& llm, bool mlp);

}  // namespace servecast
