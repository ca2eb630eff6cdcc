#pragma once
#include <array>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// What a routing looks like: means over layers, unless said otherwise.
struct RoutingStatistics {
  double load_max_over_mean = 0;      // of the most used expert
  double load_entropy_fraction = 0;   // of the uses by expert; 1: even
  double top_quarter_fraction = 0;    // of uses, that the most used quarter of the experts takes
  double repeat_fraction = 0;         // of a token's experts, that the generation's token before used in that layer
  double chance_repeat_fraction = 0;  // the same for tokens that have nothing to do with each other
  double successor_fraction = 0;      // of uses, after which the next layer's most likely expert comes
  double chance_successor_fraction = 0;  // the same by that expert's popularity
  std::vector<double> gate_by_rank{};
  double gate_entropy_mean = 0;                  // normalised, see token_entropy()
  std::array<double, 9> gate_entropy_deciles{};  // 10 %, 20 %, ...
  std::array<double, 8> distinct_by_batch{};     // experts of a layer that 1, 2, 4 ... 128 random tokens touch
};

/// Entropy of the gates of a token in a layer over that of an even gate: 0: one expert has everything; 1: even.
/// (BuddyMoE, arXiv 2511.10054: TAE, with the probabilities raised to 1 / temperature and renormalised.)
double token_entropy(std::span<const ExpertChoice> choices, double temperature = 1);

/// Of a recorded routing. Random batches are drawn with `rng`.
RoutingStatistics describe_routing(const RoutingTrace& trace, Rng& rng);

/// Uses by layer and expert: [layer * experts + expert].
std::vector<std::uint64_t> count_uses(const RoutingTrace& trace);

/// The recording of a routing at work: so many requests of so many tokens each.
RoutingTrace record_routing(ExpertRouting& routing, const ExpertShape& shape, std::int64_t requests,
                            std::int64_t tokens_each, Rng& rng);

}  // namespace servecast
