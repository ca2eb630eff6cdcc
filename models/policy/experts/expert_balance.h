#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace servecast {

/// Experts spread over the GPUs of an expert-parallel group.
struct ExpertPlacement {
  std::vector<std::int64_t> copies{};          // by expert, 1 or more
  std::vector<std::vector<std::size_t>> on{};  // by rank: experts, once for each copy
  double max_over_mean = 1;  // load of the fullest rank, where an expert's copies share its load evenly
};

/// As DeepSeek's EPLB (github.com/deepseek-ai/EPLB, `replicate_experts` and `balanced_packing`): one by one, the
/// `redundant` further copies go to the expert whose copies carry most each; then the copies, the heaviest first, go
/// each to the least loaded rank that has a place left. Every rank has the same number of places. Requires that loads
/// and copies together divide by the ranks. A layer's step waits for its fullest rank: its products take
/// `max_over_mean` times as long as balanced ones.
ExpertPlacement place_experts(std::span<const double> loads, std::int64_t ranks, std::int64_t redundant);

/// The same experts in order, as many on every rank and none twice: what is there without balancing.
ExpertPlacement place_in_order(std::span<const double> loads, std::int64_t ranks);

}  // namespace servecast
