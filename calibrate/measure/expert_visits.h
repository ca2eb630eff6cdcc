#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/rng.h"

namespace servecast {

/// Tokens that visit the experts of a layer.
struct ExpertVisits {
  std::int64_t tokens = 0;
  std::int64_t experts = 0;
  std::int64_t top_k = 1;  // up to experts
};

/// How many tokens visit each expert; they add up to tokens * top_k, none has more than `tokens`. `mode` is a
/// sample's:
///
/// - "balanced": as evenly as whole numbers allow;
/// - "power_law_1.01": loads are drawn with a density of x^-1.01 between 1 and 0.8 tokens (between 0.01 and 2 where
/// there
///   are fewer visits than experts), scaled to the visits and rounded, as aiconfigurator draws those of its tables.
///
/// None for another mode.
std::optional<std::vector<std::int64_t>> expert_loads(const ExpertVisits& visits, std::string_view mode, Rng& rng);

/// Logits [tokens][experts] of which each token's `top_k` largest are different experts with these loads.
std::vector<float> gate_logits(const ExpertVisits& visits, const std::vector<std::int64_t>& loads, Rng& rng);

}  // namespace servecast
