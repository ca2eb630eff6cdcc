#pragma once
#include <cstdint>

#include "models/base/rng.h"
#include "models/base/totals.h"
#include "models/hw/latency/step_latency.h"
#include "models/policy/support/exit_layers.h"

namespace servecast {

/// How deep the decode steps of a replica go. A step runs until the last of its tokens leaves; how deep that is, is
/// drawn once for the step, so that it costs the same for one sequence and for five hundred.
class EarlyExits {
 public:
  EarlyExits(ExitLayers layers, double tokens_per_draft, Rng rng)
      : layers_(std::move(layers)), tokens_per_draft_(tokens_per_draft), rng_(std::move(rng)) {}

  /// Layers that the decodes of this step run.
  std::int64_t draw(const StepWork& work) {
    const double tokens =
        static_cast<double>(work.decode_sequences) + tokens_per_draft_ * static_cast<double>(work.draft_tokens);
    const std::int64_t depth = layers_.deepest(tokens, rng_.uniform());
    totals_.steps += 1;
    totals_.layers += depth;
    return depth;
  }

  const ExitLayers& layers() const { return layers_; }
  const ExitTotals& totals() const { return totals_; }

 private:
  ExitLayers layers_;
  double tokens_per_draft_;
  Rng rng_;
  ExitTotals totals_;
};

}  // namespace servecast
