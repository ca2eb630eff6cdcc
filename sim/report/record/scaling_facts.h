#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// Counts of an autoscaler's replicas of one pool, reported as they are.
struct ScalingCounts {
  std::string pool{};
  std::string autoscaler{};
  std::int64_t starts = 0;    // those of the warm reserve among them
  std::int64_t woken = 0;     // that came from the warm reserve
  std::int64_t stops = 0;     // that were switched off, or went back to the reserve
  std::int64_t mirrored = 0;  // prompts computed to fill caches
  bool operator==(const ScalingCounts&) const = default;
};

/// Of a start that was not from the warm reserve, phase by phase.
struct StartTimes {
  double provision_s = 0;
  double image_s = 0;
  double weights_s = 0;  // until they have arrived
  double imports_s = 0;
  double gpu_load_s = 0;
  double engine_init_s = 0;
  double restore_s = 0;
  bool operator==(const StartTimes&) const = default;
};

/// What an autoscaler made of one pool.
struct ScalingTotals : ScalingCounts {
  double rented_s = 0;   // replicas, integrated over time
  double serving_s = 0;  // likewise, those that serve
  std::int64_t most_serving = 0;
  std::vector<double> start_s{};  // from the decision until it could serve
  std::vector<StartTimes> cold_starts{};
  std::vector<double> drain_s{};  // from the last request that it took until it had done all
};

}  // namespace servecast
