#pragma once
#include <vector>

#include "calibrate/samples/step_samples.h"
#include "calibrate/step/step_limits.h"
#include "calibrate/step/step_part.h"

namespace servecast {

/// The steps that `measure --step` takes: decodes alone, prompts alone, and every mixture of both, small to large, in
/// an order of which every beginning is spread over the whole grid.
std::vector<StepShape> standard_step_shapes();

/// Its sequences, numbered from 0. All leave the step with a token.
std::vector<StepPart> parts_of(const StepShape& shape);

/// What a step of any of these shapes needs at most; KV blocks for the largest of them.
StepLimits limits_of(const std::vector<StepShape>& shapes, std::int64_t block_tokens);

}  // namespace servecast
