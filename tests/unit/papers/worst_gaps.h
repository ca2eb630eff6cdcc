#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/base/record.h"
#include "sim/engine/run/run.h"

namespace servecast {

/// Takes down when every request's tokens were made, for Mooncake's time between tokens: the mean of the longest
/// tenth of a request's gaps.
class WorstGaps final : public DetailListener {
 public:
  bool wants_step(double /*start_s*/) override { return true; }
  /// Decodes come first among the members, prompts behind them.
  void step(const StepRecord& step, std::span<const StepMember> who) override {
    for (const StepMember& m : who.first(static_cast<std::size_t>(step.decode_sequences))) {
      if (made_s_.size() <= index(m.id)) made_s_.resize(index(m.id) + 1);
      made_s_[index(m.id)].push_back(step.end_s);
    }
  }

  /// 0 for a request of one token.
  double of(const RequestRecord& r) const {
    if (index(r.id) >= made_s_.size() || made_s_[index(r.id)].empty()) return 0;
    std::vector<double> gaps_s;
    double before_s = *r.first_token_s;
    for (const double at_s : made_s_[index(r.id)]) {
      gaps_s.push_back(at_s - before_s);
      before_s = at_s;
    }
    std::ranges::sort(gaps_s, std::greater<>());
    gaps_s.resize((gaps_s.size() + 9) / 10);
    double sum = 0;
    for (const double gap_s : gaps_s) sum += gap_s;
    return sum / static_cast<double>(gaps_s.size());
  }

 private:
  std::vector<std::vector<double>> made_s_;  // by request: the end of each of its decode steps
};

}  // namespace servecast
