#include "models/policy/shared/drafting.h"

namespace servecast {

// Liu et al., "Optimizing Speculative Decoding for Serving LLMs Using Goodput", 2024: tokens expected over the time
// of the step, for every length up to the most. Ties go to the shorter one.
std::int64_t Drafting::drafts(const DraftLoad& load) const {
  if (settings_.length == "fixed" || load.sequences() == 0) return settings_.num_speculative_tokens;
  std::int64_t best = 0;
  double best_per_s = load.tokens(0) / load.step_s(0);
  for (std::int64_t k = 1; k <= settings_.num_speculative_tokens; ++k) {
    const double per_s = load.tokens(k) / load.step_s(k);
    if (per_s <= best_per_s) continue;
    best = k;
    best_per_s = per_s;
  }
  return best;
}

}  // namespace servecast
