#pragma once
#include "models/base/rng.h"
#include "models/hw/latency/rank_loads.h"
#include "models/policy/expert_routing.h"

namespace servecast {

/// GPUs that share the experts of a model.
struct ExpertRanks {
  std::int64_t ranks = 1;
  std::int64_t node_ranks = 1;  // in each node
  std::int64_t redundant = 0;   // copies, over all ranks
  bool balanced = true;         // placed by place_experts(), else by place_in_order()
};

/// What the fullest rank has of batches up to `largest` tokens, or 4,096, beyond which chance adds little. Every
/// layer's experts are placed by the loads of the recording's first half; batches are random tokens of the second
/// half, and a token's copy of an expert goes round. So the figure holds both what placing cannot know and what a
/// batch has by chance. Left out: tokens of one prompt, which have more in common than random ones; placements that
/// change during a run.
RankLoads fullest_ranks(const RoutingTrace& recording, const ExpertRanks& layout, std::int64_t largest, Rng& rng);

}  // namespace servecast
