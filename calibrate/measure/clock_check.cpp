#include "calibrate/measure/clock_check.h"

#include <fmt/format.h>

#include <cmath>

#include "calibrate/measure/target_text.h"
#include "models/base/quantile.h"

namespace servecast {
namespace {

constexpr double least_s = 1e-3;  // beside which a few microseconds between two kernels are nothing
constexpr int each_operator = 3;
constexpr double most_apart = 0.02;

}  // namespace

bool ClockCheck::wants(const MeasureTarget& target, double seconds) const {
  const auto found = compared_.find(target.op);
  return seconds >= least_s && (found == compared_.end() || found->second < each_operator);
}

void ClockCheck::add(const MeasureTarget& target, const TwoClocks& clocks) {
  if (clocks.record_s.empty() || clocks.event_s.empty()) return;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < clocks.record_s.size() && i < clocks.event_s.size(); ++i)
    ratios.push_back(clocks.record_s[i] / clocks.event_s[i]);
  const double ratio = median(ratios);
  ++compared_[target.op];
  ++targets_;
  if (targets_ > 1 && std::abs(ratio - 1) <= std::abs(worst_ratio_ - 1)) return;
  worst_ratio_ = ratio;
  worst_ = target_text(target);
}

std::string ClockCheck::text() const {
  if (targets_ == 0) return "";
  const std::string line =
      fmt::format("CUPTI's times over those of CUDA events, {} targets by both: farthest off is {:.4f}, {}", targets_,
                  worst_ratio_, worst_);
  if (std::abs(worst_ratio_ - 1) <= most_apart) return line;
  return "warning: " + line + ". More than 2 % apart: do not trust these samples before you know why";
}

}  // namespace servecast
