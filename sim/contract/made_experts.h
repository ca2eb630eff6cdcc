#pragma once
#include "models/policy/expert_routing.h"

namespace servecast {

inline constexpr ExpertShape shape{.layers = 5, .experts = 16, .active = 3};

/// Three generations of ten tokens; token t of layer l takes t + l and the two behind it.
inline RoutingTrace made_trace() {
  RoutingTrace trace{.shape = shape, .first_token = {0, 10, 20, 30}};
  for (int token = 0; token < 30; ++token)
    for (int layer = 0; layer < shape.layers; ++layer)
      for (int rank = 0; rank < shape.active; ++rank) {
        trace.experts.push_back(static_cast<std::uint8_t>((token + layer + rank) % shape.experts));
        trace.gates.push_back(static_cast<std::uint8_t>(rank == 0 ? 155 : rank == 1 ? 60 : 40));
      }
  return trace;
}

/// The same, and counts in which expert 4 of two layers is the favourite.
inline RoutingData made_data() {
  RoutingData data{.trace = made_trace(), .counts = ExpertCounts{}};
  std::vector<double> counts(static_cast<std::size_t>(shape.experts), 1);
  counts[4] = 40;
  data.counts->layers = {{.layer = 0, .counts = counts}, {.layer = 3, .counts = counts}};
  return data;
}

}  // namespace servecast
