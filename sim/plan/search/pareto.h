#pragma once
#include <optional>
#include <vector>

namespace servecast {

struct DesignResult;
class Runs;
struct SearchResult;
struct Shard;
struct SizedDesign;
struct Study;
struct Summary;

/// What a Pareto goal trades; less is better in all. Nothing where a run served no request.
struct ParetoPoint {
  double x = 0;  // minus output tokens/s per user; USD per hour, bills included
  double y = 0;  // minus output tokens/s per GPU; p99 of TTFT
  double z = 0;  // 0, or minus the expected score

  bool beats(const ParetoPoint& other) const {
    return x <= other.x && y <= other.y && z <= other.z && (x < other.x || y < other.y || z < other.z);
  }
};
std::optional<ParetoPoint> pareto_point(const Study& study, const SizedDesign& sized, const Summary& run);

/// Of all answers, where the scenario has scores.
std::optional<double> expected_score(const Summary& run);

/// Simulates every design that can be built and whose promises, if there are any, are not out of reach, at the best
/// estimate, and finds those that none beats. A share simulates every count-th of them.
SearchResult pareto(const Study& study, Runs& runs, std::vector<DesignResult>& designs, const Shard& share);

}  // namespace servecast
