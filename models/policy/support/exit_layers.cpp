#include "models/policy/support/exit_layers.h"

#include <algorithm>
#include <cassert>

#include "models/base/stable_math.h"

namespace servecast {
namespace {

/// Shares ratio^0, ratio^1, ... from `first` to `layers`.
ExitLayers geometric(std::int64_t first, std::int64_t layers, double ratio) {
  std::vector<double> share(static_cast<std::size_t>(layers), 0.0);
  double value = 1;
  for (auto i = static_cast<std::size_t>(first - 1); i < share.size(); ++i, value *= ratio) share[i] = value;
  return ExitLayers(std::move(share));
}

}  // namespace

ExitLayers::ExitLayers(std::vector<double> share) : up_to_(std::move(share)) {
  double sum = 0;
  for (double& value : up_to_) value = sum += value;
  assert(sum > 0);
  for (double& value : up_to_) value /= sum;
}

ExitLayers ExitLayers::with_mean(std::int64_t first, std::int64_t layers, double mean) {
  assert(static_cast<double>(first) < mean && mean < static_cast<double>(layers));
  double low = 1.0 / 64;
  double high = 64;
  for (int i = 0; i < 60; ++i) {  // the mean grows with the ratio; 60 halvings exhaust a double
    const double ratio = (low + high) / 2;
    (geometric(first, layers, ratio).mean() < mean ? low : high) = ratio;
  }
  return geometric(first, layers, (low + high) / 2);
}

double ExitLayers::mean() const {
  double sum = static_cast<double>(layers());
  for (std::size_t i = 0; i + 1 < up_to_.size(); ++i) sum -= up_to_[i];
  return sum;
}

std::int64_t ExitLayers::deepest(double tokens, double u) const {
  const double one = stable::pow(u, 1 / tokens);
  const auto at = std::ranges::upper_bound(up_to_, one);
  return std::min<std::int64_t>(layers(), at - up_to_.begin() + 1);
}

}  // namespace servecast
