#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// After how many layers tokens leave a model.
class ExitLayers {
 public:
  /// `share` of the tokens that leave after 1, 2, ... layers, not all 0; scaled to 1.
  explicit ExitLayers(std::vector<double> share);
  /// Between `first` and all `layers`, with this mean, and otherwise as even as can be: the distribution of greatest
  /// entropy, shares in geometric progression. Requires first < mean < layers.
  static ExitLayers with_mean(std::int64_t first, std::int64_t layers, double mean);

  std::int64_t layers() const { return static_cast<std::int64_t>(up_to_.size()); }
  double mean() const;
  /// The most layers that any of `tokens` tokens runs, drawn with `u` from [0, 1): the smallest depth within which
  /// they all leave with a chance above u. One draw, whatever their number, as the chance is a power.
  std::int64_t deepest(double tokens, double u) const;

 private:
  std::vector<double> up_to_;  // share that has left after 1, 2, ... layers
};

}  // namespace servecast
