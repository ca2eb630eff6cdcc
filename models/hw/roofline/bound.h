#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

// What nothing can beat: bounds from the data sheet alone. Kernels reach less than the peaks, steps wait for
// launches, links and hosts, and batches are never all full; everything left out here makes the real thing slower,
// never faster. So a design that these bounds rule out need not be simulated. The test `BoundsAreOptimistic` holds
// them against simulations of random designs.

/// Arithmetic that one request asks for and memory traffic that goes with it, at least.
struct LeastWork {
  double prompt_flop = 0;  // up to its first token
  double decode_flop = 0;  // of all tokens after it
  double decode_bytes = 0;

  double flop() const { return prompt_flop + decode_flop; }
};

/// A model as the bounds see it, in one data type of weights and one of KV.
struct BoundModel {
  double linear_flop_per_token = 0;    // in the layers, active weights only
  double head_flop = 0;                // of one output token
  double attention_flop_per_pair = 0;  // in all layers without a window; 0 for latent attention, whose form varies
  double active_bytes = 0;             // weights that one token meets, read once
  double kv_bytes_per_token = 0;       // in layers without a window
};
BoundModel bound_model(const Llm& llm, const WeightTypes& weights, DataType kv);

struct BoundRequest {
  std::int64_t computed_tokens = 0;  // of the prompt, less the most that any cache could have found
  std::int64_t found_tokens = 0;
  std::int64_t output_tokens = 0;

  bool operator==(const BoundRequest&) const = default;
};

/// Arithmetic: 2 per active weight and token, LM head for tokens that come out, causal attention in full layers.
/// Traffic: a decode step reads the weights once, for `max_sequences` sequences at best, and each sequence's KV.
LeastWork least_work(const BoundModel& model, const BoundRequest& request, std::int64_t max_sequences);

/// The shortest time from one output token to the next: the weights that the token meets, and KV of the prompt, read
/// at the peak rate by the GPUs that share each layer.
double least_token_s(const BoundModel& model, const Gpu& gpu, const Shape& shape, std::int64_t context_tokens);

/// Work that may not start before one time and has to be done by another.
struct DueWork {
  double from_s = 0;
  double due_s = 0;
  double work = 0;
};

/// The least rate (work per second) at which all pieces but the `may_be_late` largest ones can be done in time: over
/// windows of time, what must be done inside the window (demand bound, Baruah et al., RTSS 1990) by its length.
/// Windows begin at up to 64 instants, evenly many pieces apart: fewer windows are a weaker bound, not a wrong one.
double least_rate(std::span<const DueWork> work, std::int64_t may_be_late);

}  // namespace servecast
