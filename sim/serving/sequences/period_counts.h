#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// Of sequences that make a token each in every step, how many have a multiple of `period` tokens now: O(1) a step,
/// as a sequence comes to that always at the same phase of the step counter.
class PeriodCounts {
 public:
  /// 0: nothing is counted.
  explicit PeriodCounts(std::int64_t period) : counts_(static_cast<std::size_t>(period), 0) {}

  std::int64_t period() const { return static_cast<std::int64_t>(counts_.size()); }
  bool counts() const { return !counts_.empty(); }
  /// So many sequences have `tokens` tokens now; below 0: they leave.
  void add(std::int64_t tokens, std::int64_t sequences) {
    if (counts()) counts_[phase(tokens)] += sequences;
  }
  void step() { ++steps_; }
  /// That have a multiple of the period now, or will after so many steps.
  std::int64_t due(std::int64_t after = 0) const { return counts() ? counts_[phase(-after)] : 0; }

 private:
  std::size_t phase(std::int64_t tokens) const {
    const std::int64_t rest = (tokens - steps_) % period();
    return static_cast<std::size_t>(rest < 0 ? rest + period() : rest);
  }

  std::vector<std::int64_t> counts_;
  std::int64_t steps_ = 0;
};

}  // namespace servecast
