#pragma once
#include <vector>

#include "sim/plan/runs.h"

namespace servecast {

/// What a Pareto goal trades; less is better in both. Nothing where a run served nobody.
struct ParetoPoint {
  double x = 0;  // minus output tokens/s per user; USD per hour
  double y = 0;  // minus output tokens/s per GPU; p99 of TTFT

  bool beats(const ParetoPoint& other) const {
    return x <= other.x && y <= other.y && (x < other.x || y < other.y);
  }
};
std::optional<ParetoPoint> pareto_point(const Study& study, const SizedDesign& sized, const Summary& run);

/// Simulates every design that can be built and whose promises, if there are any, are not out of reach, at the best
/// estimate, and finds those that none beats. A share simulates every count-th of them.
SearchResult pareto(const Study& study, Runs& runs, std::vector<DesignResult>& designs, const Shard& share);

}  // namespace servecast
