#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// What a step does for one sequence.
struct StepPart {
  std::int64_t sequence = 0;
  std::int64_t before_tokens = 0;  // that its KV holds already
  std::int64_t tokens = 0;         // computed by this step
  bool decodes = false;            // one token made by it, read back
  bool emits = false;              // it leaves the step with a token

  bool operator==(const StepPart&) const = default;
};

/// The same as sums, as the simulator takes them; with a latency that wants more of chunks, that too.
StepWork work_of(std::span<const StepPart> parts, const StepLatency& latency);

}  // namespace servecast
