#pragma once
#include <map>
#include <string>
#include <vector>

namespace servecast {

struct Promise;
struct SizedScenario;
struct WorkloadFacts;

/// How far a design is from a promise even if nothing ever went wrong.
struct BestCase {
  double overload = 0;    // above 1: so many times too slow, or too little, at best
  std::string promise{};  // that is missed by most, in words
  std::string asks{};     // "asks for 2 times the arithmetic that its GPUs can do at best"

  std::string why() const { return promise.empty() ? "" : promise + " " + asks; }
};

/// Holds designs against what no machine can beat (models/hw/roofline/bound.h). Rates that a workload asks for depend
/// on the model and its data types, not on the machines, so they are computed once and used for thousands of designs.
class BestCases {
 public:
  /// The promise that the design misses by most. `facts` must outlive this. Empty-handed (overload 0) for closed
  /// loops and for pools that data sheets do not bound: tables of step times, speculation, early exit, layers or
  /// experts elsewhere.
  BestCase of(const SizedScenario& sized, const std::vector<Promise>& promises, const WorkloadFacts& facts);

 private:
  std::map<std::string, double> rates_{};  // by workload, model and promise
};

}  // namespace servecast
