#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "calibrate/fit/cells.h"
#include "models/base/counts.h"

namespace servecast {
namespace {

/// What the first of several GPUs takes of so many tokens, from rows in which it had twice the visits, on a straight
/// line between them: they touch all of its experts with as many tokens as even ones would, so that batches up to
/// there are right, and beyond half of the tokens have as many visits.
double with_half_the_visits(const std::map<std::int64_t, double>& seconds_by_tokens, const KernelShape& shape) {
  const std::int64_t all_touched = shape.experts / shape.top_k;
  const double tokens = std::max(0.5 * real(shape.m), real(std::min(shape.m, all_touched)));
  const auto more = seconds_by_tokens.lower_bound(static_cast<std::int64_t>(std::ceil(tokens)));
  if (more == seconds_by_tokens.begin()) return more->second;
  const auto fewer = std::prev(more);
  const double part = (tokens - real(fewer->first)) / real(more->first - fewer->first);
  return fewer->second + part * (more->second - fewer->second);
}

}  // namespace

void CellCollector::mend_group_choice() {
  for (auto& [flavour, shapes] : flavours_) {
    if (!of_experts(flavour.op) || !flavour.mode.ends_with("balanced")) continue;
    std::map<std::pair<std::size_t, KernelShape>, std::map<std::int64_t, double>> curves;  // by all but tokens
    const auto curve_of = [](std::size_t table, KernelShape shape) {
      shape.m = 0;
      return std::pair(table, shape);
    };
    for (const auto& [shape, measurements] : shapes)
      for (const Measurement& one : measurements)
        if (group_choice_.of(one.table, flavour.dtype, shape))
          curves[curve_of(one.table, shape)][shape.m] = one.seconds;
    for (auto& [shape, measurements] : shapes) {
      std::erase_if(measurements, [&](const Measurement& one) {
        return shape.expert_parallel <= 1 && curves.contains(curve_of(one.table, shape));
      });
      for (Measurement& one : measurements)
        if (const auto curve = curves.find(curve_of(one.table, shape)); curve != curves.end())
          one.seconds = with_half_the_visits(curve->second, shape);
    }
    std::erase_if(shapes, [](const auto& row) { return row.second.empty(); });
  }
}

}  // namespace servecast
