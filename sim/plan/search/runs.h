#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/plan/runs/evaluator.h"
#include "sim/report/summary/summary.h"

namespace servecast {

struct SizedDesign;
class Sizer;

/// What one draw of one design came to.
struct DrawOutcome {
  bool kept = false;
  double miss = 0;
  std::string why{};                            // the promise that was missed, in words
  std::vector<std::optional<double>> values{};  // by promise, of the whole workload
  std::optional<Summary> run{};                 // of the whole workload; nothing where less was enough
  std::optional<Summary> beginning{};           // where that was enough

  const Summary* seen() const { return run ? &*run : beginning ? &*beginning : nullptr; }
};

/// One draw of one design; draw 0 is the best estimate.
struct DrawRequest {
  const SizedDesign* sized = nullptr;
  std::int64_t draw = 0;
  bool beginning = true;  // may be tried: not worth it once others of its draws have shown no proof there
};

/// Turns draws of designs into runs, with as little simulated as will do: first the bounds, then the beginning of the
/// workload, then the whole.
class Runs {
 public:
  Runs(Sizer& sizer, Evaluator& evaluator) : sizer_(sizer), evaluator_(evaluator) {}

  std::vector<DrawOutcome> judge(std::span<const DrawRequest> requests);

  /// Whole runs, with more settings, at the best estimate.
  std::vector<RunResult> best_estimates(std::span<const RunRequest> requests) {
    return evaluator_.evaluate(requests);
  }
  RunRequest request(const DrawRequest& wanted);
  std::int64_t at_once() const { return evaluator_.at_once(); }

 private:
  DrawOutcome judged(const DrawRequest& wanted, const Summary& run) const;
  std::optional<RunRequest> beginning(const DrawRequest& wanted);
  void judge_beginnings(std::span<const DrawRequest> requests, std::vector<std::optional<DrawOutcome>>& outcomes);
  void judge_whole(std::span<const DrawRequest> requests, std::vector<std::optional<DrawOutcome>>& outcomes);

  Sizer& sizer_;
  Evaluator& evaluator_;
};

}  // namespace servecast
