#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// What the fullest of `ranks`, GPUs with requests of their own that take a step together, computes in one of
/// `batches` equal parts of its step: ceil(decodes / ranks) decodes of mean size and their share of the drafts that
/// are checked, ceil(prompts / ranks) prompts, the longest and others of mean size. Experts get the tokens of all
/// ranks (`group_tokens`). Requires prompts that add_chunk() added.
StepWork fullest_rank(const StepWork& work, std::int64_t ranks, std::int64_t batches);

/// Step time of a model of which each of `ranks` has a copy of its own; the others wait for the fullest.
std::unique_ptr<StepLatency> on_each_rank(std::unique_ptr<StepLatency> copy, std::int64_t ranks);

}  // namespace servecast
