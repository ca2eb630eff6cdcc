#pragma once
#include <vector>

#include "models/base/record.h"
#include "sim/engine/time/run_options.h"

namespace servecast {

/// Takes down when every request's tokens were made, for Mooncake's time between tokens: the mean of the longest
/// tenth of a request's gaps.
class WorstGaps final : public DetailListener {
 public:
  bool wants_step(double /*start_s*/) override { return true; }
  /// Decodes come first among the members, prompts behind them.
  void step(const StepRecord& step, std::span<const StepMember> who) override;

  /// 0 for a request of one token.
  double of(const RequestRecord& r) const;

 private:
  std::vector<std::vector<double>> made_s_;  // by request: the end of each of its decode steps
};

}  // namespace servecast
