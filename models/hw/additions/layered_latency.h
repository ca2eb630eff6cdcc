#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "models/hw/additions/exit_terms.h"
#include "models/hw/latency/engine_terms.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/shape.h"

namespace servecast {

/// Consecutive layers of a model on one device, or on the pipeline stages of one kind of device.
struct LayerPart {
  std::unique_ptr<StepLatency> all{};  // these layers; without the engine's host time
  std::unique_ptr<StepLatency>
      one{};           // one layer in each stage, else the same: their difference is the time of layers
  LayerRange range{};  // of the model
};

/// A model in parts that are run one after the other, of which decodes may leave before the end
/// (StepWork::decode_layers). A part's layers beyond that run for prompts only:
///   time = all(work) - skipped (layer(work) - layer(prompts of the work)), layer = (all - one) / (layers - 1),
/// as if layers of a part were alike. What finding the exits takes is added (ExitTerms), with a draft layer and an LM
/// head as in the last part. The LM head is in the last part. Several parts share one stage; a single part may have
/// several. Left out: bringing the hidden state from one device to the next, some kilobytes a token.
std::unique_ptr<StepLatency> make_layered(std::vector<LayerPart> parts, const ExitTerms& exits,
                                          const EngineTerms& engine);

}  // namespace servecast
