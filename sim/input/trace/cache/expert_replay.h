#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/policy/experts/routing_statistics.h"

namespace servecast {

/// What `servecast trace experts` is asked for.
struct ExpertReplaySpec {
  std::vector<std::int64_t> slots{};    // of every layer's cache; none: no replay
  std::vector<std::string> policies{};  // names of expert caches
  std::int64_t ranks = 0;               // of an expert-parallel group; 0: none
  std::int64_t redundant = 0;           // further copies of experts, in each layer
};

struct ExpertCacheResult {
  std::string policy{};
  std::int64_t slots = 0;
  std::vector<std::int64_t> hits{};  // by layer
};

struct ExpertReplayReport {
  ExpertShape shape{};
  std::int64_t tokens = 0;
  std::int64_t generations = 0;
  RoutingStatistics statistics{};
  double rank_load_in_order = 0;  // of the fullest rank over the mean, mean over layers
  double rank_load_balanced = 0;  // the same with redundant experts and packing
  ExpertReplaySpec spec{};
  std::vector<ExpertCacheResult> results{};

  double uses_per_layer() const { return static_cast<double>(tokens * shape.active); }
  double fraction(const ExpertCacheResult& result) const;
};

/// Describes a routing trace and replays it through the caches: each generation by itself, with caches that are cold
/// when it begins (or full, where their policy starts so), the experts of a token in the order of their gates.
ExpertReplayReport replay_experts(const RoutingTrace& trace, const ExpertReplaySpec& spec);

std::string to_text(const ExpertReplayReport& report);
std::string to_json(const ExpertReplayReport& report);
std::string to_csv(const ExpertReplayReport& report);

}  // namespace servecast
