#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/plan/runs/evaluator.h"
#include "sim/report/figures/replicates.h"

namespace servecast {

/// A scenario's best estimate, and what it may be instead: the same with other seeds and other draws of what the
/// calibration may be off by. Draw i of one scenario goes with draw i of another: seed and draw are the same.
struct Replicated {
  std::string key{};
  std::optional<Summary> best{};
  std::vector<Summary> draws{};
  std::string failure{};  // why there is no best estimate, or not every draw

  std::optional<Interval> interval() const;  // none without draws
};

/// Each request by itself and, where that works, with `draws` more: seed + i and draw i, i from 1.
std::vector<Replicated> evaluate_replicated(Evaluator& evaluator, std::span<const RunRequest> requests,
                                            std::int64_t draws);

}  // namespace servecast
